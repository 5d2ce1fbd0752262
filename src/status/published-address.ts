import { isIP } from 'node:net';
import { compareText } from '../lib/text-order.ts';

/** An entry of an Ingress' status.loadBalancer.ingress, as weir writes it. */
export type PublishedAddress = { readonly ip: string } | { readonly hostname: string };

/** Most entries that are written; a thousand nodes would make each Ingress large and name servers fail. */
const MOST = 64;

/** An address or a host name, from text. */
export function publishedAddress(text: string): PublishedAddress {
  return isIP(text) === 0 ? { hostname: text } : { ip: text };
}

/** Each once, in an order of their own. */
export function orderedAddresses(addresses: readonly PublishedAddress[]): readonly PublishedAddress[] {
  const byText = new Map(addresses.map((address) => [entryText(address), address]));
  return [...byText]
    .sort(([a], [b]) => compareText(a, b))
    .slice(0, MOST)
    .map(([, address]) => address);
}

/**
 * What stands in a status' loadBalancer.ingress, as one text to compare, whatever its order. An entry that says more than an
 * address (ports, ipMode) is another than one that doesn't.
 */
export function publishedText(entries: unknown): string {
  if (!Array.isArray(entries)) return '';
  return [...new Set(entries.map(entryText))].sort(compareText).join(' ');
}

function entryText(entry: unknown): string {
  const filled = Object.entries((entry ?? {}) as object).filter(([, value]) => value !== undefined && value !== '');
  return filled
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .sort(compareText)
    .join(',');
}
