import type { Finding } from '../diagnostics/finding.ts';
import type { ObjectRef } from '../model/origin.ts';
import type { NeedChange } from '../snapshot/needed-keys.ts';
import type { ResourceChange } from '../snapshot/resource.ts';

/** Where a source puts what it learns. Calls come in order; all changes that belong together come in one call. */
export interface SourceSink {
  changed(changes: readonly ResourceChange[]): void;
  /**
   * Whether the object as it was last delivered can't be used, so that the version before it (if there was one) stays in
   * force. A sink that uses whatever it gets leaves this out.
   */
  refuses?(ref: ObjectRef): boolean;
  /** The findings about `subject` (a file, a watch) are now these; none means all is well with it. */
  report(subject: string, findings: readonly Finding[]): void;
  /** Everything that existed at start has been delivered. Called once. */
  synced(): void;
}

/** What a source did so far with one resource: for metrics. */
export interface SourceActivity {
  /** Plural: `ingresses`. */
  readonly resource: string;
  readonly lists: number;
  readonly watches: number;
  /** Lists and watches that failed. */
  readonly failures: number;
  /** Objects that are there now, as far as the source sees. */
  readonly objects: number;
}

/** Delivers Kubernetes objects and what changes about them. */
export interface Source {
  readonly name: string;
  /** Starts delivering; resolves when the first full view was delivered. Rejects with a coded error if there never can be one. */
  start(sink: SourceSink): Promise<void>;
  /** Whether what was delivered is what is there now: false while a folder can't be read or a connection is down. */
  healthy(): boolean;
  /** Why it isn't healthy, a reason each. */
  problems?(): readonly string[];
  /**
   * Secrets that the translation refers to from now on, or doesn't any more. Resolves when all of them that are needed have been
   * delivered, or it is known that they can't be. A source that delivers every Secret it sees leaves this out.
   */
  need?(secrets: readonly NeedChange[]): Promise<void>;
  activity?(): readonly SourceActivity[];
  /** Files of which not everything could be read as it stands there now; what they said before, or the rest of them, counts. */
  unread?(): readonly string[];
  stop(): Promise<void>;
  /** Line and column of a field, where this source knows. */
  locate?(finding: Finding): Promise<Finding>;
  /** Resolves when what the source holds at this moment has been delivered. */
  settle(): Promise<void>;
}
