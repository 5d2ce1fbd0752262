import type { Finding } from '../../../diagnostics/finding.ts';
import type { Model } from '../../../model/model.ts';
import type { AuthorityUses } from './authority-book.ts';
import type { HostFacts } from './host-facts.ts';
import type { Pattern } from './pattern.ts';

/** What a model would change about the records, before it is taken over. */
export interface Evaluation {
  readonly model: Model;
  /** What the book had taken in when this was made: it is worth nothing after the next thing. */
  readonly basis: number;
  /** CRC32 of the new text by record key; undefined: the record goes. Only keys that differ from what was wanted before. */
  readonly changes: ReadonlyMap<string, string | undefined>;
  /** By host key; undefined: the host goes. */
  readonly hosts: ReadonlyMap<string, HostFacts | undefined>;
  /** By the key of the host's or listener's record: the authorities that its clients' certificates must come from. */
  readonly authorities: AuthorityUses;
  /** Findings about backends and certificates, by record key. */
  readonly findings: ReadonlyMap<string, readonly Finding[] | undefined>;
  readonly patterns: readonly Pattern[];
}
