import { finding } from '../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../diagnostics/drivers.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import type { Model } from '../../model/model.ts';
import { NGINX_CAPABILITIES } from './capabilities.ts';
import { listenerProblem } from './records/listener-record.ts';

/** Parts of a model that nginx doesn't serve at all. */
export function unservedParts(model: Model): readonly Finding[] {
  const listeners = [...model.listeners.values()].filter(({ protocol }) => !NGINX_CAPABILITIES.listeners.has(protocol));
  return [
    ...[...model.listeners.values()].flatMap((listener) => {
      const problem = listenerProblem(listener);
      if (problem === undefined) return [];
      const message = `The client certificates of listener ${listener.name} can not be verified: ${problem}. It is not opened.`;
      return [finding(DRIVER_FINDINGS.clientCertificate, listener.origin, message)];
    }),
    ...listeners.map(({ name, protocol, origin }) =>
      finding(
        DRIVER_FINDINGS.l4Route,
        origin,
        `nginx serves http and https; the ${protocol} listener ${name} is not served by it.`,
      ),
    ),
    ...[...model.l4Routes.values()].map(({ id, origin }) =>
      finding(DRIVER_FINDINGS.l4Route, origin, `nginx serves http and https; the route ${id} is not served by it.`),
    ),
  ];
}

/** Findings that only applying can make; the others follow from the model alone. */
const RUNTIME_CODES: ReadonlySet<string> = new Set([
  DRIVER_FINDINGS.badPattern.code,
  DRIVER_FINDINGS.quarantined.code,
  DRIVER_FINDINGS.portBlocked.code,
  DRIVER_FINDINGS.recordRefused.code,
]);

export function isRuntimeFinding({ code }: Finding): boolean {
  return RUNTIME_CODES.has(code);
}
