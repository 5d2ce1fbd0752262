import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '../lib/coded-error.ts';

/** Holds a state directory for this process, so that two never write the same state or steer the same nginx. */
export interface StateLock {
  release(): Promise<void>;
}

/**
 * Takes the state directory. Rejects with code `state-locked` while another weir runs on it. A process is known by its
 * id and start time, so that a lock left behind by kill -9 or a reboot doesn't count.
 */
export async function lockState(directory: string): Promise<StateLock> {
  await mkdir(directory, { recursive: true, mode: 0o711 });
  const path = join(directory, 'weir.pid');
  const holder = parse(await readFile(path, 'utf8').catch(() => ''));
  if (holder !== undefined && holder.pid !== process.pid && startTime(holder.pid) === holder.started) {
    throw new CodedError(
      'state-locked',
      `another weir (process ${holder.pid}) uses the state directory ${directory}.`,
      {
        remedy: 'Stop it, or give this one another directory with --state-dir.',
      },
    );
  }
  const mine = `${process.pid} ${startTime(process.pid)}\n`;
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, mine, { mode: 0o600 });
  await rename(beside, path);
  return {
    async release() {
      const now = await readFile(path, 'utf8').catch(() => '');
      if (now === mine) await rm(path, { force: true });
    },
  };
}

function parse(text: string): { readonly pid: number; readonly started: string } | undefined {
  const [, pid, started] = /^([0-9]+) ([0-9]+)\n$/.exec(text) ?? [];
  return pid === undefined || started === undefined ? undefined : { pid: Number(pid), started };
}

/** Field 22 of /proc/PID/stat (proc_pid_stat(5)): clock ticks after boot. Undefined: there is no such process, or only its remains. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
