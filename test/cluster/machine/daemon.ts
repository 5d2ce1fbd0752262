import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ClusterError } from '../cluster-error.ts';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

/** A program that goes on when the one that started it ends. */
export interface DaemonSpec {
  readonly name: string;
  /** Absolute path and arguments. */
  readonly command: readonly string[];
  readonly log: string;
}

/** Joins the control group, then becomes the program: the process id stays the same. */
const JOIN = 'echo $$ >"$1" && shift && exec "$@"';

/** Starts it in the control group whose members `membersFile` lists; with `space`, in the namespaces of that process. */
export function startDaemon(spec: DaemonSpec, membersFile: string, space?: ProcessIdentity): ProcessIdentity {
  mkdirSync(dirname(spec.log), { recursive: true });
  const log = openSync(spec.log, 'a');
  const enter = space === undefined ? [] : enterCommand(space);
  const child = spawn('/bin/sh', ['-c', JOIN, 'sh', membersFile, ...enter, ...spec.command], {
    detached: true,
    cwd: '/',
    stdio: ['ignore', log, log],
  });
  child.on('error', () => undefined);
  closeSync(log);
  child.unref();
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (identity === undefined) throw new ClusterError(`${spec.name} can't be started: ${spec.command[0]}`);
  return identity;
}

/** What to put before a command to run it in a process's network, mounts and host name. */
export function enterCommand(space: ProcessIdentity): string[] {
  return ['nsenter', `--target=${space.pid}`, '--net', '--mount', '--uts', '--'];
}

/** Waits until `probe` says yes; a ClusterError with the end of the daemon's log if it ends before, or takes too long. */
export async function awaitDaemon(
  spec: DaemonSpec,
  identity: ProcessIdentity,
  probe: () => Promise<boolean>,
  withinMs = 120_000,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    if (await probe()) return;
    const failure = isAlive(identity) ? (Date.now() > deadline ? 'is not ready' : undefined) : 'has ended';
    if (failure !== undefined) {
      throw new ClusterError(`${spec.name} ${failure} after its start; the end of ${spec.log}:\n${tail(spec.log)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export function tail(file: string, lines = 20): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '(no log)';
  }
}
