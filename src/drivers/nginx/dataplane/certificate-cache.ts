import * as ssl from 'ngx.ssl';
import type { CertificateRecord } from '../wire';
import { createCache, forget, forgetAll, recall, remember } from './bounded-cache';
import { decodeRecord } from './decode-record';
import { settings } from './options';

export interface ParsedCertificate {
  readonly chain: CData;
  readonly key: CData;
  readonly type: CertificateRecord['type'];
}

/** Parsing a pair costs 0.1 ms; two halves of this many are kept. */
const cache = createCache<ParsedCertificate | false>(1024);

function parse(record: CertificateRecord): ParsedCertificate {
  const [chain, chainProblem] = ssl.parse_pem_cert(record.chain);
  if (chain === undefined) {
    error('the chain is not readable: ' + tostring(chainProblem), 0);
  }
  const [key, keyProblem] = ssl.parse_pem_priv_key(record.key);
  if (key === undefined) {
    error('the private key is not readable: ' + tostring(keyProblem), 0);
  }
  return { chain, key, type: record.type };
}

export function findCertificate(id: string): ParsedCertificate | undefined {
  const known = recall(cache, id);
  if (known !== undefined) {
    return known === false ? undefined : known;
  }
  const [text] = settings.certificates.get('c:' + id);
  if (text === undefined) {
    return undefined;
  }
  const parsed = decodeRecord<CertificateRecord, ParsedCertificate>('c:' + id, text as string, parse);
  remember<ParsedCertificate | false>(cache, id, parsed ?? false);
  return parsed;
}

export function forgetCertificate(id: string): void {
  forget(cache, id);
}

export function forgetAllCertificates(): void {
  forgetAll(cache);
}
