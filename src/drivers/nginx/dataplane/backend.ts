import type { BackendRecord } from '../wire';
import { SPREAD_GROUP, SPREAD_GROUPS } from '../wire';
import { createEndpoint, type Endpoint } from './endpoint';
import { compileHashKey, type HashPart } from './hash-key';

/** A backend as this worker balances it. */
export interface Backend {
  readonly id: string;
  /** The record's text: an equal one changes nothing. */
  readonly text: string;
  readonly balance: BackendRecord['balance'];
  /** Of kept-alive connections, where backends are spread over groups. */
  readonly group: string;
  /** Those that new requests may take: the ready ones, or the draining ones when nothing else is left. */
  readonly list: LuaTable<number, Endpoint>;
  readonly size: number;
  readonly equalWeights: boolean;
  /** All, by `address:port`. */
  readonly endpoints: LuaTable<string, Endpoint>;
  readonly hashKey: readonly HashPart[];
  readonly subset: number;
  /** All, by what a session cookie holds; made at first use. */
  sessions: LuaTable<string, Endpoint> | undefined;
  cursor: number;
  /** No endpoint is ejected after this time. */
  troubledUntil: number;
  /** Its record may have changed. */
  stale: boolean;
}

/** `former` is what this worker knew of the backend before its record changed. */
export function compileBackend(id: string, text: string, record: BackendRecord, former: Backend | undefined): Backend {
  const endpoints = new LuaTable<string, Endpoint>();
  const ready: Endpoint[] = [];
  const draining: Endpoint[] = [];
  for (const [address, port, weight, drains] of record.endpoints) {
    let endpoint = createEndpoint(address, port);
    endpoint = former?.endpoints.get(endpoint.key) ?? endpoint;
    if (typeof weight !== 'number' || weight < 0) {
      error('an endpoint has no weight', 0);
    }
    endpoint.weight = weight;
    endpoint.draining = drains === 1;
    endpoints.set(endpoint.key, endpoint);
    if (weight > 0) {
      (endpoint.draining ? draining : ready).push(endpoint);
    }
  }
  const chosen = ready.length > 0 ? ready : draining;
  const list = new LuaTable<number, Endpoint>();
  let equalWeights = true;
  for (const index of $range(1, chosen.length)) {
    const endpoint = chosen[index - 1]!;
    list.set(index, endpoint);
    equalWeights = equalWeights && endpoint.weight === chosen[0]!.weight;
  }
  return {
    id,
    text,
    balance: record.balance,
    group: tostring(ngx.crc32_long(id) % SPREAD_GROUPS) + SPREAD_GROUP,
    list,
    size: chosen.length,
    equalWeights,
    endpoints,
    hashKey: compileHashKey(record.hash),
    subset: record.subset ?? 0,
    sessions: undefined,
    // Workers that all began with the first endpoint would send it their first requests all at once.
    cursor: former?.cursor ?? (chosen.length > 0 ? math.random(chosen.length) - 1 : 0),
    troubledUntil: former?.troubledUntil ?? 0,
    stale: false,
  };
}

/** The endpoint that a session cookie names. */
export function sessionEndpoint(backend: Backend, session: string): Endpoint | undefined {
  let { sessions } = backend;
  if (sessions === undefined) {
    sessions = new LuaTable();
    for (const [, endpoint] of pairs(backend.endpoints)) {
      sessions.set(sessionOf(backend, endpoint), endpoint);
    }
    backend.sessions = sessions;
  }
  return sessions.get(session);
}

/** 64 bits: tells nothing about the address, and is the same in every worker and after a restart. */
export function sessionOf(backend: Backend, endpoint: Endpoint): string {
  if (endpoint.session === undefined) {
    endpoint.session = string.sub(ngx.md5(backend.id + '\n' + endpoint.key), 1, 16);
  }
  return endpoint.session;
}
