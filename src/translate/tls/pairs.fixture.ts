import { execFileSync } from 'node:child_process';
import { generate } from 'selfsigned';
import type { KeyPair } from '../../../test/support/certificates.ts';

export interface SelfSignedOptions {
  readonly keyType?: 'rsa' | 'ec';
  readonly keySize?: number;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A certificate that signs itself, of whichever key type; without names it has only a common name. */
export async function selfSigned(names: readonly string[], options: SelfSignedOptions = {}): Promise<KeyPair> {
  const made = await generate([{ name: 'commonName', value: names[0] ?? 'nameless.example' }], {
    keyType: options.keyType ?? 'ec',
    keySize: options.keySize ?? 2048,
    algorithm: 'sha256',
    ...(options.notBefore === undefined ? {} : { notBeforeDate: options.notBefore }),
    ...(options.notAfter === undefined ? {} : { notAfterDate: options.notAfter }),
    extensions: [
      { name: 'basicConstraints', cA: false },
      ...(names.length === 0
        ? []
        : [{ name: 'subjectAltName' as const, altNames: names.map((value) => ({ type: 2 as const, value })) }]),
    ],
  });
  return { certificate: `${made.cert}\n`, key: made.private };
}

/** On any curve that OpenSSL knows (WebCrypto has three); valid from now on for a day. */
export function selfSignedOnCurve(curve: string, name: string): KeyPair {
  const pem = execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', `ec_paramgen_curve:${curve}`, '-noenc', '-days', '1'].concat(
      ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`],
      ['-keyout', '-', '-out', '-'],
    ),
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const start = pem.indexOf('-----BEGIN CERTIFICATE-----');
  return { certificate: pem.slice(start), key: pem.slice(0, start) };
}
