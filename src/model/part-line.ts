import { Redacted } from '../lib/redacted.ts';
import type { ModelTable } from './model.ts';

/** One change of a model as plain data: what the state file's lines and the model stream's messages say. */
export type PartLine =
  | { readonly put: ModelTable; readonly key: string; readonly part: unknown; readonly secrets?: readonly SecretAt[] }
  | { readonly delete: ModelTable; readonly key: string };

/** A secret and where in the part it belongs. Kept apart, so that no text of a user's can be taken for one. */
export type SecretAt = readonly [path: readonly (string | number)[], value: string];

/** The line to put a part; the only place where its secrets are written out. */
export function putLine(table: ModelTable, key: string, part: unknown): PartLine {
  const secrets: SecretAt[] = [];
  collectSecrets(part, [], secrets);
  return secrets.length === 0 ? { put: table, key, part } : { put: table, key, part, secrets };
}

/** Puts the secrets of a line that was read back where they belong. */
export function restoreSecrets(line: PartLine): void {
  if ('put' in line) for (const [path, value] of line.secrets ?? []) restoreSecret(line.part, path, value);
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
