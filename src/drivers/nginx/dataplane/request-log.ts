import { forgetOutcome } from './auth-outcome';
import { fail, succeed } from './ejection';
import type { Endpoint } from './endpoint';
import { feed } from './ewma';
import { sendCopies } from './mirror';
import { settings } from './options';
import { answerStatus, readVariable } from './variable';
import { closeRecord, reuseRecord, type RequestRecord } from './request-record';
import type { Route } from './route';

/** nginx writes the times of all tries in one variable, apart by commas or colons; `-` where there was none. */
function lastOf(times: string | undefined): number | undefined {
  if (times === undefined) {
    return undefined;
  }
  const [last] = string.match(times, '([^%s,:]+)%s*$');
  return last === undefined ? undefined : tonumber(last);
}

/** A 502 or 504 without a response header from the backend is nginx's own: the last try failed too. */
function lastTryFailed(): boolean {
  const status = answerStatus();
  return (status === 502 || status === 504) && lastOf(readVariable('upstream_header_time')) === undefined;
}

function settle(record: RequestRecord, endpoint: Endpoint): void {
  endpoint.active = math.max(0, endpoint.active - 1);
  const { backend } = record;
  if (backend === undefined) {
    return;
  }
  if (lastTryFailed()) {
    fail(backend, endpoint);
  } else if (endpoint.failures > 0) {
    // 499: the client went before it was known how it would end.
    if (ngx.status !== 499) {
      succeed(endpoint);
    }
  }
  if (backend.balance === 'ewma') {
    const seconds = lastOf(readVariable('upstream_response_time'));
    if (seconds !== undefined) {
      feed(endpoint, seconds);
    }
  }
}

/** What a request asked for or sent besides ends with it; copies begin. */
function endServices(route: Route, record: RequestRecord): void {
  if (route.auth !== undefined) {
    forgetOutcome();
  }
  if (route.mirrors !== undefined && record.tries > 0) {
    sendCopies(route.mirrors, record.scheme);
  }
}

/** The log phase of every request, before the access log is written. */
export function logRequest(): void {
  const record = closeRecord();
  if (record === undefined) {
    return;
  }
  if (record.endpoint !== undefined) {
    settle(record, record.endpoint);
  }
  if (settings.accessLog) {
    if (record.route !== undefined && record.route.record.accessLog === false) {
      ngx.var.weir_quiet = '1';
    }
    if (record.reason !== undefined) {
      ngx.var.weir_reason = record.reason;
    }
  }
  const { route } = record;
  if (route !== undefined && (route.mirrors !== undefined || route.auth !== undefined)) {
    endServices(route, record);
  }
  reuseRecord(record);
}
