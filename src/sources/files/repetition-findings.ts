import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { SOURCE_FINDINGS } from '../../diagnostics/sources.ts';
import { type Resource, resourceKey } from '../../snapshot/resource.ts';
import { BoundedFindings } from './bounded-findings.ts';

/** A definition that doesn't count, and the one of the same object that does. */
export interface Repetition {
  readonly resource: Resource;
  readonly first: Resource;
}

/** Most findings about one object in one file. */
const MOST = 10;

/** What is to be said of the definitions in one file that don't count; of many of one object the last says how many. */
export function repetitionFindings(repetitions: readonly Repetition[]): Finding[] {
  const counts = new Map<string, number>();
  for (const { resource } of repetitions) {
    const key = resourceKey(resource.ref);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const seen = new Map<string, number>();
  const findings = new BoundedFindings();
  for (const { resource, first } of repetitions) {
    const { ref, place } = resource;
    if (place === undefined || first.place === undefined) continue;
    const key = resourceKey(ref);
    const number = (seen.get(key) ?? 0) + 1;
    seen.set(key, number);
    if (number > MOST) continue;
    const others = number === MOST ? (counts.get(key) ?? MOST) - MOST : 0;
    const more = others === 0 ? '' : `, and so are ${others} more after it in this file`;
    // Cluster-wide kinds have no namespace.
    const name = key.replace('//', '/');
    const message = `${name} also stands in ${first.place.file}:${first.place.line}, which counts; the one in ${place.file}:${place.line} is left out${more}.`;
    const origin = { object: ref, field: 'metadata.name', file: place.file, line: place.line };
    findings.add(finding(SOURCE_FINDINGS.definedTwice, origin, message));
  }
  return [...findings.all()];
}
