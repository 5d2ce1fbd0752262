/** Milliseconds after which an old quarrel counts no more. */
const FORGOTTEN = 3_600_000;
const FIRST = 30_000;
const LONGEST = 900_000;

/**
 * Somebody else writes the same status. The first time, weir writes again at once; then it waits longer and longer, so that
 * two controllers of one class don't overwrite each other without end.
 */
export class Contest {
  #times = 0;
  #last = -Infinity;

  /** Milliseconds to wait until weir writes over it. `now`: by a clock that only grows. */
  lost(now: number): number {
    if (now - this.#last > FORGOTTEN) this.#times = 0;
    this.#last = now;
    this.#times++;
    return this.#times === 1 ? 0 : Math.min(FIRST * 2 ** Math.min(this.#times - 2, 10), LONGEST);
  }

  /** Whether it was lost so often that somebody should be told. */
  get isQuarrel(): boolean {
    return this.#times >= 3;
  }
}
