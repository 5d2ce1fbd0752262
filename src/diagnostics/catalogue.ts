import type { Origin } from '../model/origin.ts';
import type { Finding, Severity } from './finding.ts';
import { ANNOTATION_FINDINGS } from './annotations.ts';
import { DRIVER_FINDINGS } from './drivers.ts';
import { FAULT_FINDINGS } from './faults.ts';
import { INGRESS_FINDINGS } from './ingress.ts';
import { SOURCE_FINDINGS } from './sources.ts';
import { TLS_FINDINGS } from './tls.ts';

/** One kind of finding: what stands in the reference and behind `weir explain code`. */
export interface CatalogueEntry {
  readonly code: string;
  readonly severity: Severity;
  /** A short noun phrase: "Service not found". */
  readonly title: string;
  /** What it means and what weir does meanwhile. */
  readonly explanation: string;
  /** What to do, when the place where it is found has nothing better to say. */
  readonly fix: string;
}

/** Every kind of finding, in the order of the codes: 00xx sources, 01xx ingress, 02xx annotations, 03xx TLS, 04xx drivers, 05xx weir itself. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  ...Object.values(SOURCE_FINDINGS),
  ...Object.values(INGRESS_FINDINGS),
  ...Object.values(ANNOTATION_FINDINGS),
  ...Object.values(TLS_FINDINGS),
  ...Object.values(DRIVER_FINDINGS),
  ...Object.values(FAULT_FINDINGS),
];

/** A finding of this kind about the origin's object and field. `message` says what is wrong here, with the value quoted. */
export function finding(entry: CatalogueEntry, origin: Origin, message: string, fix: string = entry.fix): Finding {
  return {
    code: entry.code,
    severity: entry.severity,
    object: origin.object,
    field: origin.field,
    message,
    fix,
    ...(origin.file === undefined ? {} : { file: origin.file }),
    ...(origin.line === undefined ? {} : { line: origin.line }),
  };
}
