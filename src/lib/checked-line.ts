import { crc32 } from 'node:zlib';

/** One line of a file that must notice when it was torn or damaged: checksum, space, JSON, newline. */
export function encodeCheckedLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}\n`;
}

/** What the line (without its newline) says; undefined where it was torn or damaged. */
export function decodeCheckedLine(text: string): unknown {
  const json = text.slice(9);
  return text[8] === ' ' && text.slice(0, 8) === checksum(json) ? JSON.parse(json) : undefined;
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}
