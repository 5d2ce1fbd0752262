import { isIPv4, isIPv6 } from 'node:net';

/** An address as a number: IPv4 in 4 bytes, IPv6 in 16, most significant first. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bytes: readonly number[];
}

/** Undefined for everything that isn't plainly an address: names, brackets, ports, zones (`fe80::1%eth0`). */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { family: 4, bytes: text.split('.').map(Number) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  return { family: 6, bytes: ipv6Bytes(text) };
}

/** IPv4 before IPv6, then by value. */
export function compareIpAddresses(a: IpAddress, b: IpAddress): number {
  if (a.family !== b.family) return a.family - b.family;
  for (const [index, byte] of a.bytes.entries()) {
    const difference = byte - (b.bytes[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A range of addresses: those that share the first `bits` bits. */
export interface Cidr {
  readonly address: IpAddress;
  readonly bits: number;
}

/** `10.0.0.0/8`, `2001:db8::/32`, or one address alone. Undefined if it is none of these. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const address = parseIpAddress(slash < 0 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  const size = address.bytes.length * 8;
  if (slash < 0) return { address, bits: size };
  const length = text.slice(slash + 1);
  if (!/^[0-9]{1,3}$/.test(length) || Number(length) > size) return undefined;
  return { address, bits: Number(length) };
}

export function cidrContains(cidr: Cidr, address: IpAddress): boolean {
  if (cidr.address.family !== address.family) return false;
  for (const [index, byte] of cidr.address.bytes.entries()) {
    const rest = cidr.bits - index * 8;
    if (rest <= 0) return true;
    const mask = rest >= 8 ? 0xff : (0xff << (8 - rest)) & 0xff;
    if ((byte & mask) !== ((address.bytes[index] ?? 0) & mask)) return false;
  }
  return true;
}

/** `text` is a valid IPv6 address. */
function ipv6Bytes(text: string): readonly number[] {
  const [head = '', tail] = text.split('::');
  const front = groupBytes(head);
  if (tail === undefined) return front;
  const back = groupBytes(tail);
  return [...front, ...Array<number>(16 - front.length - back.length).fill(0), ...back];
}

function groupBytes(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    // The last 32 bits may be written as an IPv4 address (RFC 4291, 2.2).
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
