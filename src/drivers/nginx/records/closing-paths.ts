import type { PathRecord } from '../wire.ts';
import { standInPath } from './pattern-stand-in.ts';

/** At most so many paths, and so many characters of each, are closed for all routes that found no room in a host. */
const MOST_PATHS = 256;
const LONGEST = 64;

export interface ClosingPaths {
  /** By the place of the first path that each stands for. */
  readonly closings: ReadonlyMap<number, PathRecord>;
  /** Nothing that could be closed had to be left out. */
  readonly complete: boolean;
}

/**
 * What is closed instead of routes that are left out, so that what they were to take falls to no less exact route: their
 * paths, cut as far as needed to be few and take at most `room` bytes. Never cut to `/` alone, which would be the whole
 * host. What doesn't fit even so is not closed.
 */
export function closingPaths(
  paths: readonly PathRecord[],
  bytesOf: (path: PathRecord, place: number) => number,
  room: number,
): ClosingPaths {
  const beginnings = paths.map((path) =>
    path.kind === 'regex' ? standInPath(path.value, path.ignoreCase === true) : path,
  );
  for (let length = LONGEST; ; length -= 1) {
    const seen = new Set<string>();
    const closings = new Map<number, PathRecord>();
    let bytes = 0;
    let fits = true;
    for (const [place, beginning] of beginnings.entries()) {
      if (beginning === undefined) continue;
      const path = cut(beginning, length);
      const key = `${path.kind} ${path.value}`;
      if (seen.has(key)) continue;
      seen.add(key);
      bytes += bytesOf(path, place);
      fits = seen.size <= MOST_PATHS && bytes <= room;
      if (!fits) break;
      closings.set(place, path);
    }
    if (fits || length === 2) return { closings, complete: fits };
  }
}

function cut(path: PathRecord, length: number): PathRecord {
  if (path.value.length <= length) return path;
  // Not through the middle of a character.
  const value = path.value.slice(0, length).replace(/[\ud800-\udbff]$/u, '');
  return path.kind === 'regex' ? { ...path, value } : { kind: 'text-prefix', value };
}
