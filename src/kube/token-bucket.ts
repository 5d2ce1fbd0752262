/** Lets `burst` through at once and `perSecond` from then on. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #at: number;

  /** `now`: milliseconds, by a clock that only grows. */
  constructor(burst: number, perSecond: number, now: number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#tokens = burst;
    this.#at = now;
  }

  take(now: number): boolean {
    this.#fill(now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Milliseconds until there is one to take. */
  wait(now: number): number {
    this.#fill(now);
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1000;
  }

  /** Whether it is as it was in the beginning, so that nothing is lost with it. */
  isFull(now: number): boolean {
    this.#fill(now);
    return this.#tokens >= this.#burst;
  }

  #fill(now: number): void {
    // A hair's breadth more, so that who waits for as long as `wait` said finds one in spite of rounding.
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond + 1e-9);
    this.#at = now;
  }
}
