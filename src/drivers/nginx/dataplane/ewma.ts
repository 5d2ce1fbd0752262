import type { Backend } from './backend';
import { mayTake, type Attempt, type Strictness } from './choice';
import type { Endpoint } from './endpoint';

/** Seconds in which a measurement loses two thirds of its weight. */
const DECAY = 10;

function current(endpoint: Endpoint, now: number): number {
  const age = math.max(0, now - endpoint.ewmaAt);
  return endpoint.ewma * math.exp(-age / DECAY);
}

/** A slower answer than the average counts at once, a faster one little by little. */
export function feed(endpoint: Endpoint, seconds: number): void {
  const now = ngx.now();
  const average = current(endpoint, now);
  const share = math.exp(-math.max(0, now - endpoint.ewmaAt) / DECAY);
  endpoint.ewma = seconds > average ? seconds : average * share + seconds * (1 - share);
  endpoint.ewmaAt = now;
}

function burden(endpoint: Endpoint, now: number): number {
  return (current(endpoint, now) * (endpoint.active + 1)) / endpoint.weight;
}

/** The better of two at random, by moving average of response times and requests in flight. */
export function movingAverage(
  backend: Backend,
  record: Attempt,
  strictness: Strictness,
  now: number,
): Endpoint | undefined {
  const { list, size } = backend;
  const start = math.random(size);
  const distance = size > 1 ? math.random(size - 1) : 0;
  const one = list.get(start);
  const other = list.get(((start - 1 + distance) % size) + 1);
  const first = mayTake(one, record, strictness, now);
  const second = mayTake(other, record, strictness, now);
  if (first && second) {
    return burden(other, now) < burden(one, now) ? other : one;
  }
  if (first || second) {
    return first ? one : other;
  }
  for (const offset of $range(0, size - 1)) {
    const endpoint = list.get(((start - 1 + offset) % size) + 1);
    if (mayTake(endpoint, record, strictness, now)) {
      return endpoint;
    }
  }
  return undefined;
}
