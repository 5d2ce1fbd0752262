import type { Clock } from '../../lib/clock.ts';

/** Calls when nothing was heard for so many milliseconds. Costs one timer, however much is heard. */
export class SilenceGuard {
  readonly #clock: Clock;
  readonly #call: () => void;
  #patience: number;
  #heardAt: number;
  #cancel: () => void;

  constructor(clock: Clock, patience: number, call: () => void) {
    this.#clock = clock;
    this.#patience = patience;
    this.#call = call;
    this.#heardAt = clock.now();
    this.#cancel = clock.after(patience, () => this.#look());
  }

  heard(): void {
    this.#heardAt = this.#clock.now();
  }

  set patience(milliseconds: number) {
    this.#patience = milliseconds;
    this.#cancel();
    this.#look();
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const left = this.#heardAt + this.#patience - this.#clock.now();
    if (left <= 0) this.#call();
    else this.#cancel = this.#clock.after(left, () => this.#look());
  }
}
