import { RECORD_KINDS, recordKindOf } from '../records/record-key.ts';
import { MAX_CALL_BYTES } from '../wire.ts';
import { deleteFrame, putFrame, sliceFrames, SLICE_BYTES } from './frame.ts';

export interface Call {
  readonly body: Buffer;
  /** Records that are in force (or gone) when this call and those before it were answered. */
  readonly done: ReadonlyMap<string, string | undefined>;
}

/**
 * Changes as calls of at most 256 KiB, in the order that never leaves a host without what it refers to: certificates and
 * backends are put, then SNI names and hosts are put and deleted, and in a later call certificates and backends are
 * deleted. `text` is asked for a record only when its call is made.
 */
export function* calls(
  changes: ReadonlyMap<string, string | undefined>,
  text: (key: string) => string | undefined,
): Generator<Call> {
  const puts = [...changes].filter(([, checksum]) => checksum !== undefined).map(([key]) => key);
  const deletes = [...changes].filter(([, checksum]) => checksum === undefined).map(([key]) => key);
  const ofKind = (keys: readonly string[], kind: string) => keys.filter((key) => recordKindOf(key) === kind).sort();
  const first = [
    ...RECORD_KINDS.flatMap((kind) => ofKind(puts, kind)),
    ...['s', 'h'].flatMap((kind) => ofKind(deletes, kind)),
  ];
  const last = ['c', 'b'].flatMap((kind) => ofKind(deletes, kind));
  for (const keys of [first, last]) yield* pack(keys, changes, text);
}

function* pack(
  keys: readonly string[],
  changes: ReadonlyMap<string, string | undefined>,
  text: (key: string) => string | undefined,
): Generator<Call> {
  let frames: Buffer[] = [];
  let size = 0;
  let done = new Map<string, string | undefined>();
  function* flush(): Generator<Call> {
    if (frames.length > 0) yield { body: Buffer.concat(frames), done };
    frames = [];
    size = 0;
    done = new Map();
  }
  for (const key of keys) {
    const checksum = changes.get(key);
    const record = checksum === undefined ? undefined : text(key);
    const bytes = record === undefined ? undefined : Buffer.from(record);
    const whole =
      bytes === undefined
        ? [deleteFrame(key)]
        : bytes.length > SLICE_BYTES
          ? sliceFrames(key, bytes)
          : [putFrame(key, bytes)];
    for (const frame of whole) {
      if (size + frame.length > MAX_CALL_BYTES || whole.length > 1) yield* flush();
      frames.push(frame);
      size += frame.length;
    }
    done.set(key, bytes === undefined ? undefined : checksum);
  }
  yield* flush();
}
