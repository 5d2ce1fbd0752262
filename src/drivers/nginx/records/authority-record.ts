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
  const begun = revocations?.match(/-----BEGIN X509 CRL-----/gu)?.length ?? 0;
  // To go on without one that is damaged would quietly accept what it revokes.
  if (begun !== lists.length || !lists.every(isSequence)) {
    return { problem: 'one of the revocation lists is cut off or can not be read' };
  }
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

/** Whether a PEM block holds one whole DER sequence, as far as can be told without reading the list itself. */
function isSequence(block: string): boolean {
  const der = Buffer.from(block.replaceAll(/-----[^-]+-----/gu, ''), 'base64');
  const [tag, size = 0] = der;
  if (tag !== 0x30) return false;
  if (size < 0x80) return der.length === 2 + size;
  const digits = size - 0x80;
  return digits >= 1 && digits <= 4 && der.length > 2 + digits && der.length === 2 + digits + der.readUIntBE(2, digits);
}
