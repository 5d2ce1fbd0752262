import { median } from '../figures.ts';
import { cpuSeconds } from '../process-figures.ts';
import type { LoadResult } from '../wrk.ts';

export interface Arm {
  readonly name: string;
  readonly workers: () => readonly number[];
  readonly load: (seconds: number) => Promise<LoadResult>;
}

export interface Rounds {
  readonly rounds: number;
  readonly seconds: number;
  /** Before the first round, each arm: connections are made, programs compiled. */
  readonly warmUpSeconds: number;
}

export interface ArmFigures {
  readonly name: string;
  /** By round. */
  readonly micros: readonly number[];
  readonly p99Ms: readonly number[];
  readonly requestsPerSecond: number;
}

/**
 * CPU that one request costs in the nginx in front of a tiny backend, µs, and the 99th percentile of the times that
 * clients wait. The arms take turns, so that what else the machine does meets them alike.
 */
export async function measureArms(
  arms: readonly Arm[],
  { rounds, seconds, warmUpSeconds }: Rounds,
  say: (line: string) => void,
): Promise<ArmFigures[]> {
  for (const { load } of arms) await load(warmUpSeconds);
  const measured = arms.map(({ name }) => ({
    name,
    micros: [] as number[],
    p99Ms: [] as number[],
    perSecond: [] as number[],
  }));
  for (let round = 0; round < rounds; round += 1) {
    // Each round begins with another arm: who comes after whom matters too.
    for (let turn = 0; turn < arms.length; turn += 1) {
      const index = (turn + round) % arms.length;
      const arm = arms[index]!;
      const workers = arm.workers();
      const before = cpuSeconds(workers);
      const load = await arm.load(seconds);
      measured[index]?.micros.push(((cpuSeconds(workers) - before) / load.requests) * 1e6);
      measured[index]?.p99Ms.push(load.p99Ms);
      measured[index]?.perSecond.push(load.perSecond);
    }
    const figures = measured.map(({ name, micros }) => `${name} ${micros.at(-1)?.toFixed(1)}`);
    say(`round ${round + 1} of ${rounds}, µs: ${figures.join(' · ')}`);
  }
  return measured.map(({ perSecond, ...figures }) => ({ ...figures, requestsPerSecond: median(perSecond) }));
}

/** One list divided by another, round by round. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] ?? Number.NaN));
}
