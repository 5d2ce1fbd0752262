import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CodedError } from '../lib/coded-error.ts';
import { isNoRoom } from '../lib/no-room.ts';

/** Milliseconds that others may take to look at the lock before it is looked at beside them. */
const PATIENCE = 5000;

/** Holds a state directory for this process, so that two never write the same state or steer the same nginx. */
export interface StateLock {
  /** Why `weir.pid` could not be written: the disk is full. The directory is held all the same. */
  readonly problem?: Error;
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
  const { dev, ino } = await stat(directory);
  const name = `weir-state-${dev}-${ino}`;
  // Until the directory is this one's the holder of the name has nothing to say.
  let answer = '';
  const server = await takeName(name, () => answer, directory);
  let problem: Error | undefined;
  try {
    const holder = parse(await readFile(path, 'utf8').catch(() => ''));
    if (holder !== undefined && holder.pid !== process.pid && startTime(holder.pid) === holder.started) {
      throw locked(holder.pid, directory);
    }
    problem = await writeLock(path, mine);
    // Without the file the name alone says that somebody is here.
    if (problem !== undefined && server === undefined) throw problem;
    answer = mine;
  } finally {
    if (answer === '' || problem === undefined) await close(server);
  }
  return {
    ...(problem === undefined ? {} : { problem }),
    async release() {
      const now = await readFile(path, 'utf8').catch(() => '');
      if (now === mine) await rm(path, { force: true });
      await close(server);
    },
  };
}

/** Written whole or not at all. Resolves with why there is no room for it. */
async function writeLock(path: string, text: string): Promise<Error | undefined> {
  const beside = `${path}.${process.pid}`;
  try {
    await writeFile(beside, text, { mode: 0o600 });
    await rename(beside, path);
    return undefined;
  } catch (error) {
    await rm(beside, { force: true });
    if (error instanceof Error && isNoRoom(error)) return error;
    throw error;
  }
}

/**
 * One process of this machine at a time for one directory: an abstract socket is taken by one alone, and the kernel takes
 * it back when that one dies. It is held while the file is looked at, or for good where the file can't be written. Whoever
 * else may hold the name (any account can) delays a start and can't prevent it: who says to be a weir is believed where
 * the socket is its own and it runs under the account that weir runs under.
 */
async function takeName(name: string, answer: () => string, directory: string): Promise<Server | undefined> {
  let server = await listen(name, answer);
  for (const deadline = Date.now() + PATIENCE; server === undefined && Date.now() < deadline; ) {
    const holder = await whoHolds(name);
    if (holder !== undefined) throw locked(holder, directory);
    await delay(20);
    server = await listen(name, answer);
  }
  return server;
}

/** The process that says of itself that it holds the name for good, if that is true. */
async function whoHolds(name: string): Promise<number | undefined> {
  const said = parse(await answerOf(name));
  if (said === undefined || startTime(said.pid) !== said.started) return undefined;
  try {
    const own = statSync(`/proc/${said.pid}`).uid === process.getuid?.();
    return own && holdsSocket(said.pid, name) ? said.pid : undefined;
  } catch {
    return undefined;
  }
}

/** By the kernel's list (proc(5), net/unix): number, …, inode, name. */
function holdsSocket(pid: number, name: string): boolean {
  const rows = readFileSync('/proc/net/unix', 'utf8').split('\n');
  const ends = rows.map((row) => row.split(' ').filter(Boolean)).filter((fields) => fields.at(-1) === `@${name}`);
  const sockets = new Set(ends.map((fields) => `socket:[${fields.at(-2)}]`));
  const files = `/proc/${pid}/fd`;
  return readdirSync(files).some((file) => {
    try {
      return sockets.has(readlinkSync(join(files, file)));
    } catch {
      return false;
    }
  });
}

function answerOf(name: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(`\0${name}`);
    socket.setTimeout(500, () => socket.destroy());
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length > 100) socket.destroy();
    });
    socket.on('error', () => undefined).on('close', () => resolve(text));
  });
}

function close(server: Server | undefined): Promise<unknown> {
  return new Promise((resolve) => (server?.listening === true ? server.close(resolve) : resolve(undefined)));
}

function locked(pid: number, directory: string): CodedError {
  return new CodedError('state-locked', `another weir (process ${pid}) uses the state directory ${directory}.`, {
    remedy: 'Stop it, or give this one another directory with --state-dir.',
  });
}

/** Undefined: it is taken, or there are no such sockets here. */
function listen(name: string, answer: () => string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.on('error', () => undefined).end(answer()));
    server.once('error', () => resolve(undefined)).listen(`\0${name}`, () => resolve(server.unref()));
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
