import type { DataPlaneCounts } from '../wire';
import { settings } from './options';

/** Adds one, over all workers and reloads, since nginx was started. Nothing is told where the zone has no room. */
export function count(name: keyof DataPlaneCounts): void {
  settings.counters.incr(name, 1, 0);
}

export function readCounts(): DataPlaneCounts {
  return { authUndecided: read('authUndecided'), mirrorLost: read('mirrorLost') };
}

function read(name: keyof DataPlaneCounts): number {
  const [value] = settings.counters.get(name);
  return value === undefined ? 0 : (value as number);
}
