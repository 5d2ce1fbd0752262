import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc/PID/stat: fixed in Linux's interface to user space. */
const TICKS = 100;

/** Seconds of CPU, user and system, that these processes have taken so far. Those that have ended count nothing. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / TICKS;
}

/** Resident memory of a process, MiB; 0 when it has ended. */
export function residentMib(pid: number): number {
  return statusMib(pid, 'VmRSS');
}

/** What of it is the process's own, and what it shares: nginx's zones count in every process that has touched them. MiB. */
export function residentParts(pid: number): { readonly own: number; readonly shared: number } {
  return { own: statusMib(pid, 'RssAnon'), shared: statusMib(pid, 'RssShmem') };
}

function statusMib(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(read(`/proc/${pid}/status`));
  return line === null ? 0 : Number(line[1]) / 1024;
}

/** A process and all below it. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const id = Number(entry);
    if (!Number.isInteger(id)) continue;
    const parent = Number(afterName(read(`/proc/${id}/stat`))[1]);
    children.set(parent, [...(children.get(parent) ?? []), id]);
  }
  const below = (id: number): number[] => [id, ...(children.get(id) ?? []).flatMap(below)];
  return below(pid);
}

export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((id) => Number.isInteger(id) && Number(afterName(read(`/proc/${id}/stat`))[1]) === pid);
}

function ticksOf(pid: number): number {
  const fields = afterName(read(`/proc/${pid}/stat`));
  return fields.length < 13 ? 0 : Number(fields[11]) + Number(fields[12]);
}

/** Fields of /proc/PID/stat from the third (state) on; the name before may hold spaces and parentheses. */
function afterName(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
