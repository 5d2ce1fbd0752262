import { deltaSize, mergeDeltas } from '../model/diff.ts';
import type { ModelDelta } from '../model/model.ts';

interface Entry {
  readonly generation: number;
  readonly delta: ModelDelta;
}

/** Keys that are remembered in all, at most: enough for a stream that was cut for a moment. */
const MOST_KEYS = 50_000;

/** Which keys of the model changed with which generation, for as long back as is worth it; never the parts themselves. */
export class ChangeLog {
  readonly #mostKeys: number;
  #entries: Entry[] = [];
  #keys = 0;
  #newest = 0;
  /** What changed up to and with this generation isn't known. */
  #forgotten = 0;

  constructor(mostKeys = MOST_KEYS) {
    this.#mostKeys = mostKeys;
  }

  get newest(): number {
    return this.#newest;
  }

  /** `delta` undefined: anything may have changed. */
  add(generation: number, delta: ModelDelta | undefined): void {
    this.#newest = generation;
    if (delta === undefined) {
      this.#entries = [];
      this.#keys = 0;
      this.#forgotten = generation;
      return;
    }
    this.#entries.push({ generation, delta });
    this.#keys += deltaSize(delta);
    while (this.#keys > this.#mostKeys) {
      const oldest = this.#entries.shift()!;
      this.#keys -= deltaSize(oldest.delta);
      this.#forgotten = oldest.generation;
    }
  }

  /** The keys that changed after this generation; undefined where that isn't known any more. */
  since(generation: number): ModelDelta | undefined {
    if (generation < this.#forgotten || generation > this.#newest) return undefined;
    return mergeDeltas(...this.#entries.filter((entry) => entry.generation > generation).map(({ delta }) => delta));
  }
}
