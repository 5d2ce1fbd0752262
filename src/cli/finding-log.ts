import type { Logger } from 'pino';
import type { Finding, Severity } from '../diagnostics/finding.ts';
import { findingIdentity } from '../diagnostics/finding-identity.ts';
import { findingLine } from './finding-text.ts';
import { counted } from './counted.ts';

/** Most findings of one look that have a line each. */
const MOST = 20;
const LEVELS = { error: 'error', warning: 'warn', info: 'debug' } as const satisfies Record<Severity, keyof Logger>;
const WHERE_ALL_ARE = '`weir status`, `weir check` and /api/v1/diagnostics show them all';

/** Writes each finding to the log once, when it appears, and tells when findings are gone. */
export class FindingLog {
  readonly #log: Logger;
  readonly #locate: (finding: Finding) => Promise<Finding>;
  #known = new Map<string, Severity>();

  /** `locate` gives a finding its line and column, where they are known. */
  constructor(log: Logger, locate: (finding: Finding) => Promise<Finding>) {
    this.#log = log;
    this.#locate = locate;
  }

  /** `findings`: all that there are now. Resolves when what is new among them was written. */
  async note(findings: readonly Finding[]): Promise<void> {
    const before = this.#known;
    const now = new Map(findings.map((finding) => [findingIdentity(finding), finding]));
    this.#known = new Map([...now].map(([id, { severity }]) => [id, severity]));
    const added = [...now].filter(([id]) => !before.has(id)).map(([, finding]) => finding);
    const gone = [...before].filter(([id]) => !now.has(id)).map(([, severity]) => severity);
    const remaining = [...this.#known.values()];
    for (const severity of ['error', 'warning', 'info'] as const)
      await this.#tell(
        severity,
        added.filter((finding) => finding.severity === severity),
      );
    const matters = gone.filter((severity) => severity !== 'info').length;
    if (matters > 0) {
      const left = [...tally(remaining, 'error'), ...tally(remaining, 'warning')].join(' and ');
      const are = matters === 1 ? 'is' : 'are';
      this.#log.info(`${counted(matters, 'finding')} ${are} gone; ${left === '' ? 'none is left' : `${left} left`}`);
    }
  }

  async #tell(severity: Severity, findings: readonly Finding[]): Promise<void> {
    const level = LEVELS[severity];
    if (findings.length === 0 || !this.#log.isLevelEnabled(level)) return;
    for (const found of findings.slice(0, MOST)) {
      const { seen: _, ...finding } = await this.#locate(found);
      this.#log[level]({ finding }, findingLine(finding));
    }
    const more = findings.length - MOST;
    if (more > 0) this.#log[level](`and ${more} more of severity ${severity}: ${WHERE_ALL_ARE}`);
  }
}

function tally(severities: readonly Severity[], severity: 'error' | 'warning'): string[] {
  const count = severities.filter((each) => each === severity).length;
  return count === 0 ? [] : [counted(count, severity)];
}
