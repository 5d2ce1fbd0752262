import { clearBad } from './bad-records';
import type { Frame } from './frame-reader';
import { settings } from './options';

/**
 * Writes the frames of one call, all or none. `safe_set` gives up the old value before it finds that there is no room
 * for the new one, so each is kept until the call is through.
 */
interface Former {
  readonly zone: SharedDictionary;
  readonly key: string;
  readonly value: string | undefined;
}

export interface Writing {
  readonly former: Former[];
  /** Keys that changed, one a line. */
  readonly changed: string[];
}

function zoneOf(key: string): SharedDictionary {
  const kind = string.sub(key, 1, 2);
  return kind === 'c:' || kind === 'a:' ? settings.certificates : settings.data;
}

function put(writing: Writing, zone: SharedDictionary, key: string, value: string): boolean {
  const [former] = zone.get(key);
  writing.former.push({ zone, key, value: former as string | undefined });
  const [done] = zone.safe_set(key, value);
  return done;
}

function remove(writing: Writing, zone: SharedDictionary, key: string): void {
  const [former] = zone.get(key);
  if (former !== undefined) {
    writing.former.push({ zone, key, value: former as string });
    zone.delete(key);
  }
}

function sliceKey(key: string, index: number): string {
  return 'slice:' + string.format('%d', index) + ':' + key;
}

/** The slices of a record lie in its zone until the last of them is there. */
function putSlice(writing: Writing, frame: Frame): boolean {
  const { key, total } = frame;
  const zone = zoneOf(key);
  if (!put(writing, zone, sliceKey(key, frame.index), frame.bytes)) {
    return false;
  }
  const parts: string[] = [];
  for (const index of $range(0, total - 1)) {
    const [part] = zone.get(sliceKey(key, index));
    if (part === undefined) {
      return true;
    }
    parts.push(part as string);
  }
  for (const index of $range(0, total - 1)) {
    remove(writing, zone, sliceKey(key, index));
  }
  writing.changed.push(key);
  return put(writing, zone, key, table.concat(parts));
}

function write(writing: Writing, frame: Frame): boolean {
  const { key } = frame;
  if (frame.kind === 'slice') {
    return putSlice(writing, frame);
  }
  writing.changed.push(key);
  if (frame.kind === 'delete') {
    remove(writing, zoneOf(key), key);
    return true;
  }
  return put(writing, zoneOf(key), key, frame.bytes);
}

/** False: there was no room, and what was there before is there again. */
export function writeFrames(frames: readonly Frame[], writing: Writing): boolean {
  for (const frame of frames) {
    if (!write(writing, frame)) {
      undo(writing);
      return false;
    }
  }
  for (const key of writing.changed) {
    clearBad(key);
  }
  return true;
}

function undo(writing: Writing): void {
  const { former } = writing;
  for (const index of $range(former.length, 1, -1)) {
    const { zone, key } = former[index - 1]!;
    zone.delete(key);
  }
  for (const index of $range(former.length, 1, -1)) {
    const { zone, key, value } = former[index - 1]!;
    if (value === undefined) {
      zone.delete(key);
    } else {
      zone.safe_set(key, value);
    }
  }
}
