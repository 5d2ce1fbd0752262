import * as cjson from 'cjson.safe';
import type { AuthRecord } from '../wire';
import { answerRedirect } from './answer';
import { askService } from './ask-service';
import { forgetOutcome, keepOutcome } from './auth-outcome';
import { recallVerdict, rememberVerdict, requireCache } from './auth-cache';
import { buildAuthRequest } from './auth-request';
import { count } from './counters';
import { refuse } from './local-answer';
import { createRareLine, timesToTell } from './rare-line';
import { openRecord } from './request-record';
import { requestUrl, requireVariables } from './request-text';
import type { Route } from './route';
import { isLine } from './service-headers';
import type { ServiceAnswer } from './service-exchange';

/** The question that decides whether a request of a route goes on. */
export interface ExternalAuth {
  readonly record: AuthRecord;
  /** Lower-case names of the client's headers that the service gets; undefined: all. */
  readonly wanted: LuaSet<string> | undefined;
  /** Tells its kept answers from those to other questions. */
  readonly identity: string;
}

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const UNAVAILABLE = 503;
const FOUND = 302;
/** Milliseconds; where the route has no time-outs of its own. */
const DEFAULT_TIMEOUTS = [5000, 60_000, 60_000] as const;

/** Raises an error for a record that can't be asked by: its host is then closed. */
export function compileAuth(record: AuthRecord, origin: string): ExternalAuth {
  const method = record.method ?? 'GET';
  if (string.byte(record.path) !== 47 || string.find(record.path, '[%c%s]')[0] !== undefined) {
    error('the path of an auth service does not begin with a slash or has a space', 0);
  }
  if (string.match(method, '^%u+$')[0] === undefined) {
    error('the method of an auth service is not in capitals', 0);
  }
  for (const [name, value] of record.setHeaders ?? []) {
    if (string.match(name, "^[%w!#$%%&'*+.^_`|~-]+$")[0] === undefined) {
      error('a header of the request to an auth service has no name', 0);
    }
    requireVariables(value);
  }
  if (record.host !== undefined && !isLine(record.host)) {
    error('the host of an auth service has more than one line', 0);
  }
  requireVariables(record.path);
  requireVariables(record.requestRedirect ?? '');
  requireVariables(record.signIn === undefined ? '' : record.signIn.url);
  requireCache(record.cache);
  let wanted: LuaSet<string> | undefined;
  if (record.forwardHeaders !== undefined) {
    wanted = new LuaSet();
    for (const name of record.forwardHeaders) {
      wanted.add(string.lower(name));
    }
  }
  return { record, wanted, identity: origin + '\n' + ngx.md5(cjson.encode(questionOf(record))) };
}

/** Everything that the answer may depend on besides the request; a list, because only lists are always written alike. */
function questionOf(record: AuthRecord): unknown {
  return [
    record.backend,
    record.path,
    record.host ?? false,
    record.method ?? false,
    record.requestRedirect ?? false,
    record.forwardHeaders ?? false,
    record.setHeaders ?? false,
    record.responseHeaders ?? false,
  ];
}

function timeoutsOf({ timeouts }: Route): readonly [number, number, number] {
  return timeouts === undefined ? DEFAULT_TIMEOUTS : [timeouts[0] * 1000, timeouts[1] * 1000, timeouts[2] * 1000];
}

/** What the backend is told by the service takes the place of what a client may have sent under these names. */
function passHeaders(record: AuthRecord, answer: ServiceAnswer): void {
  for (const name of record.responseHeaders ?? []) {
    const values = answer.headers.get(string.lower(name));
    if (values === undefined) {
      ngx.req.clear_header(name);
    } else {
      ngx.req.set_header(name, values);
    }
  }
}

function signInUrl(signIn: NonNullable<AuthRecord['signIn']>, scheme: string): string {
  const url = requestUrl(signIn.url, scheme);
  const marked = string.find(url, '?', 1, true)[0] !== undefined;
  // Whoever wrote the parameter into the URL knows better where people are to come back to.
  const parameter = signIn.parameter + '=';
  if (
    string.find(url, '?' + parameter, 1, true)[0] !== undefined ||
    string.find(url, '&' + parameter, 1, true)[0] !== undefined
  ) {
    return url;
  }
  const wanted = scheme + '://' + (ngx.var.weir_client_host ?? '') + (ngx.var.request_uri ?? '/');
  return url + (marked ? '&' : '?') + ngx.escape_uri(signIn.parameter) + '=' + ngx.escape_uri(wanted);
}

function refuseBy(route: Route, auth: ExternalAuth, scheme: string, answer: ServiceAnswer): void {
  const { status } = answer;
  const { signIn, alwaysSetCookie } = auth.record;
  const cookies = answer.headers.get('set-cookie');
  if (status === UNAUTHORIZED) {
    const challenges = signIn === undefined ? answer.headers.get('www-authenticate') : undefined;
    if (cookies !== undefined || challenges !== undefined) {
      keepOutcome({ cookies, challenges, always: true });
    }
    if (signIn === undefined) {
      refuse(UNAUTHORIZED, scheme, route, 'The external auth service knows no user.');
      return;
    }
    openRecord(route, scheme, undefined).reason = 'The external auth service knows no user: sent to sign in.';
    answerRedirect(FOUND, signInUrl(signIn, scheme));
    return;
  }
  if (status === FORBIDDEN) {
    if (cookies !== undefined && alwaysSetCookie === true) {
      keepOutcome({ cookies, challenges: undefined, always: true });
    }
    refuse(FORBIDDEN, scheme, route, 'The external auth service forbids it.');
    return;
  }
  count('authUndecided');
  refuse(UNAVAILABLE, scheme, route, 'The external auth service answered ' + string.format('%d', status) + '.');
}

const silences = createRareLine();

/** Each such request has its reason in the access log, and a service that is dead has many. */
function noteSilence(backend: string, origin: string, problem: string): void {
  const times = timesToTell(silences);
  if (times !== undefined) {
    const more = times > 1 ? ` (and ${times - 1} times more of this kind)` : '';
    ngx.log(ngx.ERR, 'weir: the external auth service ', backend, ' of ', origin, ': ', problem, more);
  }
}

/**
 * Asks the auth service of a route, in the rewrite phase; the request's body is not touched. True: the request goes on,
 * with the headers that the service gave. False: it has been answered. Whatever is neither yes, 401 nor 403 is no.
 */
export function authorise(route: Route, auth: ExternalAuth, scheme: string): boolean {
  // Opened before: a client may go while the service is asked.
  openRecord(route, scheme, undefined);
  forgetOutcome();
  const { record } = auth;
  let answer = recallVerdict(auth, scheme);
  if (answer === undefined) {
    const request = buildAuthRequest(record, auth.wanted, scheme, timeoutsOf(route));
    const [given, problem] = askService(record.backend, request, true);
    if (given === undefined) {
      noteSilence(record.backend, route.origin, problem);
      count('authUndecided');
      refuse(UNAVAILABLE, scheme, route, 'The external auth service did not decide: ' + problem + '.');
      return false;
    }
    answer = given;
    rememberVerdict(auth, scheme, answer);
  }
  if (answer.status < 200 || answer.status > 299) {
    refuseBy(route, auth, scheme, answer);
    return false;
  }
  passHeaders(record, answer);
  const cookies = answer.headers.get('set-cookie');
  if (cookies !== undefined) {
    keepOutcome({ cookies, challenges: undefined, always: record.alwaysSetCookie === true });
  }
  return true;
}
