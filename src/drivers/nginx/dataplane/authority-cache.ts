import * as ssl from 'ngx.ssl';
import type { AuthorityRecord } from '../wire';
import { createCache, forget, forgetAll, recall, remember } from './bounded-cache';
import { buildStore } from './certificate-store';
import { decodeRecord } from './decode-record';
import { settings } from './options';

export interface Authority {
  /** Their names are told to the client. */
  readonly certificates: CData;
  /** Shared by all handshakes of the worker. */
  readonly store: CData;
}

/** A store costs some 50 µs for each authority; two halves of this many are kept. */
const cache = createCache<Authority | false>(512);

function parse(record: AuthorityRecord): Authority {
  const [certificates, problem] = ssl.parse_pem_cert(record.certificates);
  if (certificates === undefined) {
    error('the authorities are not readable: ' + tostring(problem), 0);
  }
  return { certificates, store: buildStore(certificates, record.revocations) };
}

/** Undefined: there is no such record, or it can not be used. */
export function findAuthority(id: string): Authority | undefined {
  const known = recall(cache, id);
  if (known !== undefined) {
    return known === false ? undefined : known;
  }
  const [text] = settings.certificates.get('a:' + id);
  if (text === undefined) {
    return undefined;
  }
  const parsed = decodeRecord<AuthorityRecord, Authority>('a:' + id, text as string, parse);
  remember<Authority | false>(cache, id, parsed ?? false);
  return parsed;
}

/** Whoever asks for certificates of authorities that can't be used must not be served without. */
export function requireAuthority(id: string): void {
  if (findAuthority(id) === undefined) {
    error('the authorities for client certificates can not be used', 0);
  }
}

export function forgetAuthority(id: string): void {
  forget(cache, id);
}

export function forgetAllAuthorities(): void {
  forgetAll(cache);
}
