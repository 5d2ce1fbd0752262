import { readdirSync } from 'node:fs';
import { residentParts } from '../bench/process-figures.ts';

interface Sample {
  /** Seconds since the soak began. */
  readonly at: number;
  /** MiB that are the process's own. */
  readonly own: number;
  /** MiB of shared memory that it has touched. */
  readonly shared: number;
  readonly descriptors: number;
}

/** Growth that is noise: heaps breathe, and a connection is open or not at the moment it is looked at. */
const MEMORY_NOISE = { share: 0.1, mebibytes: 4 };
const DESCRIPTOR_NOISE = 40;

export interface Flatness {
  readonly name: string;
  /** Medians of the first and the last third of the time after warming up. */
  readonly own: readonly [number, number];
  readonly shared: readonly [number, number];
  readonly descriptors: readonly [number, number];
  readonly flat: boolean;
}

/** Memory and descriptors of processes over time. */
export class ProcessSamples {
  readonly #samples = new Map<string, Sample[]>();

  /** `processes`: by the name that they keep for the whole time. */
  take(at: number, processes: ReadonlyMap<string, number>): void {
    for (const [name, pid] of processes) {
      const list = this.#samples.get(name) ?? [];
      list.push({ at, ...residentParts(pid), descriptors: openDescriptors(pid) });
      this.#samples.set(name, list);
    }
  }

  /** Of what was sampled from `from` seconds on. */
  flatness(from: number): readonly Flatness[] {
    return [...this.#samples].map(([name, all]) => {
      const samples = all.filter(({ at }) => at >= from);
      const third = Math.max(1, Math.floor(samples.length / 3));
      const ends = (of: (sample: Sample) => number): readonly [number, number] => [
        median(samples.slice(0, third).map(of)),
        median(samples.slice(-third).map(of)),
      ];
      const own = ends((sample) => sample.own);
      const shared = ends((sample) => sample.shared);
      const descriptors = ends((sample) => sample.descriptors);
      const allowed = own[0] * (1 + MEMORY_NOISE.share) + MEMORY_NOISE.mebibytes;
      const flat = samples.length >= 6 && own[1] <= allowed && descriptors[1] <= descriptors[0] + DESCRIPTOR_NOISE;
      return { name, own, shared, descriptors, flat };
    });
  }
}

function openDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)] ?? Number.NaN;
}
