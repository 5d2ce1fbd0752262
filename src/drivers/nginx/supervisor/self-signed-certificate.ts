/**
 * Makes a certificate that signs itself (X.509, RFC 5280; DER, ITU-T X.690). Written here because a library that can do it
 * costs the running program more than 20 MiB, for one small certificate.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
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
  const name = sequence(set(sequence(COMMON_NAME, element(UTF8_STRING, Buffer.from(wanted.commonName)))));
  const alternative = sequence(element(DNS_NAME, Buffer.from(wanted.dnsName, 'ascii')));
  const signed = sequence(
    element(VERSION, integer(Buffer.of(2))),
    integer(randomBytes(16)),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(wanted.notBefore), time(wanted.notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(EXTENSIONS, sequence(sequence(SUBJECT_ALT_NAME, element(OCTET_STRING, alternative)))),
  );
  const signature = element(BIT_STRING, Buffer.of(0), sign('sha256', signed, privateKey));
  return {
    certificate: pem(sequence(signed, ECDSA_WITH_SHA256, signature)),
    key: new Redacted(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
  };
}

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
/** [0] and [3] of TBSCertificate; [2] of GeneralName. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;

/** 2.5.4.3, 2.5.29.17 and 1.2.840.10045.4.3.2 */
const COMMON_NAME = element(OBJECT_IDENTIFIER, Buffer.from('550403', 'hex'));
const SUBJECT_ALT_NAME = element(OBJECT_IDENTIFIER, Buffer.from('551d11', 'hex'));
const ECDSA_WITH_SHA256 = sequence(element(OBJECT_IDENTIFIER, Buffer.from('2a8648ce3d040302', 'hex')));

function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

function sequence(...items: readonly Uint8Array[]): Buffer {
  return element(SEQUENCE, ...items);
}

function set(...items: readonly Uint8Array[]): Buffer {
  return element(SET, ...items);
}

/** Positive and in the fewest bytes, whatever the first bit is. */
function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const value = first === -1 ? Buffer.of(0) : bytes.subarray(first);
  return element(INTEGER, ...((value[0] ?? 0) > 0x7f ? [Buffer.of(0), value] : [value]));
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

/** RFC 5280, 4.1.2.5: with two digits of the year until 2049. */
function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/\D/gu, '').slice(0, 14)}Z`;
  const short = date.getUTCFullYear() < 2050;
  return element(short ? UTC_TIME : GENERALIZED_TIME, Buffer.from(short ? digits.slice(2) : digits, 'ascii'));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/gu) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
