import { type Clock, SYSTEM_CLOCK } from '../../src/lib/clock.ts';

const MOST_MS = 5;

/**
 * Every wait ends after a few milliseconds, but no more time has passed than really has: pauses are short, and who looks at the clock when
 * it is called (a guard against silence) finds that it isn't time yet. `skip` lets time pass.
 */
export class ImpatientClock implements Clock {
  #skipped = 0;

  skip(milliseconds: number): void {
    this.#skipped += milliseconds;
  }

  now(): number {
    return SYSTEM_CLOCK.now() + this.#skipped;
  }

  date(): Date {
    return new Date(SYSTEM_CLOCK.date().getTime() + this.#skipped);
  }

  after(milliseconds: number, call: () => void): () => void {
    return SYSTEM_CLOCK.after(Math.min(milliseconds, MOST_MS), call);
  }
}
