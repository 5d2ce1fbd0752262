import type { Filter } from '../model/filter.ts';
import type { Covered } from './match-route.ts';
import type { RequestTarget } from './request-target.ts';
import { escapePath, fillTemplate, rewritePath } from './rewritten-path.ts';

export interface Redirection {
  readonly status: number;
  readonly location: string;
}

/** Where this filter sends the request; undefined: it lets it pass. `path` is the normalised one. */
export function redirectLocation(
  filter: Filter,
  target: RequestTarget,
  path: string,
  covered: Covered,
): Redirection | undefined {
  if (filter.type === 'https-redirect') {
    if (target.scheme === 'https') return undefined;
    const strip = filter.stripTrailingSlash === true && target.rawPath.length > 1;
    const rawPath = strip ? target.rawPath.replace(/\/$/, '') : target.rawPath;
    return {
      status: filter.status,
      location: `https://${withPort(target.host, 'https', filter.port)}${withQuery(rawPath, target.query)}`,
    };
  }
  if (filter.type !== 'redirect' || (filter.onlyPath !== undefined && filter.onlyPath !== path)) return undefined;
  if (filter.url !== undefined) {
    const url = fillTemplate(filter.url, covered, escapePath);
    const query =
      filter.keepQuery === true && target.query !== '' ? `${url.includes('?') ? '&' : '?'}${target.query}` : '';
    return { status: filter.status, location: url + query };
  }
  const base = filter.relative === true ? '' : origin(filter, target);
  if (filter.path === undefined)
    return { status: filter.status, location: base + withQuery(target.rawPath, target.query) };
  // A redirect of one path only (app-root) goes to another page, which has nothing to do with this one's query.
  const own = filter.onlyPath === undefined ? target.query : '';
  const rewritten = rewritePath(filter.path, path, own, covered, escapePath);
  return { status: filter.status, location: base + withQuery(rewritten.path, rewritten.query) };
}

/** Scheme, host and port; what the filter leaves open is as the client sees the listener. */
function origin(filter: Extract<Filter, { type: 'redirect' }>, target: RequestTarget): string {
  const scheme = filter.scheme ?? target.scheme;
  const unchanged = filter.scheme === undefined && filter.hostname === undefined && filter.port === undefined;
  if (unchanged && filter.alwaysPort !== true) return `${scheme}://${target.authority}`;
  const port = filter.port ?? (filter.scheme === undefined ? target.port : undefined);
  const host = filter.hostname ?? target.host;
  return `${scheme}://${filter.alwaysPort === true && port !== undefined ? `${host}:${port}` : withPort(host, scheme, port)}`;
}

function withPort(host: string, scheme: string, port: number | undefined): string {
  const bracketed = host.includes(':') ? `[${host}]` : host;
  const wellKnown = scheme === 'https' ? 443 : 80;
  return port === undefined || port === wellKnown ? bracketed : `${bracketed}:${port}`;
}

export function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}
