import type { HostRecord } from '../wire';
import { buildPathIndex, type PathIndex } from './path-index';
import { compileRoute, type Route } from './route';

/** A host, ready for requests; or one whose record could not be used, which answers 503. */
export interface Host {
  readonly broken?: boolean;
  readonly policy?: string;
  readonly index?: PathIndex;
}

export function compileHost(record: HostRecord): Host {
  const routes: Route[] = [];
  for (const route of record.routes) {
    routes.push(compileRoute(route, routes.length));
  }
  return { policy: record.policy, index: buildPathIndex(routes) } as Host;
}
