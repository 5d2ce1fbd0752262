import type { Backend } from './backend';
import { mayTake, type Attempt, type Strictness } from './choice';
import type { Endpoint } from './endpoint';

/** The endpoint with the fewest requests of this worker for its weight; equals take turns. */
export function leastConnections(
  backend: Backend,
  record: Attempt,
  strictness: Strictness,
  now: number,
): Endpoint | undefined {
  const { list, size } = backend;
  let best: Endpoint | undefined;
  let bestLoad = math.huge;
  let cursor = backend.cursor;
  let bestCursor = cursor;
  for (const _ of $range(1, size)) {
    cursor = cursor >= size ? 1 : cursor + 1;
    const endpoint = list.get(cursor);
    const load = endpoint.active / endpoint.weight;
    if (load < bestLoad && mayTake(endpoint, record, strictness, now)) {
      best = endpoint;
      bestLoad = load;
      bestCursor = cursor;
    }
  }
  backend.cursor = bestCursor;
  return best;
}
