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
  route: Route | undefined;
  /** For the access log. */
  origin: string;
  /** Of the client, as far as it can be trusted: `http` or `https`. */
  scheme: string;
  /** The named location that serves the request; undefined: it stays where it was routed. */
  location: string | undefined;
  /** Gives the answer, where none of a backend is wanted. */
  answer: ((this: void) => void) | undefined;
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
  /** Whether it has yet to go where its answer becomes the last of its connection. */
  closes: boolean;
  /** Why weir answers itself, for the access log; never shown to the client. */
  reason: string | undefined;
  /** Whether it is because of the client's certificate, which its error page says. */
  lacksCertificate: boolean;
}

const ADDRESS = ffi.typeof('uintptr_t');
const records = new LuaTable<number, RequestRecord>();

/** Records of requests that are over, used again: making one anew for each request would cost more than all its fields. */
const spare = new LuaTable<number, RequestRecord>();
const MOST_SPARE = 1024;
let spareCount = 0;

/** The one that was opened last. */
let latest: RequestRecord | undefined;

function address(): number {
  const key = tonumber(ffi.cast(ADDRESS, base.get_request()))!;
  return key;
}

function blankRecord(): RequestRecord {
  if (spareCount > 0) {
    const record = spare.get(spareCount);
    spareCount -= 1;
    return record;
  }
  return {
    route: undefined,
    origin: '',
    scheme: '',
    location: undefined,
    answer: undefined,
    backend: undefined,
    endpoint: undefined,
    tried: undefined,
    tries: 0,
    timedOut: false,
    hash: 0,
    session: undefined,
    setsCookie: false,
    closes: false,
    reason: undefined,
    lacksCertificate: false,
  };
}

export function openRecord(route: Route | undefined, scheme: string, backend: Backend | undefined): RequestRecord {
  const record = blankRecord();
  record.route = route;
  record.origin = route === undefined ? '' : route.origin;
  record.scheme = scheme;
  record.backend = backend;
  latest = record;
  records.set(address(), record);
  return record;
}

/** What a record is found by, for what few requests have besides. */
export function requestAddress(): number {
  return address();
}

/** The record that was opened since this was last asked; of the request at hand, where nothing comes between. */
export function takeLatestRecord(): RequestRecord | undefined {
  const record = latest;
  latest = undefined;
  return record;
}

export function currentRecord(): RequestRecord | undefined {
  return records.get(address());
}

/** In the log phase, which every request reaches. Whoever takes the record gives it back with `reuseRecord`. */
export function closeRecord(): RequestRecord | undefined {
  const key = address();
  const record = records.get(key);
  if (record !== undefined) {
    records.delete(key);
  }
  return record;
}

export function reuseRecord(record: RequestRecord): void {
  if (spareCount >= MOST_SPARE) {
    return;
  }
  record.route = undefined;
  record.location = undefined;
  record.answer = undefined;
  record.backend = undefined;
  record.endpoint = undefined;
  record.tried = undefined;
  record.tries = 0;
  record.timedOut = false;
  record.hash = 0;
  record.session = undefined;
  record.setsCookie = false;
  record.closes = false;
  record.reason = undefined;
  record.lacksCertificate = false;
  spareCount += 1;
  spare.set(spareCount, record);
}
