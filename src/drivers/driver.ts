import type { Finding } from '../diagnostics/finding.ts';
import type { Model, ModelDelta } from '../model/model.ts';
import type { Origin } from '../model/origin.ts';

/** What a load balancer can do; what it can't becomes a finding on the object that asked for it. */
export interface Capabilities {
  readonly listeners: ReadonlySet<string>;
  readonly filters: ReadonlySet<string>;
  readonly balancing: ReadonlySet<string>;
  readonly protocols: ReadonlySet<string>;
}

export interface ReloadReason {
  /** Short and from a closed set, used as a metric label: `start`, `listener`, `profile`, `capacity`, `software`. */
  readonly reason: string;
  readonly detail: string;
  readonly origins: readonly Origin[];
}

/** What applying a model change would do. Pure data: making one touches nothing. */
export interface Plan {
  readonly summary: string;
  /** Number of changed things, by kind, as the load balancer sees them. */
  readonly changes: Readonly<Record<string, number>>;
  readonly reload?: ReloadReason;
  /** All that follows from the whole model alone (not only from the change): they take the place of an earlier plan's. */
  readonly findings: readonly Finding[];
}

export interface Applied {
  readonly reloaded: boolean;
  /**
   * Objects whose part could not be taken in, with why: all as of this apply, not only new ones. They are left out until
   * they change; the rest is in force.
   */
  readonly quarantined: readonly Finding[];
  /** What else applying showed about the model, and planning could not know: all as of this apply. */
  readonly findings?: readonly Finding[];
}

export interface DriverState {
  readonly name: string;
  readonly healthy: boolean;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Programs one load balancer.
 *
 * `start` brings the load balancer up (or adopts a running one) without routes or with those it already has. `apply`
 * resolves when every request that begins afterwards sees the model; it rejects with a coded error when nothing of the
 * change is promised to be in force, and may then be called again with a later model and the union of the deltas. Between
 * `plan` and an `apply` of the same model and delta neither of them changes.
 */
export interface Driver {
  readonly name: string;
  readonly capabilities: Capabilities;
  start(): Promise<void>;
  /** `delta` tells what changed since the last applied model; undefined: compare everything. */
  plan(model: Model, delta: ModelDelta | undefined): Plan;
  apply(model: Model, delta: ModelDelta | undefined): Promise<Applied>;
  observe(): Promise<DriverState>;
  /**
   * Goes on serving, and makes each answer the last of its connection, so that clients go elsewhere before it stops; false
   * ends that. Absent: it isn't of this machine.
   */
  letClientsGo?(on: boolean): Promise<void>;
  /** `leave`: weir goes, the load balancer stays; `drain`: it finishes its requests and quits. */
  stop(how: 'leave' | 'drain'): Promise<void>;
}
