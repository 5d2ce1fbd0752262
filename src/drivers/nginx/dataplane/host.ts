import type { HostRecord } from '../wire';
import { compileClientRule, type ClientRule } from './client-rule';
import { namesUnknownProfile } from './draining-hosts';
import { buildPathIndex, type PathIndex } from './path-index';
import { compileRoute, type Route } from './route';

/** A host, ready for requests; or one whose record could not be used, which answers 503. */
export interface Host {
  readonly broken?: boolean;
  readonly policy?: string;
  readonly rule?: ClientRule;
  readonly index?: PathIndex;
  /** Its record names profiles that only a later configuration has; those routes answer 503 here. */
  readonly ahead?: boolean;
}

const NOT_HERE = { status: 503, reason: 'This worker is being replaced and does not know how to reach the service.' };

export function compileHost(record: HostRecord): Host {
  const routes: Route[] = [];
  let ahead = false;
  for (const route of record.routes) {
    if (namesUnknownProfile(route)) {
      ahead = true;
      route.respond = NOT_HERE;
    }
    routes.push(compileRoute(route, routes.length));
  }
  const { policy, clientCertificate } = record;
  const rule = clientCertificate === undefined ? undefined : compileClientRule(clientCertificate);
  return { policy, rule, index: buildPathIndex(routes), ahead } as Host;
}
