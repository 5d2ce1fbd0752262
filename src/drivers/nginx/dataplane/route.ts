import type { PathRecord, RouteRecord } from '../wire';
import { compileConditions, type Condition } from './condition';
import { compileAuth, type ExternalAuth } from './external-auth';
import { compileMirrors, type Mirror } from './mirror';
import { compilePathRewrite, rewritesWithCaptures, type PathRewrite } from './path-rewrite';
import { compileRedirect, redirectsWithCaptures, type Redirect } from './redirect';
import { pathOptions, requirePattern } from './regex';
import { compileSplit, type Split } from './split';

/** A route, ready to be matched and followed. What is undefined costs a request nothing. */
export interface Route {
  readonly record: RouteRecord;
  readonly origin: string;
  /** Place in the host's list. */
  readonly order: number;
  readonly path: PathRecord;
  readonly patternOptions: string;
  /** Length of the path that a prefix match covers. */
  readonly prefixLength: number;
  readonly conditional: boolean;
  readonly method: string | undefined;
  readonly headers: readonly Condition[] | undefined;
  readonly query: readonly Condition[] | undefined;
  readonly redirect: Redirect | undefined;
  readonly rewrite: PathRewrite | undefined;
  readonly needsCaptures: boolean;
  /** Something is to be done before the backend is chosen. */
  readonly filtered: boolean;
  /** Something is to be changed on the way to the backend. */
  readonly changesRequest: boolean;
  readonly split: Split;
  /** Asked before the request is forwarded. */
  readonly auth: ExternalAuth | undefined;
  /** Copies to send when the request is done. */
  readonly mirrors: readonly Mirror[] | undefined;
  /** Seconds to connect, send and read, where they aren't nginx.conf's; never 0, which the API refuses. */
  readonly timeouts: readonly [number, number, number] | undefined;
  readonly tries: number;
  readonly bodyLimit: number | undefined;
}

const DEFAULT_TRIES = 3;
/** Seconds: what nginx.conf says, so that the balancer need not (src/drivers/nginx/conf/proxy-defaults.ts). */
const DEFAULT_TIMEOUTS = [5, 60, 60];
/** What "no limit" becomes, in seconds: nginx has no way to say it. About 24 days, which fits 31 bits of milliseconds. */
const NO_LIMIT = 2_147_483;

function prefixLength(path: PathRecord): number {
  const { value } = path;
  if (path.kind === 'prefix' && string.byte(value, value.length) === 47) {
    return value.length - 1;
  }
  return value.length;
}

function seconds(value: number): number {
  return value > 0 ? math.min(value, NO_LIMIT) : NO_LIMIT;
}

function compileTimeouts(timeouts: readonly number[]): [number, number, number] | undefined {
  const [connect, send, read] = timeouts;
  if (connect === DEFAULT_TIMEOUTS[0] && send === DEFAULT_TIMEOUTS[1] && read === DEFAULT_TIMEOUTS[2]) {
    return undefined;
  }
  return [seconds(connect!), seconds(send!), seconds(read!)];
}

export function compileRoute(record: RouteRecord, order: number): Route {
  const { path } = record;
  const patternOptions = pathOptions(path.ignoreCase);
  if (path.kind === 'regex') {
    requirePattern(path.value, patternOptions);
  }
  const headers = compileConditions(record.headers, true);
  const query = compileConditions(record.query, false);
  const redirect = record.redirect === undefined ? undefined : compileRedirect(record.redirect);
  const rewrite = record.rewrite === undefined ? undefined : compilePathRewrite(record.rewrite);
  const { timeouts } = record;
  return {
    record,
    origin: record.origin,
    order,
    path,
    patternOptions,
    prefixLength: prefixLength(path),
    conditional: record.method !== undefined || headers !== undefined || query !== undefined,
    method: record.method,
    headers,
    query,
    redirect,
    rewrite,
    needsCaptures:
      path.kind === 'regex' &&
      ((redirect !== undefined && redirectsWithCaptures(redirect)) ||
        (rewrite !== undefined && rewritesWithCaptures(rewrite))),
    filtered: record.httpsRedirect !== undefined || redirect !== undefined || record.respond !== undefined,
    changesRequest:
      rewrite !== undefined ||
      record.host !== undefined ||
      record.forwardedPrefix !== undefined ||
      record.connection !== undefined ||
      record.requestHeaders !== undefined,
    split: compileSplit(record),
    auth: record.auth === undefined ? undefined : compileAuth(record.auth, record.origin),
    mirrors: record.mirrors === undefined ? undefined : compileMirrors(record.mirrors),
    timeouts: timeouts === undefined ? undefined : compileTimeouts(timeouts),
    tries: record.tries ?? DEFAULT_TRIES,
    bodyLimit: record.bodyLimit,
  };
}
