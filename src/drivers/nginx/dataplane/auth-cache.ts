import * as cjson from 'cjson.safe';
import type { AuthRecord } from '../wire';
import type { ExternalAuth } from './external-auth';
import { requestText, requireVariables } from './request-text';
import type { ServiceAnswer } from './service-exchange';

/** A zone of its own: what is kept here may be driven out at any time. */
const ZONE = 'weir_auth';
/** A longer key or answer isn't worth the room. */
const MOST_BYTES = 8192;
const MOST_SECONDS = 86_400;

interface Kept {
  readonly status: number;
  /** Of the headers that the backend gets, by lower-case name. */
  readonly headers: Record<string, string[]>;
}

export function requireCache(cache: AuthRecord['cache']): void {
  requireVariables(cache === undefined ? '' : cache.key);
}

/** A key that is empty says nothing about who asks: then nothing is kept. */
function keyOf(auth: ExternalAuth, scheme: string): string | undefined {
  const { cache } = auth.record;
  if (cache === undefined) {
    return undefined;
  }
  const key = requestText(cache.key, scheme);
  return key === '' || key.length > MOST_BYTES ? undefined : auth.identity + '\n' + (ngx.var.host ?? '') + '\n' + key;
}

function secondsFor(auth: ExternalAuth, status: number): number {
  const { cache } = auth.record;
  for (const [statuses, seconds] of cache === undefined ? [] : cache.durations) {
    for (const named of statuses) {
      if (named === status) {
        return math.min(seconds, MOST_SECONDS);
      }
    }
  }
  return 0;
}

export function recallVerdict(auth: ExternalAuth, scheme: string): ServiceAnswer | undefined {
  const key = keyOf(auth, scheme);
  const zone = ngx.shared[ZONE];
  if (key === undefined || zone === undefined) {
    return undefined;
  }
  const [text] = zone.get(key);
  const [kept] = text === undefined ? [undefined] : cjson.decode(text as string);
  if (kept === undefined) {
    return undefined;
  }
  const { status, headers } = kept as Kept;
  return { status, headers: headers as unknown as LuaTable<string, string[]> };
}

function keepHeader(headers: Record<string, string[]>, answer: ServiceAnswer, name: string): void {
  const values = answer.headers.get(name);
  if (values !== undefined) {
    headers[name] = values;
  }
}

/** Keeps an answer that may be given to others with the same key: none that sets a cookie or forbids to be kept. */
export function rememberVerdict(auth: ExternalAuth, scheme: string, answer: ServiceAnswer): void {
  const key = keyOf(auth, scheme);
  const zone = ngx.shared[ZONE];
  const seconds = secondsFor(auth, answer.status);
  if (key === undefined || zone === undefined || seconds <= 0 || answer.headers.get('set-cookie') !== undefined) {
    return;
  }
  const control = string.lower(table.concat(answer.headers.get('cache-control') ?? [], ','));
  if (
    string.find(control, 'no%-store')[0] ??
    string.find(control, 'no%-cache')[0] ??
    string.find(control, 'private')[0]
  ) {
    return;
  }
  const headers: Record<string, string[]> = {};
  keepHeader(headers, answer, 'www-authenticate');
  for (const name of auth.record.responseHeaders ?? []) {
    keepHeader(headers, answer, string.lower(name));
  }
  const text = cjson.encode({ status: answer.status, headers });
  if (text.length <= MOST_BYTES) {
    zone.set(key, text, seconds);
  }
}
