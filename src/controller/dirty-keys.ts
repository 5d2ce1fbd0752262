import { isEmptyDelta } from '../model/diff.ts';
import { MODEL_TABLES, type ModelDelta, type ModelTable } from '../model/model.ts';

/**
 * The union of model changes that somebody hasn't looked at yet. Grows in place, so that merging 10,000 changes into
 * one costs no more than their keys.
 */
export class DirtyKeys {
  #keys = emptyKeys();
  #everything = false;

  /** Whether the whole model is to be compared, because it was replaced by another. */
  get everything(): boolean {
    return this.#everything;
  }

  get isEmpty(): boolean {
    return !this.#everything && isEmptyDelta(this.#keys);
  }

  /** The keys so far. Live until `take` or `clear`. */
  get delta(): ModelDelta {
    return this.#keys;
  }

  add(delta: ModelDelta): void {
    for (const table of MODEL_TABLES) for (const key of delta[table]) this.#keys[table].add(key);
  }

  addEverything(): void {
    this.#everything = true;
  }

  clear(): void {
    this.#keys = emptyKeys();
    this.#everything = false;
  }

  /** Hands the keys over and begins anew. */
  take(): { readonly everything: boolean; readonly delta: ModelDelta } {
    const taken = { everything: this.#everything, delta: this.#keys };
    this.clear();
    return taken;
  }
}

function emptyKeys(): Record<ModelTable, Set<string>> {
  return { certificates: new Set(), backends: new Set(), listeners: new Set(), hosts: new Set(), l4Routes: new Set() };
}
