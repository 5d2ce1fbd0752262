import { setTimeout as delay } from 'node:timers/promises';
import type { Driver } from '../drivers/driver.ts';

export interface DrainState {
  readonly since: Date;
  /** Until clients have had the time to go elsewhere; 0: nothing speaks against stopping. */
  readonly secondsLeft: number;
}

export interface DrainOptions {
  readonly drivers: readonly Driver[];
  /** Milliseconds. */
  readonly delay: number;
  readonly onFault: (what: string, error: unknown) => void;
  /** Told when it begins, and when it is taken back. */
  readonly onChange?: (draining: boolean) => void;
}

/**
 * Lets clients go before the load balancers of this machine stop: for a while they go on taking connections and requests,
 * and each answer is the last of its connection. Meanwhile whoever sends clients here learns that it is to stop; weir
 * can't know when the last of them has, so that it is a matter of time alone.
 */
export class Drain {
  readonly #options: DrainOptions;
  #began: { readonly since: Date; readonly end: number } | undefined;

  constructor(options: DrainOptions) {
    this.#options = options;
  }

  /** Undefined: it hasn't begun. */
  get state(): DrainState | undefined {
    if (this.#began === undefined) return undefined;
    return { since: this.#began.since, secondsLeft: Math.max(0, this.#began.end - performance.now()) / 1000 };
  }

  /** Once; whoever comes later finds it begun. Resolves when the load balancers know. */
  async begin(): Promise<void> {
    if (this.#began !== undefined) return;
    const { drivers, delay: wait, onChange } = this.#options;
    const able = drivers.some((driver) => driver.letClientsGo !== undefined);
    this.#began = { since: new Date(), end: performance.now() + (able ? wait : 0) };
    onChange?.(true);
    await this.#tell(true);
  }

  /** As if it had never begun. */
  async cancel(): Promise<void> {
    if (this.#began === undefined) return;
    this.#began = undefined;
    this.#options.onChange?.(false);
    await this.#tell(false);
  }

  /** Resolves when the time is over, it is cancelled, or the signal gives up. */
  async over(signal?: AbortSignal): Promise<void> {
    for (let state = this.state; state !== undefined && state.secondsLeft > 0; state = this.state) {
      if (signal?.aborted === true) return;
      const wait = Math.min(250, Math.ceil(state.secondsLeft * 1000));
      await delay(wait, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  }

  /** One that can't be told stops nobody: then its clients find out when it stops. */
  async #tell(on: boolean): Promise<void> {
    await Promise.all(
      this.#options.drivers.map((driver) =>
        driver
          .letClientsGo?.(on)
          .catch((error: unknown) => this.#options.onFault(`telling ${driver.name} to let its clients go`, error)),
      ),
    );
  }
}
