import { hash } from 'node:crypto';
import type { ModelTable } from '../model/model.ts';
import { putLine } from '../model/part-line.ts';

/** Parts never change, so each is looked at once, however many proxies ask. */
const known = new WeakMap<object, string>();

/**
 * What two programs compare instead of the part itself: 22 characters of base64url (128 bits of SHA-256) over its JSON,
 * secrets included. Equal parts that were put together in another order may differ; then the part is sent for nothing.
 */
export function partDigest(table: ModelTable, key: string, part: object): string {
  const before = known.get(part);
  if (before !== undefined) return before;
  const digest = hash('sha256', JSON.stringify(putLine(table, key, part)), 'base64url').slice(0, 22);
  known.set(part, digest);
  return digest;
}
