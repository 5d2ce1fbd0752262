import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENT = join(import.meta.dirname, '../../docs/security.md');

export interface DocumentedProcess {
  /** What the process calls itself, or begins with. */
  readonly title: string;
  readonly account: 'same' | 'worker';
  readonly privileges: string;
  readonly setuidGains: boolean;
}

export interface DocumentedFile {
  /** Relative to the state directory; `HASH`, `*` (within one name) and `**` stand for anything. */
  readonly path: string;
  readonly modes: readonly number[];
  readonly account: 'same' | 'worker';
}

export interface DocumentedSocket {
  /** A flag that holds a port or an address, or a path below the state directory. */
  readonly socket: string;
  readonly owner: string;
}

/** Rows of the table whose first column is headed `heading`, without the header; cells without backticks. */
function rows(heading: string): readonly (readonly string[])[] {
  const lines = readFileSync(DOCUMENT, 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  if (start < 0) throw new Error(`docs/security.md has no table headed "${heading}"`);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
}

function account(cell: string | undefined): 'same' | 'worker' {
  if (cell !== 'same' && cell !== 'worker') throw new Error(`docs/security.md: "${cell}" is no account`);
  return cell;
}

export function documentedProcesses(): readonly DocumentedProcess[] {
  return rows('process').map(([title = '', owner, privileges = '', gains]) => ({
    title,
    account: account(owner),
    privileges,
    setuidGains: gains === 'yes',
  }));
}

export function documentedFiles(): readonly DocumentedFile[] {
  return rows('path').map(([path = '', modes = '', owner]) => ({
    path,
    modes: modes.split(' or ').map((mode) => Number.parseInt(mode, 8)),
    account: account(owner),
  }));
}

export function documentedSockets(): readonly DocumentedSocket[] {
  return rows('socket').map(([socket = '', owner = '']) => ({ socket, owner }));
}
