import { createHash } from 'node:crypto';
import { readCertificateBundle } from '../../../lib/certificate-bundle.ts';
import type { ClientCertificatePolicy } from '../../../model/client-certificate.ts';
import { type AuthorityRecord, MAX_RECORD_BYTES } from '../wire.ts';

/** The record of a bundle of authorities; its id is a hash of the text. */
export interface AuthorityText {
  readonly id: string;
  readonly text: string;
}

export type Authorities = AuthorityText | { readonly problem: string };

const REVOCATIONS = /-----BEGIN X509 CRL-----[^-]+-----END X509 CRL-----/gu;

/** Bundles are shared by many hosts and looked at with every change of one of them; to read one costs 0.1 ms and more. */
const known = new Map<string, Authorities>();
const MOST_KNOWN = 256;

/** The authorities and revocation lists of a policy, or why nobody could be verified by them. */
export function readAuthorities({ authorities, revocations }: ClientCertificatePolicy): Authorities {
  const key = JSON.stringify([authorities, revocations]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const read = readBundle(authorities, revocations);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, read);
  return read;
}

function readBundle(authorities: string, revocations: string | undefined): Authorities {
  const bundle = readCertificateBundle(authorities);
  if (typeof bundle === 'string') return { problem: `the bundle of authorities ${bundle}` };
  const lists = revocations?.match(REVOCATIONS) ?? [];
  if (revocations !== undefined && lists.length === 0) return { problem: 'the revocation lists hold no PEM list' };
  const record: AuthorityRecord = {
    certificates: bundle.pem,
    ...(lists.length === 0 ? {} : { revocations: `${lists.join('\n')}\n` }),
  };
  const text = JSON.stringify(record);
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES) {
    return { problem: `the authorities take more than ${MAX_RECORD_BYTES} bytes` };
  }
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 32), text };
}
