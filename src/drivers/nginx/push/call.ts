import { recordKindOf } from '../records/record-key.ts';
import { MAX_CALL_BYTES } from '../wire.ts';
import { deleteFrame, putFrame, sliceFrames, SLICE_BYTES } from './frame.ts';

export interface Call {
  readonly body: Buffer;
  /** Records that are in force (or gone) when this call and those before it were answered. */
  readonly done: ReadonlyMap<string, string | undefined>;
}

/**
 * Changes as calls of at most 256 KiB, in the order that never leaves a host without what it refers to: certificates,
 * authorities and backends are put, then listeners, SNI names and hosts are put and deleted, and in a later call
 * certificates, authorities and backends are deleted. A host follows its SNI name, so that their TLS policies agree. `text` is asked for a record only when its call is made.
 */
export function* calls(
  changes: ReadonlyMap<string, string | undefined>,
  text: (key: string) => string | undefined,
): Generator<Call> {
  const puts = [...changes].filter(([, checksum]) => checksum !== undefined).map(([key]) => key);
  const deletes = [...changes].filter(([, checksum]) => checksum === undefined).map(([key]) => key);
  const ofKind = (keys: readonly string[], kind: string) => keys.filter((key) => recordKindOf(key) === kind).sort();
  const first = [
    ...['c', 'a', 'b', 'l'].flatMap((kind) => ofKind(puts, kind)),
    ...inNameOrder([...ofKind(puts, 's'), ...ofKind(puts, 'h')]),
    ...['l', 's', 'h'].flatMap((kind) => ofKind(deletes, kind)),
  ];
  const last = ['c', 'a', 'b'].flatMap((kind) => ofKind(deletes, kind));
  for (const keys of [first, last]) yield* pack(keys, changes, text);
}

/** By what they are about; of an SNI name and a host with one name, the SNI name first. */
function inNameOrder(keys: readonly string[]): readonly string[] {
  return keys
    .map((key, place) => ({ key, name: key.slice(2), place }))
    .sort((a, b) => (a.name === b.name ? a.place - b.place : a.name < b.name ? -1 : 1))
    .map(({ key }) => key);
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
