/** Time as a parameter, so that what waits can be tried with clocks that go wrong. */
export interface Clock {
  /** Milliseconds since some moment; only ever grows. */
  now(): number;
  /** The time of day, which may be wrong and may jump. */
  date(): Date;
  /** Calls once, after so many milliseconds; the answer prevents it. A waiting call keeps no process alive. */
  after(milliseconds: number, call: () => void): () => void;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves when the time has passed, or as soon as the signal says so. */
export function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true || milliseconds <= 0) {
      resolve();
      return;
    }
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(milliseconds, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
