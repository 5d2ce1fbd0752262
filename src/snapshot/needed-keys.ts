/** A key that something refers to now and didn't before, or the other way round. */
export interface NeedChange {
  /** `shop/web-tls` */
  readonly key: string;
  readonly needed: boolean;
}

/** Keys that something refers to, and which of them came or went since somebody last asked. Costs what changes. */
export class NeededKeys {
  readonly #needed = new Set<string>();
  readonly #told = new Set<string>();
  readonly #touched = new Set<string>();

  add(key: string): void {
    if (this.#needed.has(key)) return;
    this.#needed.add(key);
    this.#touched.add(key);
  }

  remove(key: string): void {
    if (this.#needed.delete(key)) this.#touched.add(key);
  }

  /** What differs from what the last call knew. */
  take(): readonly NeedChange[] {
    if (this.#touched.size === 0) return NONE;
    const changes: NeedChange[] = [];
    for (const key of this.#touched) {
      const needed = this.#needed.has(key);
      if (needed === this.#told.has(key)) continue;
      if (needed) this.#told.add(key);
      else this.#told.delete(key);
      changes.push({ key, needed });
    }
    this.#touched.clear();
    return changes;
  }
}

const NONE: readonly NeedChange[] = [];
