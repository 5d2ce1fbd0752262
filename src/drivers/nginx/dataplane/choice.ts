import type { Endpoint } from './endpoint';
import type { RequestRecord } from './request-record';

/** How strict a choice is: nothing is in the way; none that failed or is ejected; none that failed in this request. */
export const ANY = 0;
export const HEALTHY = 1;
export const UNTRIED = 2;
export type Strictness = 0 | 1 | 2;

export function wasTried(record: RequestRecord, endpoint: Endpoint): boolean {
  for (const tried of record.tried ?? []) {
    if (tried === endpoint) {
      return true;
    }
  }
  return false;
}

export function mayTake(endpoint: Endpoint, record: RequestRecord, strictness: Strictness, now: number): boolean {
  if (strictness === ANY) {
    return true;
  }
  if (strictness === HEALTHY && endpoint.ejectedUntil > now) {
    return false;
  }
  return record.tried === undefined || !wasTried(record, endpoint);
}
