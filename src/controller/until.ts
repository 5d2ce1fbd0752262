/** Waits for the promise or the signal, whichever is first. */
export async function until(signal: AbortSignal, promise: Promise<unknown>): Promise<void> {
  if (signal.aborted) return;
  let stop: (() => void) | undefined;
  const given = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', resolve as () => void, { once: true });
  });
  await Promise.race([promise, given]);
  signal.removeEventListener('abort', stop as () => void);
}
