import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { readCertificateBundle } from '../../../lib/certificate-bundle.ts';
import { Redacted } from '../../../lib/redacted.ts';
import type { Certificate } from '../../../model/certificate.ts';

export interface ClientPair {
  /** Of the chain alone: the leaf's public key stands for the private one, of which nothing can be learnt. */
  readonly digest: string;
  /** PEM: key, then chain, leaf first. */
  readonly content: Redacted;
}

/**
 * A certificate that weir shows to backends, as nginx reads it. A text is why nginx couldn't use it, as the end of a
 * sentence; nothing of the key ever stands in it, and nginx, which would log some of it, never gets to see the pair.
 */
export function readClientPair({ chain, privateKey }: Certificate): ClientPair | string {
  const bundle = readCertificateBundle(chain);
  if (typeof bundle === 'string') return `its certificate ${bundle}`;
  let key: KeyObject;
  try {
    key = createPrivateKey(privateKey.reveal());
  } catch {
    return 'its private key can not be read';
  }
  if (!bundle.certificates[0].checkPrivateKey(key)) return 'its private key is not that of its certificate';
  const pem = key.export({ type: 'pkcs8', format: 'pem' }) as string;
  return {
    digest: createHash('sha256').update(bundle.pem).digest('hex').slice(0, 16),
    content: new Redacted(`${pem}${bundle.pem}`),
  };
}
