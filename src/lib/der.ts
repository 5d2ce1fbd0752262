/** The pieces of DER (ITU-T X.690) that certificates (RFC 5280) are made of. */

const INTEGER = 0x02;
const BOOLEAN = 0x01;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;

export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => element(SEQUENCE, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => element(SET, ...items);
export const octets = (content: Uint8Array): Buffer => element(OCTET_STRING, content);
export const text = (value: string): Buffer => element(UTF8_STRING, Buffer.from(value));
export const truth = (): Buffer => element(BOOLEAN, Buffer.of(0xff));
/** `unused`: bits at the end that don't count. */
export const bits = (content: Uint8Array, unused = 0): Buffer => element(BIT_STRING, Buffer.of(unused), content);
/** Its encoded arcs, in hexadecimal. */
export const identifier = (hex: string): Buffer => element(OBJECT_IDENTIFIER, Buffer.from(hex, 'hex'));

/** Positive and in the fewest bytes, whatever the first bit is. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const value = first === -1 ? Buffer.of(0) : bytes.subarray(first);
  return element(INTEGER, ...((value[0] ?? 0) > 0x7f ? [Buffer.of(0), value] : [value]));
}

/** RFC 5280, 4.1.2.5: with two digits of the year until 2049. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/\D/gu, '').slice(0, 14)}Z`;
  const short = date.getUTCFullYear() < 2050;
  return element(short ? UTC_TIME : GENERALIZED_TIME, Buffer.from(short ? digits.slice(2) : digits, 'ascii'));
}

/** RFC 7468. */
export function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/gu) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}
