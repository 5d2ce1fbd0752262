import { type Clock, pause, SYSTEM_CLOCK } from '../lib/clock.ts';
import { KubeError } from './kube-error.ts';
import type { TokenBucket } from './token-bucket.ts';

export interface WriteQueueOptions {
  /** Writes under way at once, at most. */
  readonly parallel: number;
  /** Brings the object of this key to where it should be, and asks what that is when it begins. Throws what the request did. */
  readonly write: (key: string, signal: AbortSignal) => Promise<void>;
  /** A write failed for good, or for so long; the answer is when to try again, in milliseconds; undefined: never. */
  readonly onRefused: (key: string, error: unknown, attempt: number) => number | undefined;
  /** The server can't be reached or asks for patience; undefined: it answers again. */
  readonly onAway?: (error: Error | undefined) => void;
  /** Limits how many begin; left out: as fast as they are answered. */
  readonly pace?: TokenBucket;
  readonly clock?: Clock;
  readonly random?: () => number;
}

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 15_000;
const MOST_PATIENCE = 60_000;

/**
 * Keys of objects that must be written, each once however often it was added. While the server is away or overloaded all of
 * them wait, and one goes ahead to see whether it is back.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #waiting = new Set<string>();
  /** Keys under way; true: added again meanwhile. */
  readonly #busy = new Map<string, boolean>();
  readonly #later = new Map<string, () => void>();
  readonly #attempts = new Map<string, number>();
  #abort = new AbortController();
  /** Failures of the server in a row. */
  #failures = 0;
  #pausedUntil = 0;
  #wake: (() => void) | undefined;
  #idle: (() => void)[] = [];

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#random = options.random ?? Math.random;
  }

  /** Keys that wait, now or for their next try. */
  get size(): number {
    return this.#waiting.size + this.#later.size;
  }

  add(key: string): void {
    this.#forgetLater(key);
    this.#attempts.delete(key);
    if (this.#busy.has(key)) this.#busy.set(key, true);
    else this.#waiting.add(key);
    this.#pump();
  }

  /** A key that waits already, or for its next try, stays as it is. */
  has(key: string): boolean {
    return this.#waiting.has(key) || this.#later.has(key) || this.#busy.has(key);
  }

  /** A write of it that is under way is finished. */
  delete(key: string): void {
    this.#forgetLater(key);
    this.#attempts.delete(key);
    this.#waiting.delete(key);
    if (this.#busy.has(key)) this.#busy.set(key, false);
    this.#settle();
  }

  /** Drops all that waits and breaks off what is under way. */
  clear(): void {
    for (const cancel of this.#later.values()) cancel();
    this.#later.clear();
    this.#attempts.clear();
    this.#waiting.clear();
    for (const key of this.#busy.keys()) this.#busy.set(key, false);
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#settle();
  }

  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#settle();
    });
  }

  #pump(): void {
    if (this.#wake !== undefined) return;
    const now = this.#clock.now();
    const parallel = this.#failures > 0 ? 1 : this.#options.parallel;
    for (const key of this.#waiting) {
      if (this.#busy.size >= parallel) return;
      const wait = Math.max(this.#pausedUntil - now, this.#options.pace?.wait(now) ?? 0);
      if (wait > 0) {
        this.#wake = this.#clock.after(wait, () => {
          this.#wake = undefined;
          this.#pump();
        });
        return;
      }
      this.#options.pace?.take(now);
      this.#waiting.delete(key);
      this.#busy.set(key, false);
      void this.#write(key);
    }
    this.#settle();
  }

  async #write(key: string): Promise<void> {
    const { signal } = this.#abort;
    let failure: { readonly error: unknown } | undefined;
    try {
      await this.#options.write(key, signal);
    } catch (error) {
      failure = { error };
    }
    const again = this.#busy.get(key) === true;
    this.#busy.delete(key);
    if (again) this.#waiting.add(key);
    if (failure === undefined) {
      this.#attempts.delete(key);
      this.#answered();
    } else if (!signal.aborted) this.#failed(key, failure.error, again);
    this.#pump();
  }

  #failed(key: string, error: unknown, again: boolean): void {
    const away = error instanceof KubeError && isAway(error);
    if (away) this.#rest(error);
    else this.#answered();
    if (again) return;
    if (away) {
      this.#waiting.add(key);
      return;
    }
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    const wait = this.#options.onRefused(key, error, attempt);
    if (wait === undefined) {
      this.#attempts.delete(key);
      return;
    }
    this.#attempts.set(key, attempt);
    const cancel = this.#clock.after(wait * (0.75 + this.#random() / 2), () => {
      this.#later.delete(key);
      this.#waiting.add(key);
      this.#pump();
    });
    this.#later.set(key, cancel);
  }

  #rest(error: KubeError): void {
    if (this.#failures === 0) this.#options.onAway?.(error);
    this.#failures++;
    const doubled = Math.min(FIRST_PAUSE * 2 ** Math.min(this.#failures - 1, 10), LONGEST_PAUSE);
    const asked = Math.min((error.retryAfter ?? 0) * 1000, MOST_PATIENCE);
    const wait = Math.max(doubled * (0.5 + this.#random() / 2), asked);
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + wait);
  }

  #answered(): void {
    if (this.#failures > 0) this.#options.onAway?.(undefined);
    this.#failures = 0;
  }

  #forgetLater(key: string): void {
    this.#later.get(key)?.();
    this.#later.delete(key);
  }

  #settle(): void {
    if (this.#busy.size > 0 || this.size > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}

/** Whether it says something about the server and nothing about the object. */
function isAway({ status }: KubeError): boolean {
  return status === undefined || status === 401 || status === 429 || status === 503 || status === 504;
}

/** Waits until the queue is empty, at most so long. */
export async function drained(queue: WriteQueue, milliseconds: number, clock: Clock = SYSTEM_CLOCK): Promise<void> {
  const end = new AbortController();
  await Promise.race([queue.idle(), pause(clock, milliseconds, end.signal)]);
  end.abort();
}
