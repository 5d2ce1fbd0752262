import type { Finding } from '../../diagnostics/finding.ts';

const NONE: readonly Finding[] = [];

/** Most findings of one code that a file has one by one: nobody reads more, and each is kept, shown and located. */
const MOST = 500;

/**
 * Findings of one file, in their order, as many as are of use: of each code the first 500, and one that tells how many
 * more there are, at the place of the first of those.
 */
export class BoundedFindings {
  readonly #findings: Finding[] = [];
  readonly #counts = new Map<string, number>();
  /** Code → where in `#findings` the first stands that is one too many. */
  readonly #surplus = new Map<string, number>();

  add(finding: Finding): void {
    const count = (this.#counts.get(finding.code) ?? 0) + 1;
    this.#counts.set(finding.code, count);
    if (count > MOST + 1) return;
    if (count === MOST + 1) this.#surplus.set(finding.code, this.#findings.length);
    this.#findings.push(finding);
  }

  all(): readonly Finding[] {
    if (this.#findings.length === 0) return NONE;
    const all = [...this.#findings];
    for (const [code, index] of this.#surplus) {
      const first = all[index];
      const more = (this.#counts.get(code) ?? 0) - MOST - 1;
      if (first === undefined || more === 0) continue;
      const message = `${first.message} There are ${more} more findings of this code in the file, which are not listed.`;
      all[index] = { ...first, message };
    }
    return all;
  }
}
