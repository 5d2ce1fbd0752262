import { decodeCheckedLine, encodeCheckedLine } from '../lib/checked-line.ts';
import { Redacted } from '../lib/redacted.ts';
import type { ModelTable } from '../model/model.ts';

/** What one line of the state file says. Parts between two commits take effect together or not at all. */
export type StateLine =
  | { readonly weir: 'model'; readonly version: number }
  | { readonly put: ModelTable; readonly key: string; readonly part: unknown; readonly secrets?: readonly SecretAt[] }
  | { readonly delete: ModelTable; readonly key: string }
  | { readonly commit: number };

/** A secret and where in the part it belongs. Kept apart, so that no text of a user's can be taken for one. */
type SecretAt = readonly [path: readonly (string | number)[], value: string];

export const STATE_VERSION = 1;

/** One line: checksum, space, JSON, newline. */
export function encodeStateLine(line: StateLine): string {
  return encodeCheckedLine(line);
}

/** The line to put a part; the only place where its secrets are written out. */
export function putLine(table: ModelTable, key: string, part: unknown): StateLine {
  const secrets: SecretAt[] = [];
  collectSecrets(part, [], secrets);
  return secrets.length === 0 ? { put: table, key, part } : { put: table, key, part, secrets };
}

/** The line without its newline; undefined where it was torn or damaged. */
export function decodeStateLine(text: string): StateLine | undefined {
  const line = decodeCheckedLine(text) as StateLine | undefined;
  if (line === undefined) return undefined;
  if ('put' in line) for (const [path, value] of line.secrets ?? []) restoreSecret(line.part, path, value);
  return line;
}

function collectSecrets(value: unknown, path: readonly (string | number)[], found: SecretAt[]): void {
  if (value instanceof Redacted) found.push([path, value.reveal()]);
  else if (Array.isArray(value)) value.forEach((item, index) => collectSecrets(item, [...path, index], found));
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'object') collectSecrets(item, [...path, key], found);
    }
  }
}

function restoreSecret(part: unknown, path: readonly (string | number)[], value: string): void {
  let holder = part as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
  holder[path.at(-1)!] = new Redacted(value);
}
