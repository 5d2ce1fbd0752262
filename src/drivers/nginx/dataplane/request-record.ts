import * as ffi from 'ffi';
import * as base from 'resty.core.base';
import type { Backend } from './backend';
import type { Endpoint } from './endpoint';
import type { Route } from './route';

/**
 * What is known of a request from routing to the log. `ngx.ctx` does not survive `ngx.exec` or an error page; the
 * address of nginx's request structure does, and reading it costs nothing. A subrequest has an address of its own.
 */
export interface RequestRecord {
  readonly route: Route | undefined;
  /** For the access log. */
  origin: string;
  /** Of the client, as far as it can be trusted: `http` or `https`. */
  readonly scheme: string;
  backend: Backend | undefined;
  /** That serves the current try. */
  endpoint: Endpoint | undefined;
  /** Those that failed in this request. */
  tried: Endpoint[] | undefined;
  tries: number;
  /** Whether the last try ended by a time-out and no other has begun. */
  timedOut: boolean;
  /** Hash of the key for consistent hashing. */
  hash: number;
  /** Session's endpoint, until it fails. */
  session: Endpoint | undefined;
  /** Whether the answer is to carry a new session cookie. */
  setsCookie: boolean;
  /** Why weir answers itself, for the access log; never shown to the client. */
  reason: string | undefined;
}

const ADDRESS = ffi.typeof('uintptr_t');
const records = new LuaTable<number, RequestRecord>();

function address(): number {
  return tonumber(ffi.cast(ADDRESS, base.get_request()))!;
}

export function openRecord(route: Route | undefined, scheme: string, backend: Backend | undefined): RequestRecord {
  const record: RequestRecord = {
    route,
    origin: route === undefined ? '' : route.origin,
    scheme,
    backend,
    endpoint: undefined,
    tried: undefined,
    tries: 0,
    timedOut: false,
    hash: 0,
    session: undefined,
    setsCookie: false,
    reason: undefined,
  };
  records.set(address(), record);
  return record;
}

export function currentRecord(): RequestRecord | undefined {
  return records.get(address());
}

/** In the log phase, which every request reaches. */
export function closeRecord(): RequestRecord | undefined {
  const key = address();
  const record = records.get(key);
  if (record !== undefined) {
    records.delete(key);
  }
  return record;
}
