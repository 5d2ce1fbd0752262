import type { RouteRecord } from '../wire.ts';

/** A route that takes the same requests and answers 503. */
export function closeRoute(route: RouteRecord, reason: string): RouteRecord {
  const { origin, path, method, headers, query } = route;
  return {
    origin,
    path,
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(query === undefined ? {} : { query }),
    respond: { status: 503, reason },
  };
}
