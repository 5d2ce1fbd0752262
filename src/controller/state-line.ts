import { decodeCheckedLine, encodeCheckedLine } from '../lib/checked-line.ts';
import { type PartLine, restoreSecrets } from '../model/part-line.ts';

/** What one line of the state file says. Parts between two commits take effect together or not at all. */
export type StateLine = { readonly weir: 'model'; readonly version: number } | PartLine | { readonly commit: number };

export const STATE_VERSION = 1;

/** One line: checksum, space, JSON, newline. */
export function encodeStateLine(line: StateLine): string {
  return encodeCheckedLine(line);
}

/** The line without its newline; undefined where it was torn or damaged. */
export function decodeStateLine(text: string): StateLine | undefined {
  const line = decodeCheckedLine(text) as StateLine | undefined;
  if (line === undefined) return undefined;
  if ('put' in line) restoreSecrets(line);
  return line;
}
