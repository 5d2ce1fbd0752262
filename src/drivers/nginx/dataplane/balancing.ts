import * as balancer from 'ngx.balancer';
import type { Backend } from './backend';
import { chooseEndpoint } from './choose-endpoint';
import { fail } from './ejection';
import type { Endpoint } from './endpoint';
import { currentRecord, type RequestRecord } from './request-record';
import type { Route } from './route';

/** NGX_BUSY: nginx gives up on the upstream at once, with 502, instead of burning the tries that are left. */
const GIVE_UP = -3;
const TIMED_OUT = 504;

function letGo(endpoint: Endpoint): void {
  endpoint.active = math.max(0, endpoint.active - 1);
}

/** Notes how the try before this one ended. */
function noteFailure(record: RequestRecord, backend: Backend): void {
  const { endpoint } = record;
  if (endpoint === undefined) {
    return;
  }
  letGo(endpoint);
  const [state, status] = balancer.get_last_failure();
  record.timedOut = status === TIMED_OUT;
  if (state === 'failed') {
    fail(backend, endpoint);
  }
  if (record.tried === undefined) {
    record.tried = [endpoint];
  } else {
    record.tried.push(endpoint);
  }
  record.endpoint = undefined;
}

/** Tries altogether: the route's, but no endpoint is asked twice. */
function allowedTries(route: Route, backend: Backend): number {
  return route.tries === 0 ? backend.size : math.min(route.tries, backend.size);
}

function isTimeUp(route: Route): boolean {
  const budget = route.record.retryTimeout;
  return budget !== undefined && budget > 0 && ngx.now() - ngx.req.start_time() >= budget;
}

/** nginx goes on after either kind of failure; which of them a route means is known here. */
function mayTryAgain(record: RequestRecord, route: Route): boolean {
  const { retryOnly } = route.record;
  return retryOnly === undefined || (retryOnly === 'timeout') === record.timedOut;
}

function needsNewSession(record: RequestRecord, route: Route, endpoint: Endpoint): boolean {
  const { affinity } = route.record;
  if (affinity === undefined || record.session === endpoint) {
    return false;
  }
  return record.session === undefined || affinity.changeOnFailure === true;
}

/** The balancer phase: runs for the first try and again for each that nginx makes after a failure. */
export function balanceRequest(): void {
  const record = currentRecord();
  const backend = record === undefined ? undefined : record.backend;
  const route = record === undefined ? undefined : record.route;
  if (record === undefined || backend === undefined || route === undefined) {
    ngx.exit(GIVE_UP);
    return;
  }
  if (record.tries > 0) {
    noteFailure(record, backend);
    if (isTimeUp(route) || !mayTryAgain(record, route)) {
      ngx.exit(GIVE_UP);
      return;
    }
  }
  const endpoint = chooseEndpoint(backend, record);
  if (endpoint === undefined) {
    ngx.exit(GIVE_UP);
    return;
  }
  if (record.tries === 0) {
    const more = allowedTries(route, backend) - 1;
    if (more > 0) {
      balancer.set_more_tries(more);
    }
    if (route.timeouts !== undefined) {
      balancer.set_timeouts(route.timeouts[0], route.timeouts[1], route.timeouts[2]);
    }
  }
  record.tries += 1;
  record.timedOut = false;
  record.endpoint = endpoint;
  record.setsCookie = needsNewSession(record, route, endpoint);
  endpoint.active += 1;
  const [done, problem] = balancer.set_current_peer(endpoint.address, endpoint.port);
  if (done === undefined) {
    ngx.log(ngx.ERR, 'weir: endpoint ', endpoint.key, ' can not be used: ', tostring(problem));
    ngx.exit(GIVE_UP);
  }
}
