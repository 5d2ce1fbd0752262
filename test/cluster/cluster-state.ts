import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DaemonSpec } from './machine/daemon.ts';
import type { ProcessIdentity } from './machine/process-identity.ts';

export interface RunningDaemon {
  readonly spec: DaemonSpec;
  /** Whose namespaces it is in: `control-plane` or a node. */
  readonly space: string;
  readonly process: ProcessIdentity;
}

/** What `make cluster` leaves for those who come later: which processes are which. */
export interface ClusterState {
  /** `running`: it was seen to work. Anything else is a start that did not end. */
  readonly phase: 'starting' | 'running';
  /** Of its programs and configuration: another clone's cluster may be an older one. */
  readonly recipe: string;
  readonly nodes: number;
  /** Archives that every node has imported. */
  readonly images: readonly string[];
  /** By name: the processes that hold the namespaces. */
  readonly spaces: Readonly<Record<string, ProcessIdentity>>;
  readonly daemons: Readonly<Record<string, RunningDaemon>>;
}

/** Undefined: there is none, or it can't be read. */
export function readState(file: string): ClusterState | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ClusterState;
  } catch {
    return undefined;
  }
}

export function writeState(file: string, state: ClusterState): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
