/** Keeps something back until all that was awaited has come, or since the first of it too much time has passed. */
export class Hold {
  readonly #patience: number;
  readonly #onEnd: () => void;
  readonly #awaited = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  /** `patience` in milliseconds. */
  constructor(patience: number, onEnd: () => void) {
    this.#patience = patience;
    this.#onEnd = onEnd;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  /** A promise that rejects has come, too. */
  until(promise: Promise<void>): void {
    this.#awaited.add(promise);
    this.#timer ??= setTimeout(() => this.end(), this.#patience).unref();
    const come = () => {
      if (this.#awaited.delete(promise) && this.#awaited.size === 0) this.end();
    };
    void promise.then(come, come);
  }

  end(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#awaited.clear();
    this.#onEnd();
  }
}
