import type { ResourceChange } from '../../snapshot/resource.ts';
import type { ManifestObject } from './manifest-object.ts';

/** Changes on their way to the sink: one that throws gets them again, in the same order and before later ones. */
export class UndeliveredChanges {
  #changes: readonly ResourceChange[] = [];
  #replaced: ReadonlyMap<string, ManifestObject> = new Map();
  #error: unknown;

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  /** `replaced`: by object, what stood in its place before. */
  add(changes: readonly ResourceChange[], replaced: ReadonlyMap<string, ManifestObject>): void {
    if (changes.length === 0) return;
    this.#changes = this.isEmpty ? changes : [...this.#changes, ...changes];
    // What the sink has seen is older than what it was never given.
    this.#replaced = this.#replaced.size === 0 ? replaced : new Map([...replaced, ...this.#replaced]);
  }

  deliver(sink: (changes: readonly ResourceChange[], replaced: ReadonlyMap<string, ManifestObject>) => void): void {
    if (this.isEmpty) return;
    try {
      sink(this.#changes, this.#replaced);
    } catch (error) {
      this.#error = error;
      return;
    }
    this.#changes = [];
    this.#replaced = new Map();
  }

  /** Throws what the sink threw, where something is left. */
  assertEmpty(): void {
    if (!this.isEmpty) throw this.#error;
  }
}
