/** How a request fails. `eof`: the connection ended in order before an answer; `goaway`: refused unprocessed on HTTP/2. */
export const FAILURES = ['eof', 'reset', 'refused', 'timeout', 'status', 'goaway', 'other'] as const;
export type Failure = (typeof FAILURES)[number];

export interface TallyReport {
  /** Answered or failed. */
  readonly requests: number;
  readonly failed: number;
  readonly byFailure: Readonly<Record<Failure, number>>;
  /** Connections that were made. */
  readonly connections: number;
  /** Longest time, in milliseconds, that a connection which had a next request was idle before it. */
  readonly longestPause: number;
  /** The first 20 failures, in words. */
  readonly examples: readonly string[];
}

/** Counts every request of one kind exactly once. */
export class Tally {
  readonly #byFailure = Object.fromEntries(FAILURES.map((failure) => [failure, 0])) as Record<Failure, number>;
  readonly #examples: string[] = [];
  readonly #began = performance.now();
  #requests = 0;
  #connections = 0;
  #longestPause = 0;

  connected(): void {
    this.#connections += 1;
  }

  paused(milliseconds: number): void {
    this.#longestPause = Math.max(this.#longestPause, Math.round(milliseconds));
  }

  answered(): void {
    this.#requests += 1;
  }

  failed(failure: Failure, where: string, words: string): void {
    this.#requests += 1;
    this.#byFailure[failure] += 1;
    const second = ((performance.now() - this.#began) / 1000).toFixed(2);
    if (this.#examples.length < 20) this.#examples.push(`${failure} at ${second} s, ${where}: ${words}`);
  }

  report(): TallyReport {
    return {
      requests: this.#requests,
      failed: Object.values(this.#byFailure).reduce((sum, count) => sum + count, 0),
      byFailure: { ...this.#byFailure },
      connections: this.#connections,
      longestPause: this.#longestPause,
      examples: [...this.#examples],
    };
  }
}

/** What an error of a socket, or of an answer that didn't come, counts as. */
export function failureOf(error: unknown): Failure {
  const { code, message = '' } = error as Partial<NodeJS.ErrnoException>;
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'reset';
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ETIMEDOUT' || /in time|within/u.test(message)) return 'timeout';
  if (code?.startsWith('ERR_HTTP2') === true) return 'goaway';
  return 'other';
}
