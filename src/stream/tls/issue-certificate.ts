import {
  createPrivateKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { bits, element, identifier, integer, octets, pem, sequence, set, text, time, truth } from '../../lib/der.ts';
import { Redacted } from '../../lib/redacted.ts';

export interface CertificateAndKey {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: Redacted;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** An authority of its own (RFC 5280), with a new key on P-256. It may sign certificates, and no further authorities. */
export function makeAuthority(commonName: string, validity: Validity): CertificateAndKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return issue(
    { subject: nameOf(commonName), issuer: nameOf(commonName), validity, publicKey, privateKey, signer: privateKey },
    [
      extension(BASIC_CONSTRAINTS, sequence(truth(), integer(Buffer.of(0))), true),
      // keyCertSign
      extension(KEY_USAGE, bits(Buffer.of(0x04), 2), true),
    ],
  );
}

/** A certificate for one DNS name and one side of a connection, signed by the authority. */
export function issueCertificate(
  authority: CertificateAndKey,
  wanted: { readonly dnsName: string; readonly side: 'client' | 'server'; readonly validity: Validity },
): CertificateAndKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = createPrivateKey(authority.key.reveal());
  const issuer = nameOf(commonNameOf(authority.certificate));
  return issue({ subject: nameOf(wanted.dnsName), issuer, validity: wanted.validity, publicKey, privateKey, signer }, [
    extension(BASIC_CONSTRAINTS, sequence(), true),
    // digitalSignature
    extension(KEY_USAGE, bits(Buffer.of(0x80), 7), true),
    extension(EXTENDED_KEY_USAGE, sequence(wanted.side === 'client' ? CLIENT_AUTH : SERVER_AUTH), true),
    extension(SUBJECT_ALT_NAME, sequence(element(DNS_NAME, Buffer.from(wanted.dnsName, 'ascii')))),
    extension(
      AUTHORITY_KEY_ID,
      sequence(element(KEY_ID, keyIdOf(new X509Certificate(authority.certificate).publicKey))),
    ),
  ]);
}

interface Wanted {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly validity: Validity;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly signer: KeyObject;
}

function issue(wanted: Wanted, extensions: readonly Buffer[]): CertificateAndKey {
  const own = extension(SUBJECT_KEY_ID, octets(keyIdOf(wanted.publicKey)));
  const signed = sequence(
    element(VERSION, integer(Buffer.of(2))),
    integer(randomBytes(16)),
    ECDSA_WITH_SHA256,
    wanted.issuer,
    sequence(time(wanted.validity.notBefore), time(wanted.validity.notAfter)),
    wanted.subject,
    wanted.publicKey.export({ type: 'spki', format: 'der' }),
    element(EXTENSIONS, sequence(...extensions, own)),
  );
  return {
    certificate: pem('CERTIFICATE', sequence(signed, ECDSA_WITH_SHA256, bits(sign('sha256', signed, wanted.signer)))),
    key: new Redacted(wanted.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
  };
}

function extension(identity: Buffer, value: Buffer, critical = false): Buffer {
  return sequence(identity, ...(critical ? [truth()] : []), octets(value));
}

function nameOf(commonName: string): Buffer {
  return sequence(set(sequence(COMMON_NAME, text(commonName))));
}

function commonNameOf(certificate: string): string {
  return /^CN=(.*)$/m.exec(new X509Certificate(certificate).subject)?.[1] ?? '';
}

/** Two authorities of one name are told apart by it. */
function keyIdOf(key: KeyObject): Buffer {
  return hash('sha256', key.export({ type: 'spki', format: 'der' }), 'buffer').subarray(0, 20);
}

/** [0] and [3] of TBSCertificate; [2] of GeneralName; [0] of AuthorityKeyIdentifier. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const KEY_ID = 0x80;

/** 2.5.4.3, 1.2.840.10045.4.3.2, the extensions under 2.5.29, and the purposes under 1.3.6.1.5.5.7.3 */
const COMMON_NAME = identifier('550403');
const ECDSA_WITH_SHA256 = sequence(identifier('2a8648ce3d040302'));
const SUBJECT_KEY_ID = identifier('551d0e');
const KEY_USAGE = identifier('551d0f');
const SUBJECT_ALT_NAME = identifier('551d11');
const BASIC_CONSTRAINTS = identifier('551d13');
const AUTHORITY_KEY_ID = identifier('551d23');
const EXTENDED_KEY_USAGE = identifier('551d25');
const SERVER_AUTH = identifier('2b06010505070301');
const CLIENT_AUTH = identifier('2b06010505070302');
