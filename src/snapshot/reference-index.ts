/** One key as it is, several as a set: most objects refer to one other, and a set of one takes ten times the memory. */
type Keys = string | ReadonlySet<string>;

const NONE: readonly string[] = [];

/** Who refers to whom, readable from both ends. Costs what an update touches. */
export class ReferenceIndex {
  readonly #targets = new Map<string, Keys>();
  readonly #users = new Map<string, Keys>();

  /** `from` now refers to exactly these. Returns the targets that nobody refers to any more. */
  set(from: string, targets: ReadonlySet<string>): readonly string[] {
    const before = this.targets(from);
    if (targets.size === 0) this.#targets.delete(from);
    else this.#targets.set(from, targets.size === 1 ? [...targets][0]! : new Set(targets));
    for (const target of targets) this.#users.set(target, withKey(this.#users.get(target), from));
    const orphans: string[] = [];
    for (const target of before) {
      if (targets.has(target)) continue;
      const rest = withoutKey(this.#users.get(target), from);
      if (rest !== undefined) {
        this.#users.set(target, rest);
        continue;
      }
      this.#users.delete(target);
      orphans.push(target);
    }
    return orphans;
  }

  targets(from: string): readonly string[] {
    return list(this.#targets.get(from));
  }

  users(target: string): readonly string[] {
    return list(this.#users.get(target));
  }

  isUsed(target: string): boolean {
    return this.#users.has(target);
  }
}

function list(keys: Keys | undefined): readonly string[] {
  if (keys === undefined) return NONE;
  return typeof keys === 'string' ? [keys] : [...keys];
}

function withKey(keys: Keys | undefined, key: string): Keys {
  if (keys === undefined || keys === key) return key;
  if (typeof keys === 'string') return new Set([keys, key]);
  (keys as Set<string>).add(key);
  return keys;
}

function withoutKey(keys: Keys | undefined, key: string): Keys | undefined {
  if (keys === undefined || typeof keys === 'string') return keys === key ? undefined : keys;
  (keys as Set<string>).delete(key);
  return keys.size === 0 ? undefined : keys;
}
