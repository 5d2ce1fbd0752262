import type { Counter } from 'prom-client';

/** What the data plane has counted since it was started. */
export type DataPlaneCounts = Readonly<Record<'authUndecided' | 'mirrorLost', number>>;

/** Milliseconds; a scrape doesn't wait longer for a data plane that is busy or gone. */
const PATIENCE = 2000;

/** Sets the counters to what the data plane says; where it doesn't answer they keep what it said last. */
export async function readDataPlaneCounts(
  ask: () => Promise<DataPlaneCounts>,
  counters: Readonly<Record<keyof DataPlaneCounts, Counter>>,
): Promise<void> {
  const counts = await Promise.race([ask().catch(() => undefined), patience()]);
  if (counts === undefined) return;
  for (const [name, counter] of Object.entries(counters)) {
    counter.reset();
    counter.inc(counts[name as keyof DataPlaneCounts]);
  }
}

function patience(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), PATIENCE).unref();
  });
}
