import type { Backend } from './backend';
import { ANY, HEALTHY, mayTake, UNTRIED, type Attempt, type Strictness } from './choice';
import { consistentHash } from './consistent-hash';
import { holdForTrial } from './ejection';
import type { Endpoint } from './endpoint';
import { movingAverage } from './ewma';
import { leastConnections } from './least-connections';
import { roundRobin } from './round-robin';

function pick(backend: Backend, record: Attempt, strictness: Strictness, now: number): Endpoint | undefined {
  const { balance } = backend;
  if (balance === 'rr') {
    return roundRobin(backend, record, strictness, now);
  }
  if (balance === 'lc') {
    return leastConnections(backend, record, strictness, now);
  }
  if (balance === 'ewma') {
    return movingAverage(backend, record, strictness, now);
  }
  return consistentHash(backend, record, strictness, now);
}

/** The session's endpoint unless it failed in this request or is ejected; draining ones keep their sessions. */
function ofSession(backend: Backend, record: Attempt, now: number): Endpoint | undefined {
  const { session } = record;
  if (session === undefined || backend.endpoints.get(session.key) !== session) {
    return undefined;
  }
  return mayTake(session, record, HEALTHY, now) ? session : undefined;
}

/** Who serves this try. Ejected endpoints come back into use rather than leave a request without any. */
export function chooseEndpoint(backend: Backend, record: Attempt): Endpoint | undefined {
  const { size } = backend;
  if (record.session === undefined && size === 1 && record.tried === undefined) {
    return backend.list.get(1);
  }
  const now = ngx.now();
  if (record.session !== undefined) {
    const kept = ofSession(backend, record, now);
    if (kept !== undefined) {
      return kept;
    }
  }
  if (size === 0) {
    return undefined;
  }
  if (record.tried === undefined && now >= backend.troubledUntil) {
    return pick(backend, record, ANY, now);
  }
  const healthy = pick(backend, record, HEALTHY, now);
  if (healthy !== undefined) {
    if (healthy.ejectedUntil > 0) {
      holdForTrial(backend, healthy, now);
    }
    return healthy;
  }
  return pick(backend, record, UNTRIED, now) ?? pick(backend, record, ANY, now);
}
