/** What an Ingress asks of services besides its backends: whether a request may pass, and to take copies. */
import type { Filter } from '../../model/filter.ts';
import type { BackendResolver } from './backend-resolver.ts';
import type { ServedIngress } from './served-ingress.ts';

export interface ServiceFilters {
  readonly filters: readonly Filter[];
  /** For people: why nobody can be asked whether requests may pass, so that no route of the Ingress is served. */
  readonly refused?: string;
}

/** Reports at the annotations what can't be reached. A mirror that isn't there is left out. */
export function buildServiceFilters(ingress: ServedIngress, resolver: BackendResolver): ServiceFilters {
  const { externalAuth, mirror } = ingress.settings;
  const filters: Filter[] = [];
  if (externalAuth !== undefined) {
    const { url, field, auth } = externalAuth;
    const resolved = resolver.resolveUrl(ingress, url, field, 'the routes answer 503');
    if ('reason' in resolved)
      return { filters: [], refused: `The external auth service can not be asked: ${resolved.reason}` };
    const asked = { backend: resolved.id, path: url.path ?? '/', host: url.host, ...auth };
    filters.push({ type: 'external-auth', auth: asked });
  }
  if (mirror !== undefined) {
    const resolved = resolver.resolveUrl(ingress, mirror.url, mirror.field, 'no copies are sent');
    if ('id' in resolved) filters.push({ ...mirror.mirror, backend: resolved.id });
  }
  return { filters };
}
