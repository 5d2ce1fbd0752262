import type { CatalogueEntry } from '../../diagnostics/catalogue.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import { type Cidr, cidrContains, type IpAddress, parseCidr, parseIpAddress } from '../../lib/ip-address.ts';
import type { OwnListener } from './own-listener.ts';

export type EndpointAddress =
  | { readonly address: string }
  | { readonly problem: string; readonly entry: CatalogueEntry };

/** Ranges to which requests are never sent, whoever asks for it. */
const REFUSED: readonly (readonly [name: string, ...ranges: readonly string[]])[] = [
  ['unspecified', '0.0.0.0/8', '::/128'],
  ['link-local', '169.254.0.0/16', 'fe80::/10'],
  ['multicast', '224.0.0.0/4', 'ff00::/8'],
  ['broadcast', '255.255.255.255/32'],
  // Clouds whose services for machines, which hand out credentials, are not link-local: Alibaba, Azure; AWS and Google by IPv6.
  ['metadata service', '100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
];
/** IPv6 addresses that gateways turn into the IPv4 address of their last four bytes: NAT64, SIIT, IPv4-compatible ones. */
const TRANSLATED = ['64:ff9b::/96', '::ffff:0:0:0/96', '::/96'].map((range) => parseCidr(range)!);
const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const LOOPBACK_RANGES = LOOPBACK.map((range) => parseCidr(range)!);

/** Decides which addresses and ports may be endpoints, and writes each in the one form that is compared (RFC 5952 for IPv6). */
export class EndpointAddresses {
  readonly #refused: { readonly name: string; readonly range: Cidr }[] = [];

  readonly #ownListeners: () => readonly OwnListener[];

  constructor(allowLoopback: boolean, ownListeners: () => readonly OwnListener[]) {
    this.#ownListeners = ownListeners;
    const classes = allowLoopback ? REFUSED : [...REFUSED, ['loopback', ...LOOPBACK] as const];
    for (const [name, ...ranges] of classes) {
      for (const range of ranges) this.#refused.push({ name, range: parseCidr(range)! });
    }
  }

  isAddress(text: string): boolean {
    return parseIpAddress(text) !== undefined;
  }

  read(text: string, port: number): EndpointAddress {
    const parsed = parseIpAddress(text);
    if (parsed === undefined) return refusal('is no IPv4 or IPv6 address');
    const address = unmapped(parsed);
    const meant = [address, ...translated(address)];
    const refused = this.#refused.find(({ range }) => meant.some((one) => cidrContains(range, one)));
    if (refused !== undefined) return refusal(`is a ${refused.name} address`);
    const own = this.#ownListeners().find(
      (listener) => listener.port === port && meant.some((one) => reaches(one, listener)),
    );
    if (own === undefined) return { address: format(address) };
    return { problem: `with port ${port} is the ${own.name} of weir itself`, entry: INGRESS_FINDINGS.endpointIsWeir };
  }
}

function refusal(problem: string): EndpointAddress {
  return { problem, entry: INGRESS_FINDINGS.endpointRefused };
}

function reaches(address: IpAddress, { addresses }: OwnListener): boolean {
  if (LOOPBACK_RANGES.some((range) => cidrContains(range, address))) return true;
  const formatted = format(address);
  return addresses.some((text) => {
    const parsed = parseIpAddress(text);
    return parsed !== undefined && format(unmapped(parsed)) === formatted;
  });
}

function format({ family, bytes }: IpAddress): string {
  return family === 4 ? bytes.join('.') : formatIpv6(bytes);
}

/** `::ffff:10.0.0.1` reaches 10.0.0.1, so it is judged as that. */
function unmapped(address: IpAddress): IpAddress {
  const { family, bytes } = address;
  if (family === 4 || bytes[10] !== 0xff || bytes[11] !== 0xff || bytes.slice(0, 10).some((byte) => byte !== 0)) {
    return address;
  }
  return { family: 4, bytes: bytes.slice(12) };
}

/** The IPv4 address that such an IPv6 address may come to; `::` and `::1` are addresses of their own. */
function translated(address: IpAddress): readonly IpAddress[] {
  const { family, bytes } = address;
  if (family === 4 || !TRANSLATED.some((range) => cidrContains(range, address))) return [];
  return bytes.slice(0, 15).every((byte) => byte === 0) ? [] : [{ family: 4, bytes: bytes.slice(12) }];
}

function formatIpv6(bytes: readonly number[]): string {
  const groups: number[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((bytes[i]! << 8) | bytes[i + 1]!);
  let start = -1;
  let length = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > length) {
      start = i;
      length = end - i;
    }
    if (end > i) i = end;
  }
  const text = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (start < 0) return text(groups);
  return `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
}
