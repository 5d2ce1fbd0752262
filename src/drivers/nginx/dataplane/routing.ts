import { CLOSING_LOCATION } from '../wire';
import { sessionEndpoint, type Backend } from './backend';
import { areBackendsSpread, findBackend } from './backend-cache';
import { judgeBody } from './body-limit';
import { catchUp, hasMoved } from './change-log';
import { admitClient, isGuarded } from './client-access';
import { cookieValue } from './cookie';
import { authorise, type ExternalAuth } from './external-auth';
import { hashKeyText } from './hash-key';
import { findHost } from './host-cache';
import { endAfterNextStream } from './last-stream';
import { answerHere, refuse } from './local-answer';
import { isLameDuck } from './lame-duck';
import { matchRoute } from './match-route';
import { changeRequest } from './request-changes';
import { currentRecord, openRecord, type RequestRecord, takeLatestRecord } from './request-record';
import type { Route } from './route';
import { chooseBackend } from './split';
import { readVariable, writeVariable } from './variable';

function capturesOf(route: Route, path: string): RegexCaptures | undefined {
  if (!route.needsCaptures) {
    return undefined;
  }
  const [captures] = ngx.re.match(path, route.path.value, route.patternOptions);
  return captures;
}

/** Sets the request on its way: it stays in `location /`, or goes to the named location that its route needs. */
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
    record.location = boundedProfile;
  } else {
    record.location = profile;
  }
}

/** The auth service is asked in the rewrite phase, which can wait; what it says decides how the request leaves that. */
function forwardIfAllowed(
  route: Route,
  auth: ExternalAuth,
  scheme: string,
  path: string,
  captures: RegexCaptures | undefined,
  backend: Backend,
  session: string | undefined,
  canary: string | undefined,
): void {
  openRecord(route, scheme, undefined).answer = () => {
    if (authorise(route, auth, scheme)) {
      forward(route, scheme, path, captures, backend, session, canary);
      ngx.var.weir_origin = canary ?? route.origin;
    }
    leave();
  };
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
  } else if (route.auth !== undefined) {
    forwardIfAllowed(route, route.auth, scheme, path, captures, backend, session, canary);
  } else {
    forward(route, scheme, path, captures, backend, session, canary);
  }
  return true;
}

/**
 * What every request of a listener begins with; gives the origin of its route. `schemeVariable` names the variable that
 * holds the client's scheme as a trusted proxy tells it, where the listener has trusted proxies. `listener`: the name of
 * one with TLS. Runs where nginx sets variables, which costs a fifth of a rewrite phase with its coroutine; what can't be
 * done there, answering and going to another location, is noted in the request's record for `leave`.
 */
export function routeRequest(
  scope: string,
  listenerScheme: string,
  schemeVariable?: string,
  listener?: string,
): string {
  decide(scope, listenerScheme, schemeVariable, listener);
  const record = takeLatestRecord();
  if (record === undefined) {
    error('a request was routed nowhere', 0);
  }
  if (isLameDuck()) {
    endConnection(record);
  }
  if (record.closes || record.location !== undefined || record.answer !== undefined) {
    writeVariable('weir_leaves', '1');
  } else if (record.backend !== undefined && areBackendsSpread()) {
    writeVariable('weir_group', record.backend.group);
  }
  return record.origin;
}

/** HTTP/1.1 says `Connection: close` with this answer; HTTP/2 has GOAWAY, which nginx sends with the next. */
function endConnection(record: RequestRecord): void {
  if ((ngx.req.http_version() ?? 1) >= 2) {
    endAfterNextStream();
  } else {
    record.closes = true;
  }
}

/** To a location that several TLS identities share. */
function tellIdentity(route: Route | undefined): void {
  const identity = route === undefined ? undefined : route.record.identity;
  if (identity !== undefined) {
    writeVariable('weir_identity', identity[0]);
    writeVariable('weir_tls_name', identity[1]);
  }
}

/**
 * To where nginx decides that the connection ends with this answer, and on from there like any other request: nginx goes
 * by each location that a request comes through, and never takes it back.
 */
function leaveForGood(record: RequestRecord): void {
  record.closes = false;
  if (record.backend !== undefined && record.location === undefined && record.answer === undefined) {
    if (areBackendsSpread()) {
      writeVariable('weir_group', record.backend.group);
    }
  }
  ngx.exec(CLOSING_LOCATION);
}

/** The rewrite phase of those that don't stay. */
export function leave(): void {
  const record = currentRecord();
  if (record === undefined) {
    return;
  }
  if (record.closes) {
    leaveForGood(record);
    return;
  }
  if (record.answer !== undefined) {
    record.answer();
  } else if (record.location !== undefined) {
    tellIdentity(record.route);
    ngx.exec(record.location);
  }
}

function decide(
  scope: string,
  listenerScheme: string,
  schemeVariable: string | undefined,
  listener: string | undefined,
): void {
  const hostName = readVariable('host') ?? '';
  const path = readVariable('uri') ?? '';
  const scheme = schemeVariable === undefined ? listenerScheme : (readVariable(schemeVariable) ?? listenerScheme);
  requireSameHost(hostName);
  while (!tryToRoute(scope, scheme, hostName, path, listener)) {
    // The backend went while its host was being looked at: what replaced them is there now.
  }
}

/** False: something was applied meanwhile. */
function tryToRoute(
  scope: string,
  scheme: string,
  hostName: string,
  path: string,
  listener: string | undefined,
): boolean {
  catchUp();
  const host = findHost(scope, hostName);
  if (host === undefined) {
    refuse(404, scheme, undefined, 'No route is known for this host.');
    return true;
  }
  if (host.index === undefined) {
    refuse(503, scheme, undefined, 'The configuration of this host can not be used.');
    return true;
  }
  if (isGuarded(host, listener) && !admitClient(scope, listener, scheme, hostName, path, host)) {
    return true;
  }
  const route = matchRoute(host.index, path);
  if (route === undefined) {
    refuse(404, scheme, undefined, 'No route of this host matches the path.');
    return true;
  }
  if (follow(route, scheme, hostName, path)) {
    return true;
  }
  if (hasMoved()) {
    return false;
  }
  refuse(503, scheme, route, 'The service behind this address is not known.');
  return true;
}

/**
 * A request line with a whole URL names the host, whatever the Host header says (RFC 9112, 3.2.2); the backend must
 * not be told another. A request of HTTP/1.0 may name none: then it is for the address that it was sent to (3.3), and
 * the backend, which is spoken to by HTTP/1.1, is told that one.
 */
function requireSameHost(hostName: string): void {
  const header = readVariable('http_host');
  if (header === hostName && header !== '') {
    return;
  }
  if (header === undefined || header === '') {
    ngx.var.weir_authority = authorityOfUrl() ?? ownAddress();
    return;
  }
  const [withoutPort] = string.gsub(string.lower(header), ':%d*$', '');
  const [name] = string.gsub(withoutPort, '%.$', '');
  if (name !== hostName) {
    ngx.var.weir_authority = authorityOfUrl() ?? hostName;
  }
}

/** Host and port in a request line with a whole URL, as the client wrote them. */
function authorityOfUrl(): string | undefined {
  const [authority] = string.match(readVariable('request') ?? '', '^%S+ %a[%w+.-]*://([^/?# ]+)');
  return authority;
}

function ownAddress(): string {
  const address = readVariable('server_addr') ?? '';
  const host = string.find(address, ':', 1, true)[0] === undefined ? address : `[${address}]`;
  return `${host}:${readVariable('server_port') ?? ''}`;
}
