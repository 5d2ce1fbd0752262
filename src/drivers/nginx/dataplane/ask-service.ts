import { findBackend } from './backend-cache';
import type { Attempt } from './choice';
import { chooseEndpoint } from './choose-endpoint';
import { fail, succeed } from './ejection';
import type { Endpoint } from './endpoint';
import { exchange, type ServiceAnswer, type ServiceRequest } from './service-exchange';

const MOST_TRIES = 3;

/**
 * Asks one endpoint after the other while it is certain that none has acted on the request. What it finds out about
 * them counts for every request of this worker; not so for copies (`watched` false), which must change nothing.
 * Gives the answer, or why there is none.
 */
export function askService(
  backendId: string,
  request: ServiceRequest,
  watched: boolean,
): LuaMultiReturn<[ServiceAnswer | undefined, string]> {
  const backend = findBackend(backendId);
  if (backend === undefined || backend.size === 0) {
    return $multi(undefined, 'it has no endpoint');
  }
  const tried: Endpoint[] = [];
  let problem = '';
  for (const _ of $range(1, math.min(MOST_TRIES, backend.size))) {
    const attempt: Attempt = { tried: tried.length === 0 ? undefined : tried, session: undefined, hash: 0 };
    const endpoint = chooseEndpoint(backend, attempt);
    if (endpoint === undefined) {
      break;
    }
    endpoint.active += 1;
    const [answer, failure] = exchange(endpoint, request);
    endpoint.active = math.max(0, endpoint.active - 1);
    if (answer !== undefined) {
      if (watched && endpoint.failures > 0) {
        succeed(endpoint);
      }
      return $multi(answer, '');
    }
    if (watched) {
      fail(backend, endpoint);
    }
    problem = failure!.problem;
    if (!failure!.untouched) {
      break;
    }
    tried.push(endpoint);
  }
  return $multi(undefined, problem);
}
