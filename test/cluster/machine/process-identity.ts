import { readFileSync } from 'node:fs';

/** A process for sure: ids are used again, an id with its start time is not until the machine restarts. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since the machine started. */
  readonly startTime: string;
}

/** Undefined: there is no such process. One that has ended counts until its parent has asked for its exit code. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startTime = look(pid)?.startTime;
  return startTime === undefined ? undefined : { pid, startTime };
}

export function isAlive(identity: ProcessIdentity): boolean {
  const found = look(identity.pid);
  return found !== undefined && found.startTime === identity.startTime && found.state !== 'Z' && found.state !== 'X';
}

function look(pid: number): { readonly state: string; readonly startTime: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const startTime = fields[19];
    return state === undefined || startTime === undefined ? undefined : { state, startTime };
  } catch {
    return undefined;
  }
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
