/**
 * Makes a certificate that signs itself (X.509, RFC 5280). Written here because a library that can do it costs the running
 * program more than 20 MiB, for one small certificate.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { bits, element, identifier, integer, octets, pem, sequence, set, text, time } from '../../../lib/der.ts';
import { Redacted } from '../../../lib/redacted.ts';

export interface SelfSignedCertificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: Redacted;
}

/** With a new key on P-256. `commonName` in printable ASCII; `dnsName`: the only name it is valid for. */
export function selfSignedCertificate(wanted: {
  readonly commonName: string;
  readonly dnsName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}): SelfSignedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(COMMON_NAME, text(wanted.commonName))));
  const alternative = sequence(element(DNS_NAME, Buffer.from(wanted.dnsName, 'ascii')));
  const signed = sequence(
    element(VERSION, integer(Buffer.of(2))),
    integer(randomBytes(16)),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(wanted.notBefore), time(wanted.notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(EXTENSIONS, sequence(sequence(SUBJECT_ALT_NAME, octets(alternative)))),
  );
  return {
    certificate: pem('CERTIFICATE', sequence(signed, ECDSA_WITH_SHA256, bits(sign('sha256', signed, privateKey)))),
    key: new Redacted(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
  };
}

/** [0] and [3] of TBSCertificate; [2] of GeneralName. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;

/** 2.5.4.3, 2.5.29.17 and 1.2.840.10045.4.3.2 */
const COMMON_NAME = identifier('550403');
const SUBJECT_ALT_NAME = identifier('551d11');
const ECDSA_WITH_SHA256 = sequence(identifier('2a8648ce3d040302'));
