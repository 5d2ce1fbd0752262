import type { Clock } from '../../src/lib/clock.ts';

interface Event {
  readonly at: number;
  readonly call: () => void;
}

/** Time that passes only when it is told to, and clocks that show it rightly or wrongly. */
export class SimulatedTime {
  #now = 0;
  #events: Event[] = [];

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.#now;
  }

  /** `rate` 1.1: runs 10 % fast. `offset`: milliseconds by which its time of day is wrong; a function may make it jump. */
  clock({ rate = 1, offset = 0 }: { rate?: number; offset?: number | (() => number) } = {}): Clock {
    const wrong = typeof offset === 'number' ? () => offset : offset;
    return {
      now: () => this.#now * rate,
      date: () => new Date(Date.UTC(2026, 0, 1) + Math.round(this.#now * rate + wrong())),
      after: (milliseconds, call) => this.after(milliseconds / rate, call),
    };
  }

  after(milliseconds: number, call: () => void): () => void {
    const event = { at: this.#now + Math.max(milliseconds, 0), call };
    const before = this.#events.findLastIndex(({ at }) => at <= event.at);
    this.#events.splice(before + 1, 0, event);
    return () => {
      this.#events = this.#events.filter((each) => each !== event);
    };
  }

  /** Lets the time pass, event by event; whatever promises follow from one comes before the next. `each`: after every event. */
  async pass(milliseconds: number, each?: () => void): Promise<void> {
    const end = this.#now + milliseconds;
    await rest();
    while (this.#events[0] !== undefined && this.#events[0].at <= end) {
      const [event] = this.#events.splice(0, 1) as [Event];
      this.#now = event.at;
      event.call();
      await rest();
      each?.();
    }
    this.#now = end;
  }
}

/** Until all promises that can go on have. */
function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
