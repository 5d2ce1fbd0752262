import { MAX_CALL_BYTES } from '../wire.ts';

/** Room for a frame's first line: a key is at most a scope and a host name or an object's name, so far below this. */
const HEADER_ROOM = 2048;
export const SLICE_BYTES = MAX_CALL_BYTES - HEADER_ROOM;

export function putFrame(key: string, text: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`P ${key} ${text.length}\n`), text, NEWLINE]);
}

export function deleteFrame(key: string): Buffer {
  return Buffer.from(`D ${key}\n`);
}

/** A record that doesn't fit in one call, in parts; each must travel in a call of its own. `INDEX` counts from 0. */
export function sliceFrames(key: string, text: Buffer): readonly Buffer[] {
  const total = Math.ceil(text.length / SLICE_BYTES);
  return Array.from({ length: total }, (_, index) => {
    const slice = text.subarray(index * SLICE_BYTES, (index + 1) * SLICE_BYTES);
    return Buffer.concat([Buffer.from(`S ${key} ${index} ${total} ${slice.length}\n`), slice, NEWLINE]);
  });
}

const NEWLINE = Buffer.from('\n');
