import { readFileSync } from 'node:fs';

/** A process for sure: ids are used again, an id with its start time is not until the machine restarts. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since the machine started. */
  readonly startTime: string;
}

/** Undefined: there is no such process, or it has ended and nobody has asked for its exit code yet. */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const startTime = fields[19];
    return startTime === undefined || state === 'Z' || state === 'X' ? undefined : { pid, startTime };
  } catch {
    return undefined;
  }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startTime === identity.startTime;
}

/** Sends a signal to this process and to no other that has its id by now. False: it has ended. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, name);
    return true;
  } catch {
    return false;
  }
}
