/** What stands in for a part that weir failed to make, where there was none before: it answers 503. */
import type { VirtualHost } from '../../model/virtual-host.ts';
import type { IngressObject } from '../../snapshot/kinds/ingress.ts';
import { headKey, originOf } from '../../snapshot/object-head.ts';
import { INGRESS_SCOPE } from './host-builder.ts';
import { ANY_HOST, readHost, readIngress, type ServedIngress } from './served-ingress.ts';
import { CLOSED_BY_FAULT, defaultSettings } from './settings.ts';

/** An Ingress all of whose paths are closed; undefined for a canary, which would stand in the way of its main one. */
export function faultyIngress(object: IngressObject): ServedIngress | undefined {
  const isCanary = Object.entries(object.annotations).some(
    ([key, value]) => key.endsWith('/canary') && value !== 'false',
  );
  if (isCanary) return undefined;
  const settings = { ...defaultSettings(), useRegex: seemsRegex(object), closed: CLOSED_BY_FAULT };
  try {
    return readIngress(object, () => ({ settings, findings: [] })).ingress;
  } catch {
    // Nothing is known of its paths: each of its hosts is closed where no other Ingress has one.
    const names = new Set(object.rules.map(({ host }) => readHost(host)).filter((name) => name !== undefined));
    if (object.defaultBackend !== undefined) names.add(ANY_HOST);
    return {
      key: headKey(object),
      object: { ...object, rules: [], defaultBackend: object.defaultBackend ?? {} },
      settings,
      hosts: [...names].map((hostname) => ({ hostname, fields: [], paths: [] })),
    };
  }
}

/** Closed paths must take the requests that they would take if the annotations could be read. */
function seemsRegex({ annotations }: IngressObject): boolean {
  return Object.entries(annotations).some(
    ([key, value]) =>
      (key.endsWith('/rewrite-target') && value.trim() !== '') ||
      (key.endsWith('/use-regex') && /^\s*(?:1|t)/iu.test(value)),
  );
}

export function faultyHost(hostname: string, ingresses: readonly ServedIngress[]): VirtualHost | undefined {
  const origins = ingresses.map(({ object }) => originOf(object, 'spec'));
  const [origin] = origins;
  if (origin === undefined) return undefined;
  return {
    scope: INGRESS_SCOPE,
    hostname,
    routes: [
      {
        id: `${hostname} fault`,
        match: { path: { kind: 'text-prefix', value: '/' } },
        filters: [],
        action: { kind: 'respond', status: 503, reason: 'weir failed at this host' },
        origin,
      },
    ],
    origins,
  };
}
