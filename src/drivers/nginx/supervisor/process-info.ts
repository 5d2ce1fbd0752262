import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  /** Ticks since boot: with the pid, identifies a process for good. */
  readonly startTime: number;
  /** Path of the executable, also of one that was replaced on disk since. */
  readonly executable: string;
  readonly directory: string;
  /** What the process calls itself: `nginx: worker process is shutting down`. */
  readonly title: string;
}

/** Undefined where there is no such process, it is a zombie, or it isn't ours to look at. */
export function processInfo(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return {
      pid,
      parent: Number(fields[1]),
      startTime: Number(fields[19]),
      executable: readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/u, ''),
      directory: readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/u, ''),
      title: readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim(),
    };
  } catch {
    return undefined;
  }
}

export function allProcesses(): readonly ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/u.test(name))
    .flatMap((name) => processInfo(Number(name)) ?? []);
}
