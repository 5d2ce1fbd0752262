import type { Finding } from '../../diagnostics/finding.ts';

/** What was last reported of each subject. */
export class ReportedFindings {
  /** As JSON: 30,000 files without findings cost nothing. */
  readonly #bySubject = new Map<string, string>();

  /** Notes the findings of a subject; returns whether they differ from those before. */
  note(subject: string, findings: readonly Finding[]): boolean {
    const text = findings.length === 0 ? undefined : JSON.stringify(findings);
    if (this.#bySubject.get(subject) === text) return false;
    if (text === undefined) this.#bySubject.delete(subject);
    else this.#bySubject.set(subject, text);
    return true;
  }
}
