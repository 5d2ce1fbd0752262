import type { Backend } from './backend';
import type { Endpoint } from './endpoint';

/**
 * Passive ejection, per worker. One failure may be a kept-alive connection that the backend was just closing; from the
 * second in a row the endpoint is passed over for 1 s, then 2, 4 … 30. When its time is up one request tries it.
 */
const FAILURES = 2;
const FIRST = 1;
const LONGEST = 30;

export function fail(backend: Backend, endpoint: Endpoint): void {
  endpoint.failures += 1;
  const beyond = endpoint.failures - FAILURES;
  if (beyond < 0) {
    return;
  }
  const seconds = beyond > 5 ? LONGEST : math.min(LONGEST, FIRST * 2 ** beyond);
  eject(backend, endpoint, ngx.now() + seconds);
}

export function succeed(endpoint: Endpoint): void {
  endpoint.failures = 0;
  endpoint.ejectedUntil = 0;
}

/** The request that is sent to try an endpoint holds the others off until it is known how it went. */
export function holdForTrial(backend: Backend, endpoint: Endpoint, now: number): void {
  eject(backend, endpoint, now + FIRST);
}

function eject(backend: Backend, endpoint: Endpoint, until: number): void {
  endpoint.ejectedUntil = until;
  if (until > backend.troubledUntil) {
    backend.troubledUntil = until;
  }
}
