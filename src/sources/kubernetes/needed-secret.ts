import type { ObjectWatch } from './object-watch.ts';

/** A Secret that something refers to, and how far weir is with it. */
export class NeededSecret {
  /** `shop/web-tls` */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** Resolves when it was delivered, or it is known that it can't be. */
  readonly answered: Promise<void>;
  /** The version that was delivered; undefined: there is none. */
  delivered: string | undefined;
  /** Watches it alone. */
  named: ObjectWatch | undefined;
  /** Under way to get its contents. */
  fetching: AbortController | undefined;
  again: NodeJS.Timeout | undefined;
  readonly #resolve: () => void;
  #isAnswered = false;

  constructor(key: string) {
    const slash = key.indexOf('/');
    this.key = key;
    this.namespace = key.slice(0, slash);
    this.name = key.slice(slash + 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.answered = promise;
    this.#resolve = resolve;
  }

  /** Whether this is the first answer. */
  answer(): boolean {
    if (this.#isAnswered) return false;
    this.#isAnswered = true;
    this.#resolve();
    return true;
  }

  /** Ends what is under way. */
  forget(): void {
    clearTimeout(this.again);
    this.fetching?.abort();
    this.named?.stop();
  }
}
