import * as response from 'ngx.resp';
import { sessionOf } from './backend';
import type { AffinityRecord, HeaderChangeRecord } from '../wire';
import { addOutcome } from './auth-outcome';
import { currentRecord, type RequestRecord } from './request-record';
import { answerStatus } from './variable';

/** The status of an answer that nginx took for one of HTTP/0.9. */
const ANCIENT = 9;

function changeHeaders(change: HeaderChangeRecord): void {
  for (const name of change.remove ?? []) {
    ngx.header[name] = undefined;
  }
  for (const [name, value] of change.set ?? []) {
    ngx.header[name] = value;
  }
  for (const [name, value] of change.add ?? []) {
    response.add_header(name, value);
  }
}

function setSession(record: RequestRecord, affinity: AffinityRecord): void {
  const { backend, endpoint } = record;
  if (backend === undefined || endpoint === undefined) {
    return;
  }
  let cookie = affinity.name + '=' + sessionOf(backend, endpoint);
  if (affinity.expires !== undefined) {
    cookie = cookie + '; Expires=' + ngx.cookie_time(ngx.now() + affinity.expires);
  }
  cookie = cookie + affinity.attributes;
  if (affinity.secure ?? record.scheme === 'https') {
    cookie = cookie + '; Secure';
  }
  response.add_header('Set-Cookie', cookie);
}

/**
 * The header filter phase of every request. nginx takes an answer that isn't HTTP for one of HTTP/0.9 and would hand it
 * on byte by byte, without a status or headers: such a connection is closed instead.
 */
export function changeResponse(): void {
  if (answerStatus() === ANCIENT) {
    ngx.exit(ngx.ERROR);
    return;
  }
  const record = currentRecord();
  if (record === undefined || record.route === undefined) {
    return;
  }
  const { affinity, auth, responseHeaders } = record.route.record;
  if (auth !== undefined) {
    addOutcome();
  }
  if (affinity !== undefined && record.setsCookie) {
    record.setsCookie = false;
    setSession(record, affinity);
  }
  if (responseHeaders !== undefined) {
    changeHeaders(responseHeaders);
  }
}
