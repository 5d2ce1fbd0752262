/** Which parts a part names: for validation, for deletes that must wait, and for who is touched by a change. */
import type { Backend } from './backend.ts';
import type { Filter } from './filter.ts';
import type { L4Route } from './l4-route.ts';
import type { Listener } from './listener.ts';
import type { Route, WeightedBackend } from './route.ts';
import type { VirtualHost } from './virtual-host.ts';

/** The id that a part names, and where in the part: `routes[0].action.backends[1].backend`. */
export interface Reference {
  readonly path: string;
  readonly id: string;
}

/** Every backend that requests to this host may reach: forwards, canaries, fallbacks, mirrors, auth services, error pages. */
export function hostBackends(host: VirtualHost): readonly Reference[] {
  return host.routes.flatMap((route, index) => routeBackends(route, `routes[${index}]`));
}

export function routeBackends(route: Route, at = ''): readonly Reference[] {
  const within = at === '' ? '' : `${at}.`;
  const references = [...filterBackends(route.filters, `${within}filters`)];
  if (route.action.kind !== 'forward') return references;
  const { backends, canaries, fallback } = route.action;
  references.push(...weightedBackends(backends, `${within}action.backends`));
  for (const [index, canary] of (canaries ?? []).entries()) {
    references.push({ path: `${within}action.canaries[${index}].backend`, id: canary.backend });
  }
  if (fallback !== undefined) references.push({ path: `${within}action.fallback`, id: fallback });
  return references;
}

export function l4Backends(route: L4Route): readonly Reference[] {
  return weightedBackends(route.backends, 'backends');
}

export function hostCertificates(host: VirtualHost): readonly Reference[] {
  return list(host.tls?.certificates, 'tls.certificates');
}

export function listenerCertificates(listener: Listener): readonly Reference[] {
  return list(listener.defaultCertificates, 'defaultCertificates');
}

export function l4Certificates(route: L4Route): readonly Reference[] {
  return list(route.certificates, 'certificates');
}

export function backendCertificates(backend: Backend): readonly Reference[] {
  const id = backend.tls?.clientCertificate;
  return id === undefined ? [] : [{ path: 'tls.clientCertificate', id }];
}

function list(ids: readonly string[] | undefined, at: string): readonly Reference[] {
  return (ids ?? []).map((id, index) => ({ path: `${at}[${index}]`, id }));
}

function weightedBackends(backends: readonly WeightedBackend[], at: string): readonly Reference[] {
  return backends.flatMap((weighted, index) => [
    { path: `${at}[${index}].backend`, id: weighted.backend },
    ...filterBackends(weighted.filters ?? [], `${at}[${index}].filters`),
  ]);
}

function filterBackends(filters: readonly Filter[], at: string): readonly Reference[] {
  return filters.flatMap((filter, index) => {
    switch (filter.type) {
      case 'mirror':
      case 'error-pages':
        return [{ path: `${at}[${index}].backend`, id: filter.backend }];
      case 'external-auth':
        return [{ path: `${at}[${index}].auth.backend`, id: filter.auth.backend }];
      default:
        return [];
    }
  });
}
