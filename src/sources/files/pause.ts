import { setImmediate as yieldToOthers } from 'node:timers/promises';

/** Longest time, in ms, without letting others run. */
const SLICE = 15;

/** Lets others run now and then. */
export class Pause {
  #since = performance.now();

  async after(): Promise<void> {
    if (performance.now() - this.#since < SLICE) return;
    await yieldToOthers();
    this.#since = performance.now();
  }
}
