/** Milliseconds before try number `attempt` (from 1): doubling from `first` to `most`, with jitter so that nobody retries in step. */
export function backOff(attempt: number, random: () => number, first = 250, most = 30_000): number {
  const ceiling = Math.min(most, first * 2 ** Math.min(attempt - 1, 20));
  return ceiling * (0.5 + random() / 2);
}
