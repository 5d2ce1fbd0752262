/** One frame of an apply call. `P KEY LEN`, `D KEY` or `S KEY INDEX TOTAL LEN`, each line followed by its bytes. */
export interface Frame {
  readonly kind: 'put' | 'delete' | 'slice';
  readonly key: string;
  readonly bytes: string;
  readonly index: number;
  readonly total: number;
}

const MOST_SLICES = 64;

function isKey(key: string): boolean {
  const [kind] = string.match(key, '^[cablsh]:.');
  return kind !== undefined && key.length <= 1024;
}

/** All frames, or undefined with what is wrong where. */
export function readFrames(body: string): LuaMultiReturn<[Frame[] | undefined, string]> {
  const frames: Frame[] = [];
  let position = 1;
  while (position <= body.length) {
    const [newline] = string.find(body, '\n', position, true);
    if (newline === undefined) {
      return $multi(undefined, 'a frame without an end of line at byte ' + tostring(position));
    }
    const line = string.sub(body, position, newline - 1);
    const [deleted] = string.match(line, '^D (%S+)$');
    if (deleted !== undefined && isKey(deleted)) {
      frames.push({ kind: 'delete', key: deleted, bytes: '', index: 0, total: 0 });
      position = newline + 1;
    } else {
      const [putKey, putLength] = string.match(line, '^P (%S+) (%d+)$');
      const [sliceKey, index, total, sliceLength] = string.match(line, '^S (%S+) (%d+) (%d+) (%d+)$');
      const key = putKey ?? sliceKey;
      const length = tonumber(putLength ?? sliceLength ?? '');
      if (key === undefined || length === undefined || !isKey(key)) {
        return $multi(undefined, 'a frame that is none at byte ' + tostring(position));
      }
      const last = newline + length;
      if (string.sub(body, last + 1, last + 1) !== '\n') {
        return $multi(undefined, 'a frame of another length than it tells at byte ' + tostring(position));
      }
      const place = tonumber(index ?? '0')!;
      const places = tonumber(total ?? '0')!;
      if (putKey === undefined && (places < 1 || places > MOST_SLICES || place >= places)) {
        return $multi(undefined, 'a slice out of its range at byte ' + tostring(position));
      }
      frames.push({
        kind: putKey === undefined ? 'slice' : 'put',
        key,
        bytes: string.sub(body, newline + 1, last),
        index: place,
        total: places,
      });
      position = last + 2;
    }
  }
  return $multi(frames, '');
}
