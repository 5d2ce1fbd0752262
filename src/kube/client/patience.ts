/** How long one request may take, and whether somebody called it off. */
export class Patience {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #calledOff = (): void => this.#controller.abort(new Error('the request was called off'));

  constructor(timeout: number, caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`none within ${timeout / 1000} s`)), timeout);
    this.#timer.unref();
    if (caller?.aborted === true) this.#calledOff();
    else caller?.addEventListener('abort', this.#calledOff);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the request was ended from this side, if it was. */
  get reason(): unknown {
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  /** The head is there: a stream may take as long as it likes from here. */
  answered(): void {
    clearTimeout(this.#timer);
  }

  over(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#calledOff);
  }
}
