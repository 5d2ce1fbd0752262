import { sessionEndpoint, type Backend } from './backend';
import { findBackend } from './backend-cache';
import { judgeBody } from './body-limit';
import { catchUp, hasMoved } from './change-log';
import { cookieValue } from './cookie';
import { hashKeyText } from './hash-key';
import { findHost } from './host-cache';
import type { Host } from './host';
import { answerHere, refuse } from './local-answer';
import { matchRoute } from './match-route';
import { changeRequest } from './request-changes';
import { openRecord } from './request-record';
import type { Route } from './route';
import { findServerName } from './server-name-cache';
import { chooseBackend } from './split';

/** Whether the connection's TLS name is held to another TLS policy than the host that is asked for. */
function isMisdirected(scope: string, host: Host): boolean {
  if (host.policy === undefined) {
    return false;
  }
  return findServerName(scope, ngx.var.ssl_server_name).policy !== host.policy;
}

function capturesOf(route: Route, path: string): RegexCaptures | undefined {
  if (!route.needsCaptures) {
    return undefined;
  }
  const [captures] = ngx.re.match(path, route.path.value, route.patternOptions);
  return captures;
}

/** Sends the request on its way: it stays in `location /`, or goes to the named location that its route needs. */
function forward(
  route: Route,
  scheme: string,
  path: string,
  captures: RegexCaptures | undefined,
  backend: Backend,
  session: string | undefined,
  canary: string | undefined,
): void {
  const body = judgeBody(route);
  if (body === 'too large') {
    refuse(413, scheme, route, undefined);
    return;
  }
  const { boundedProfile, profile } = route.record;
  if (body === 'unknown' && boundedProfile === undefined) {
    refuse(411, scheme, route, undefined);
    return;
  }
  const record = openRecord(route, scheme, backend);
  if (canary !== undefined) {
    record.origin = canary;
  }
  if (session !== undefined) {
    record.session = sessionEndpoint(backend, session);
  }
  if (backend.balance === 'hash') {
    record.hash = ngx.crc32_long(hashKeyText(backend.hashKey));
  }
  if (route.changesRequest) {
    changeRequest(route, path, captures);
  }
  if (body === 'unknown' && boundedProfile !== undefined) {
    ngx.exec(boundedProfile);
  } else if (profile !== undefined) {
    ngx.exec(profile);
  }
}

/** Follows one route as far as it leads; false: its backend is unknown. */
function follow(route: Route, scheme: string, hostName: string, path: string): boolean {
  let captures: RegexCaptures | undefined;
  if (route.needsCaptures) {
    captures = capturesOf(route, path);
  }
  if (route.filtered && answerHere(route, scheme, hostName, path, captures)) {
    return true;
  }
  const { affinity } = route.record;
  const session = affinity === undefined ? undefined : cookieValue(affinity.name);
  const { split } = route;
  let backend: Backend | undefined;
  let canary: string | undefined;
  if (split.single !== undefined) {
    backend = findBackend(split.single);
  } else {
    const choice = chooseBackend(split, session);
    backend = choice.backend;
    canary = choice.origin;
  }
  if (backend === undefined) {
    return false;
  }
  if (backend.size === 0) {
    refuse(503, scheme, route, 'No endpoint of the service is available.');
  } else {
    forward(route, scheme, path, captures, backend, session, canary);
  }
  return true;
}

/**
 * The rewrite phase of every request of a listener. `schemeVariable` names the variable that holds the client's scheme
 * as a trusted proxy tells it, where the listener has trusted proxies.
 */
export function routeRequest(scope: string, listenerScheme: string, schemeVariable?: string): void {
  const hostName = ngx.var.host ?? '';
  const path = ngx.var.uri ?? '';
  const scheme = schemeVariable === undefined ? listenerScheme : (ngx.var[schemeVariable] ?? listenerScheme);
  requireSameHost(hostName);
  while (true) {
    catchUp();
    const host = findHost(scope, hostName);
    if (host === undefined) {
      refuse(404, scheme, undefined, 'No route is known for this host.');
      return;
    }
    if (host.index === undefined) {
      refuse(503, scheme, undefined, 'The configuration of this host can not be used.');
      return;
    }
    if (listenerScheme === 'https' && isMisdirected(scope, host)) {
      refuse(421, scheme, undefined, undefined);
      return;
    }
    const route = matchRoute(host.index, path);
    if (route === undefined) {
      refuse(404, scheme, undefined, 'No route of this host matches the path.');
      return;
    }
    if (follow(route, scheme, hostName, path)) {
      return;
    }
    // The backend went while its host was being looked at: what replaced them is there now.
    if (!hasMoved()) {
      refuse(503, scheme, route, 'The service behind this address is not known.');
      return;
    }
  }
}

/**
 * A request line with a whole URL names the host, whatever the Host header says (RFC 9112, 3.2.2); the backend must
 * not be told another.
 */
function requireSameHost(hostName: string): void {
  const header = ngx.var.http_host;
  if (header === undefined || header === hostName) {
    return;
  }
  const [withoutPort] = string.gsub(string.lower(header), ':%d*$', '');
  const [name] = string.gsub(withoutPort, '%.$', '');
  if (name !== hostName) {
    ngx.var.weir_authority = hostName;
  }
}
