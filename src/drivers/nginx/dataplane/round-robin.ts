import type { Backend } from './backend';
import { ANY, mayTake, type Attempt, type Strictness } from './choice';
import type { Endpoint } from './endpoint';

/** In turn; with unequal weights by smooth weighted round robin, so that a heavy endpoint gets no bursts. */
export function roundRobin(
  backend: Backend,
  record: Attempt,
  strictness: Strictness,
  now: number,
): Endpoint | undefined {
  return backend.equalWeights ? inTurn(backend, record, strictness, now) : smooth(backend, record, strictness, now);
}

function inTurn(backend: Backend, record: Attempt, strictness: Strictness, now: number): Endpoint | undefined {
  const { list, size } = backend;
  let cursor = backend.cursor;
  if (strictness === ANY) {
    // Nearly always, so without a loop: LuaJIT compiles no request that begins with one.
    cursor = cursor >= size ? 1 : cursor + 1;
    backend.cursor = cursor;
    return list.get(cursor);
  }
  for (const _ of $range(1, size)) {
    cursor = cursor >= size ? 1 : cursor + 1;
    const endpoint = list.get(cursor);
    if (mayTake(endpoint, record, strictness, now)) {
      backend.cursor = cursor;
      return endpoint;
    }
  }
  return undefined;
}

function smooth(backend: Backend, record: Attempt, strictness: Strictness, now: number): Endpoint | undefined {
  const { list, size } = backend;
  let best: Endpoint | undefined;
  let total = 0;
  for (const index of $range(1, size)) {
    const endpoint = list.get(index);
    if (strictness === ANY || mayTake(endpoint, record, strictness, now)) {
      endpoint.standing = endpoint.standing + endpoint.weight;
      total = total + endpoint.weight;
      if (best === undefined || endpoint.standing > best.standing) {
        best = endpoint;
      }
    }
  }
  if (best !== undefined) {
    best.standing = best.standing - total;
  }
  return best;
}
