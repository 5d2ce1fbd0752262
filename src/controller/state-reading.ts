import type { Model, ModelParts, ModelTable } from '../model/model.ts';
import { decodeStateLine, STATE_VERSION, type StateLine } from './state-line.ts';

export interface StateReading {
  /** Undefined when no commit was found: there is no usable state. */
  readonly model: Model | undefined;
  /** Bytes up to and with the last commit; whatever follows is worthless. */
  readonly goodBytes: number;
  /** Those of them up to and with the first commit; the others are the journal. */
  readonly snapshotBytes: number;
  /** What was wrong with the file, for the log. A torn end after a crash is told too; nothing that was promised is in it. */
  readonly problem?: string;
}

const NEWLINE = 0x0a;

/** Reads the text of a state file: all that was committed before the first line that isn't whole. */
export function readState(bytes: Buffer): StateReading {
  const tables: { [Table in ModelTable]: Map<string, ModelParts[Table]> } = {
    certificates: new Map(),
    backends: new Map(),
    listeners: new Map(),
    hosts: new Map(),
    l4Routes: new Map(),
  };
  let batch: StateLine[] = [];
  let goodBytes = 0;
  let snapshotBytes = 0;
  let committed = false;
  let number = 0;
  const reading = (problem?: string): StateReading => ({
    model: committed ? tables : undefined,
    goodBytes,
    snapshotBytes,
    ...(problem === undefined ? {} : { problem }),
  });
  for (let start = 0; start < bytes.length; ) {
    number++;
    const end = bytes.indexOf(NEWLINE, start);
    const line = end === -1 ? undefined : decodeStateLine(bytes.toString('utf8', start, end));
    if (line === undefined) return reading(`line ${number} is torn or damaged; what follows it was dropped`);
    start = end + 1;
    if (number === 1) {
      if (!('weir' in line) || line.version !== STATE_VERSION) {
        return reading(`its version isn't ${STATE_VERSION}; it was written by another weir`);
      }
    } else if ('commit' in line) {
      for (const change of batch) applyLine(tables, change);
      batch = [];
      committed = true;
      goodBytes = start;
      if (snapshotBytes === 0) snapshotBytes = start;
    } else batch.push(line);
  }
  return reading(batch.length > 0 ? 'the last changes were not finished; they were dropped' : undefined);
}

function applyLine(tables: { readonly [Table in ModelTable]: Map<string, unknown> }, line: StateLine): void {
  if ('put' in line) tables[line.put]?.set(line.key, line.part);
  else if ('delete' in line) tables[line.delete]?.delete(line.key);
}
