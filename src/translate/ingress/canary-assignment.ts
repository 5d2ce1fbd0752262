import { type CatalogueEntry, finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import { originOf } from '../../snapshot/object-head.ts';
import type { IngressBackend } from '../../snapshot/kinds/ingress.ts';
import { type Contest, type Contributor, matchIdentity } from './path-contest.ts';
import { quoted } from './path-rule.ts';
import type { ServedIngress } from './served-ingress.ts';

/** A canary Ingress' wish for one route. */
export interface AssignedCanary {
  readonly ingress: ServedIngress;
  readonly backend: IngressBackend;
  /** Of the path, or `spec.defaultBackend`. */
  readonly field: string;
}

export const DEFAULT_ROUTE = 'default';

/**
 * Which canary goes to which route, by `matchIdentity` (or DEFAULT_ROUTE).
 *
 * `canaries`: oldest first. `defaultOwner`: the Ingress whose default backend serves the host.
 */
export function assignCanaries(
  hostname: string,
  canaries: readonly Contributor[],
  contest: Contest,
  defaultOwner: ServedIngress | undefined,
): { readonly assigned: ReadonlyMap<string, AssignedCanary>; readonly findings: readonly Finding[] } {
  const assigned = new Map<string, AssignedCanary>();
  const findings: Finding[] = [];
  const assign = (route: string, main: ServedIngress | undefined, canary: AssignedCanary, what: string, at: string) => {
    const { ingress } = canary;
    const refuse = (entry: CatalogueEntry, message: string) => {
      findings.push(finding(entry, originOf(ingress.object, at), message));
    };
    const first = assigned.get(route);
    if (main === undefined) {
      refuse(
        INGRESS_FINDINGS.canaryWithoutMain,
        `No main Ingress has ${what} of host ${hostname}; the canary is not served.`,
      );
    } else if (main.object.ref.namespace !== ingress.object.ref.namespace) {
      refuse(
        INGRESS_FINDINGS.canaryForeign,
        `The main route for ${what} of host ${hostname} belongs to Ingress ${main.key}, in another namespace; the canary is not served.`,
      );
    } else if (first !== undefined) {
      refuse(
        INGRESS_FINDINGS.canaryExtra,
        `The route for ${what} of host ${hostname} already has a canary, Ingress ${first.ingress.key}; this one is not served.`,
      );
    } else assigned.set(route, canary);
  };
  for (const { ingress, part } of canaries) {
    for (const rule of part.paths) {
      const route = matchIdentity(contest.matchOf(rule));
      const canary = { ingress, backend: rule.backend, field: rule.field };
      const what = `${rule.type} path ${quoted(rule.value)}`;
      assign(route, contest.winners.get(route)?.ingress, canary, what, `${rule.field}.path`);
    }
    const { defaultBackend } = ingress.object;
    if (defaultBackend === undefined) continue;
    const canary = { ingress, backend: defaultBackend, field: 'spec.defaultBackend' };
    assign(DEFAULT_ROUTE, defaultOwner, canary, 'a default backend', 'spec.defaultBackend');
  }
  return { assigned, findings };
}
