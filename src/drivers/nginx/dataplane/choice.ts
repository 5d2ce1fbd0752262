import type { Endpoint } from './endpoint';

/** How strict a choice is: nothing is in the way; none that failed or is ejected; none that failed in this request. */
export const ANY = 0;
export const HEALTHY = 1;
export const UNTRIED = 2;
export type Strictness = 0 | 1 | 2;

/** What the choice of an endpoint must know of the request: a part of its record. */
export interface Attempt {
  /** Those that failed in this request. */
  readonly tried: readonly Endpoint[] | undefined;
  /** Session's endpoint, until it fails. */
  readonly session: Endpoint | undefined;
  /** Hash of the key for consistent hashing. */
  readonly hash: number;
}

export function wasTried(record: Attempt, endpoint: Endpoint): boolean {
  for (const tried of record.tried ?? []) {
    if (tried === endpoint) {
      return true;
    }
  }
  return false;
}

export function mayTake(endpoint: Endpoint, record: Attempt, strictness: Strictness, now: number): boolean {
  if (strictness === ANY) {
    return true;
  }
  if (strictness === HEALTHY && endpoint.ejectedUntil > now) {
    return false;
  }
  return record.tried === undefined || !wasTried(record, endpoint);
}
