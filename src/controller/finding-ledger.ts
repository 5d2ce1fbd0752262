import type { Finding } from '../diagnostics/finding.ts';
import { findingIdentity } from '../diagnostics/finding-identity.ts';

/** Remembers when each finding was first seen in this run. */
export class FindingLedger {
  #seen = new Map<string, string>();

  /** The same findings, each once (several proxies may say the same) and with `seen`. What isn't among them is forgotten. */
  stamp(findings: readonly Finding[], now: Date): readonly Finding[] {
    const before = this.#seen;
    this.#seen = new Map();
    return findings.flatMap((finding) => {
      const id = findingIdentity(finding);
      if (this.#seen.has(id)) return [];
      const seen = before.get(id) ?? now.toISOString();
      this.#seen.set(id, seen);
      return { ...finding, seen };
    });
  }
}
