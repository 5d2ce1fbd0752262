import type { PathRecord, RouteRecord } from '../wire';
import { compileConditions, type Condition } from './condition';
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
  /** Seconds to connect, send and read; never 0, which the API refuses. */
  readonly timeouts: readonly [number, number, number] | undefined;
  readonly tries: number;
  readonly bodyLimit: number | undefined;
}

const DEFAULT_TRIES = 3;
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
    timeouts: timeouts === undefined ? undefined : [seconds(timeouts[0]), seconds(timeouts[1]), seconds(timeouts[2])],
    tries: record.tries ?? DEFAULT_TRIES,
    bodyLimit: record.bodyLimit,
  };
}
