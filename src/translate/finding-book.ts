import type { Finding } from '../diagnostics/finding.ts';
import { compareNatural, compareText } from '../lib/text-order.ts';

/**
 * All findings, each belonging to a subject (an Ingress, a host, a backend) whose findings are replaced together. Keeps
 * them sorted, so that a change costs one pass over what is there and sorting of what came.
 */
export class FindingBook {
  readonly #subjects = new Map<string, readonly Finding[]>();
  readonly #removed = new Set<Finding>();
  readonly #added = new Set<Finding>();
  #sorted: readonly Finding[] = [];
  #shown: readonly Finding[] = [];

  set(subject: string, findings: readonly Finding[]): void {
    const before = this.#subjects.get(subject);
    if (before === undefined && findings.length === 0) return;
    for (const finding of before ?? []) {
      if (!this.#added.delete(finding)) this.#removed.add(finding);
    }
    // Copies: two subjects may hand in one object, and each must be removable by itself.
    const own = findings.map((finding) => ({ ...finding }));
    for (const finding of own) this.#added.add(finding);
    if (own.length === 0) this.#subjects.delete(subject);
    else this.#subjects.set(subject, own);
  }

  /** In canonical order: by object, field, code, message. What several subjects say alike stands once. */
  all(): readonly Finding[] {
    if (this.#removed.size === 0 && this.#added.size === 0) return this.#shown;
    const added = [...this.#added].sort(compareFindings);
    const kept =
      this.#removed.size === 0 ? this.#sorted : this.#sorted.filter((finding) => !this.#removed.has(finding));
    this.#sorted = merge(kept, added);
    this.#shown = this.#sorted.filter((finding, i) => i === 0 || compareFindings(this.#sorted[i - 1]!, finding) !== 0);
    this.#removed.clear();
    this.#added.clear();
    return this.#shown;
  }
}

function merge(a: readonly Finding[], b: readonly Finding[]): readonly Finding[] {
  if (b.length === 0) return a;
  const merged: Finding[] = [];
  let i = 0;
  for (const finding of b) {
    while (i < a.length && compareFindings(a[i]!, finding) <= 0) merged.push(a[i++]!);
    merged.push(finding);
  }
  while (i < a.length) merged.push(a[i++]!);
  return merged;
}

function compareFindings(a: Finding, b: Finding): number {
  return (
    compareText(a.object.kind, b.object.kind) ||
    compareText(a.object.namespace, b.object.namespace) ||
    compareText(a.object.name, b.object.name) ||
    compareNatural(a.field, b.field) ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}
