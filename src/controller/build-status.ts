import type { SnapshotFrom } from 'xstate';
import type { Finding } from '../diagnostics/finding.ts';
import type { DriverState } from '../drivers/driver.ts';
import type { Model } from '../model/model.ts';
import type { driverMachine } from './driver-machine.ts';
import type { StateStore } from './state-store.ts';
import type { DriverStatus, ReloadReasonView, Status } from './status.ts';

/** Milliseconds for which an apply may fail or be overdue before the program is no longer ready. */
const PATIENCE = 30_000;

export type DriverSnapshot = SnapshotFrom<typeof driverMachine>;

export interface ActorFacts {
  readonly state: Status['state'];
  readonly generation: number;
  /** Name of the local data plane's driver, if there is one. */
  readonly local: string | undefined;
  /** Whether the model is complete. */
  readonly synced: boolean;
  readonly drivers: readonly (readonly [name: string, snapshot: DriverSnapshot])[];
  readonly observed: ReadonlyMap<string, DriverState>;
}

export interface StatusFacts extends ActorFacts {
  readonly version: string;
  readonly started: Date;
  readonly source: Status['source'];
  readonly model: Model;
  readonly origin: Status['model']['origin'];
  readonly findings: readonly Finding[];
  readonly quarantined: readonly Finding[];
  readonly reloads: number;
  readonly reloadReasons: readonly ReloadReasonView[];
  readonly savedState: StateStore | undefined;
  /** Why something beside the model can't be saved. */
  readonly unsaved: string | undefined;
}

export function buildStatus(facts: StatusFacts): Status {
  const applied = facts.drivers.map(([, { context }]) => Math.max(0, context.appliedGeneration));
  const count = (severity: Finding['severity']) =>
    facts.findings.filter((finding) => finding.severity === severity).length;
  return {
    state: facts.state,
    ready: isReady(facts),
    version: facts.version,
    started: facts.started.toISOString(),
    generation: facts.generation,
    appliedGeneration: Math.min(facts.generation, ...applied),
    source: facts.source,
    model: {
      origin: facts.origin,
      hosts: facts.model.hosts.size,
      routes: facts.model.hosts.values().reduce((sum, host) => sum + host.routes.length, 0),
      backends: facts.model.backends.size,
      certificates: facts.model.certificates.size,
    },
    findings: { errors: count('error'), warnings: count('warning'), infos: count('info') },
    reloads: facts.reloads,
    lastReloadReasons: [...facts.reloadReasons],
    drivers: facts.drivers.map(([name, snapshot]) => driverStatus(name, snapshot, facts.observed.get(name))),
    quarantined: [...facts.quarantined],
    savedState: {
      pending: facts.savedState?.pending ?? 0,
      ...savingError([facts.savedState?.problem?.message, facts.unsaved]),
    },
  };
}

/**
 * Whether the local load balancer serves a complete model, and has kept up with it lately; without a local one, whether there
 * is a complete model: how others get on with it is told, and makes nobody unready.
 */
export function isReady(facts: ActorFacts, now: number = Date.now()): boolean {
  if (facts.local === undefined) return facts.synced && facts.state !== 'stopping';
  const snapshot = facts.drivers.find(([name]) => name === facts.local)?.[1];
  if (facts.state === 'stopping' || snapshot === undefined || snapshot.context.appliedGeneration < 1) return false;
  const { failingSince, busySince } = snapshot.context;
  const since = Math.min(failingSince ?? Infinity, busySince ?? Infinity);
  return now - since < PATIENCE && facts.observed.get(facts.local)?.healthy !== false;
}

function driverStatus(name: string, snapshot: DriverSnapshot, observed: DriverState | undefined): DriverStatus {
  const { context } = snapshot;
  return {
    name,
    state: snapshot.value,
    healthy: observed?.healthy ?? context.error === undefined,
    appliedGeneration: Math.max(0, context.appliedGeneration),
    attempts: context.attempts,
    ...(context.error === undefined ? {} : { error: context.error.message }),
    ...(context.failingSince === undefined ? {} : { failingSince: new Date(context.failingSince).toISOString() }),
    detail: observed?.detail ?? {},
  };
}

function savingError(errors: readonly (string | undefined)[]): { readonly error?: string } {
  const known = errors.filter((error) => error !== undefined);
  return known.length === 0 ? {} : { error: known.join('; ') };
}
