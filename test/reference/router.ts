import { annotation, isOn } from './annotation.ts';
import type { Answer } from './answer.ts';
import { byAge } from './by-age.ts';
import { chooseBackend } from './choose-backend.ts';
import { ANY_HOST, hostRoutes } from './host-routes.ts';
import type { IngressManifest, Manifest } from './manifest.ts';
import { type MatchedRoute, matchPath } from './match-path.ts';
import { encodePath } from './normalise-path.ts';
import type { RequestText } from './request-text.ts';
import { type RequestTarget, readTarget } from './request-target.ts';

/** Where weir listens. */
export interface Ports {
  readonly http: number;
  readonly https: number;
}

/**
 * What becomes of a request over plain HTTP, by the text of the Ingress API, the documented annotations of ingress-nginx
 * and the documented way in which nginx reads a request. It keeps no index and nothing from one request to the next:
 * to be read and compared with those texts, not to be quick. Where they are silent it says what weir's documentation says.
 */
export function routeRequest(manifests: readonly Manifest[], request: RequestText, ports: Ports): Answer {
  const target = readTarget(request);
  if (typeof target === 'number') return { kind: 'status', status: target };
  const served = byAge(manifests.filter(isServed));
  // The first host that has rules is the whole answer: what it doesn't match is not looked for elsewhere.
  const found = hostsToAsk(target.host)
    .map((name) => hostRoutes(served, name))
    .find((routes) => routes !== undefined);
  const matched = found && matchPath(found, target.path);
  if (found === undefined || matched === undefined) return { kind: 'status', status: 404 };
  const { ingress } = matched.route;
  const closed = isClosed(ingress);
  const elsewhere = closed ? undefined : movedTo(matched, target);
  if (elsewhere !== undefined) return elsewhere;
  if (isOn(ingress, 'force-ssl-redirect') || (found.tls && annotation(ingress, 'ssl-redirect') !== 'false')) {
    return { kind: 'redirect', status: 308, location: `https://${target.host}:${ports.https}${target.raw}` };
  }
  const endpoints = closed ? [] : chooseBackend(manifests, matched.route, request);
  if (endpoints.length === 0) return { kind: 'status', status: 503 };
  return {
    kind: 'proxied',
    endpoints,
    method: request.method,
    uri: uriForBackend(matched, target),
    // RFC 9112 section 3.3: where a request names no host, it is for where it was sent to.
    host: annotation(ingress, 'upstream-vhost') ?? target.authority ?? `127.0.0.1:${ports.http}`,
  };
}

function isServed(manifest: Manifest): manifest is IngressManifest {
  return manifest.kind === 'Ingress' && (manifest.spec.ingressClassName ?? 'weir') === 'weir';
}

/** The name itself, then the wildcard that stands for its first label, then the rules without a host. */
function hostsToAsk(name: string): readonly string[] {
  const dot = name.indexOf('.');
  const wildcard = dot > 0 ? [`*${name.slice(dot)}`] : [];
  return [name, ...wildcard, ANY_HOST];
}

/** An access restriction that isn't supported, or a rewrite that can't be done, closes its routes. */
function isClosed(ingress: IngressManifest): boolean {
  const target = annotation(ingress, 'rewrite-target') ?? '';
  return annotation(ingress, 'auth-url') !== undefined || /\$(?![0-9])/.test(target);
}

/** Where the Ingress sends its visitors before anything else; where it names no host, to that of the request. */
function movedTo(
  { route: { ingress }, slashMissing }: MatchedRoute,
  { path, query }: RequestTarget,
): Answer | undefined {
  if (slashMissing === true)
    return { kind: 'redirect', status: 301, location: withQuery(encodePath(`${path}/`), query) };
  const temporal = annotation(ingress, 'temporal-redirect');
  if (temporal !== undefined) return { kind: 'redirect', status: 302, location: temporal };
  const permanent = annotation(ingress, 'permanent-redirect');
  if (permanent !== undefined) return { kind: 'redirect', status: 301, location: permanent };
  return undefined;
}

/** As the client wrote it, or rewritten. */
function uriForBackend({ route, groups }: MatchedRoute, { raw, query }: RequestTarget): string {
  const target = annotation(route.ingress, 'rewrite-target');
  if (target === undefined || groups === undefined || target === route.match?.path) return raw;
  return withQuery(
    encodePath(target.replace(/\$([1-9])/g, (_, number: string) => groups[Number(number)] ?? '')),
    query,
  );
}

function withQuery(path: string, query: string | undefined): string {
  return query === undefined || query === '' ? path : `${path}?${query}`;
}
