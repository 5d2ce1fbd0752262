import * as response from 'ngx.resp';
import { requestAddress } from './request-record';

/** What the auth service adds to the answer that the client gets. */
export interface AuthOutcome {
  readonly cookies: readonly string[] | undefined;
  /** WWW-Authenticate. */
  readonly challenges: readonly string[] | undefined;
  /** Whether the cookies go with every answer; else with those that are no errors. */
  readonly always: boolean;
}

/** By the address of the request, as request records are. */
const outcomes = new LuaTable<number, AuthOutcome>();

export function keepOutcome(outcome: AuthOutcome): void {
  outcomes.set(requestAddress(), outcome);
}

/** In the log phase, and before a request asks. */
export function forgetOutcome(): void {
  outcomes.delete(requestAddress());
}

/** nginx's `add_header` adds to these. */
function isNoError(status: number): boolean {
  if (status === 200 || status === 201 || status === 204 || status === 206) {
    return true;
  }
  return status >= 301 && status <= 308 && status !== 305 && status !== 306;
}

/** The header filter phase of a route with external auth. */
export function addOutcome(): void {
  const outcome = outcomes.get(requestAddress());
  if (outcome === undefined) {
    return;
  }
  if (outcome.cookies !== undefined && (outcome.always || isNoError(ngx.status))) {
    for (const cookie of outcome.cookies) {
      response.add_header('Set-Cookie', cookie);
    }
  }
  if (outcome.challenges !== undefined) {
    ngx.header['WWW-Authenticate'] = outcome.challenges as string[];
  }
  forgetOutcome();
}
