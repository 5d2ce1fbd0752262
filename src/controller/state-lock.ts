import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CodedError } from '../lib/coded-error.ts';

/** Milliseconds that others may take to look at the lock before it is looked at beside them. */
const PATIENCE = 5000;

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
  const mine = `${process.pid} ${startTime(process.pid)}\n`;
  await alone(directory, async () => {
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
    const beside = `${path}.${process.pid}`;
    await writeFile(beside, mine, { mode: 0o600 });
    await rename(beside, path);
  });
  return {
    async release() {
      const now = await readFile(path, 'utf8').catch(() => '');
      if (now === mine) await rm(path, { force: true });
    },
  };
}

/**
 * One process of this machine at a time for one directory: an abstract socket is taken by one alone, and the kernel takes
 * it back when that one dies. Whoever else may hold the name (any account can) delays a start and can't prevent it.
 */
async function alone(directory: string, task: () => Promise<void>): Promise<void> {
  const { dev, ino } = await stat(directory);
  const name = `\0weir-state-${dev}-${ino}`;
  let server = await listen(name);
  for (const deadline = Date.now() + PATIENCE; server === undefined && Date.now() < deadline; ) {
    await delay(20);
    server = await listen(name);
  }
  try {
    await task();
  } finally {
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  }
}

/** Undefined: it is taken, or there are no such sockets here. */
function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined)).listen(name, () => resolve(server));
  });
}

function parse(text: string): { readonly pid: number; readonly started: string } | undefined {
  const [, pid, started] = /^([0-9]+) ([0-9]+)\n$/.exec(text) ?? [];
  return pid === undefined || started === undefined ? undefined : { pid: Number(pid), started };
}

/** Field 22 of /proc/PID/stat (proc_pid_stat(5)): clock ticks after boot. Undefined: there is no such process, or only its remains. */
function startTime(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
