import type { Depth } from './manifest-tree.ts';

/** A path that must be looked at. Times are milliseconds of `performance.now()`. */
export interface PendingLook {
  readonly path: string;
  readonly depth: Depth;
  /** When it was first wanted. */
  readonly since: number;
  readonly due: number;
}

const DEPTHS: readonly Depth[] = ['entry', 'entries', 'everything'];

/** Paths waiting to be looked at, each once, after a moment in which nothing more was heard of it. */
export class PendingLooks {
  readonly #looks = new Map<string, PendingLook>();
  readonly #moved: number;
  readonly #quiet: number;
  readonly #longest: number;

  /**
   * An event is acted on `quiet` ms after the last one of its path, but `longest` ms after the first at the latest; one
   * that says that a whole file was moved there, `moved` ms later, unless there is another before.
   */
  constructor({ moved, quiet, longest }: { readonly moved: number; readonly quiet: number; readonly longest: number }) {
    this.#moved = moved;
    this.#quiet = quiet;
    this.#longest = longest;
  }

  get size(): number {
    return this.#looks.size;
  }

  /** Something happened to `path` now; returns when it is due. */
  event(path: string, depth: Depth, now: number, moved = false): number {
    const known = this.#looks.get(path);
    const since = known?.since ?? now;
    const wait = moved && known === undefined ? this.#moved : this.#quiet;
    const due = Math.min(now + wait, Math.max(since + this.#longest, now));
    this.#set({ path, depth, since, due });
    return due;
  }

  /** Looks again at `due`, as part of what is wanted since `since`. */
  at(path: string, depth: Depth, since: number, due: number): void {
    this.#set({ path, depth, since: Math.min(since, this.#looks.get(path)?.since ?? since), due });
  }

  /** Removes and returns what is due. */
  take(now: number): PendingLook[] {
    const due = [...this.#looks.values()].filter((look) => look.due <= now);
    for (const look of due) this.#looks.delete(look.path);
    return due;
  }

  /** When the next is due; `wantedBefore` leaves out what was first wanted later. */
  next(wantedBefore = Number.POSITIVE_INFINITY): number | undefined {
    let next: number | undefined;
    for (const look of this.#looks.values()) {
      if (look.since <= wantedBefore && (next === undefined || look.due < next)) next = look.due;
    }
    return next;
  }

  #set(look: PendingLook): void {
    const known = this.#looks.get(look.path)?.depth ?? 'entry';
    const depth = DEPTHS.indexOf(known) > DEPTHS.indexOf(look.depth) ? known : look.depth;
    this.#looks.set(look.path, { ...look, depth });
  }
}
