import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isNoRoom } from '../../../lib/no-room.ts';
import { NginxError } from '../nginx-error.ts';
import type { DataplaneBuild } from '../nginx-options.ts';

/**
 * Where the nginx driver keeps its things, below the directory that weir was given:
 *
 * - `run/` 0700: control socket, token, pid, configuration, default certificate; in `identities/` what weir shows to backends and
 *   verifies them by. Only the supervisor may enter.
 * - `temp/`: bodies and answers that don't fit in memory; the workers' account may pass through where the master is root.
 * - `dataplane/HASH/`: compiled Lua, copied so that an upgrade of weir doesn't pull it away under a running nginx.
 * - `log/`: error log.
 */
export class StateDirectory {
  readonly root: string;
  readonly run: string;
  readonly temp: string;
  readonly dataplane: string;
  readonly log: string;

  constructor(root: string) {
    try {
      mkdirSync(root, { recursive: true });
      // nginx's current directory is told by /proc without symbolic links, and is compared with this.
      this.root = realpathSync(root);
      letPass(this.root);
      this.run = make(join(this.root, 'run'), 0o700);
      this.temp = make(join(this.root, 'temp'), 0o711);
      this.dataplane = make(join(this.root, 'dataplane'), 0o755);
      this.log = make(join(this.root, 'log'), 0o750);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new NginxError(
        'WEIR_NGINX_STATE_DIRECTORY',
        `The state directory ${root} can not be used: ${why}. nginx is not started.`,
        {
          cause,
          remedy: 'Give a directory that weir may write with --state-dir.',
        },
      );
    }
  }

  get socket(): string {
    return join(this.run, 'control.sock');
  }

  get pidFile(): string {
    return join(this.run, 'nginx.pid');
  }

  get configuration(): string {
    return join(this.run, 'nginx.conf');
  }

  get errorLog(): string {
    return join(this.log, 'error.log');
  }

  readPid(): number | undefined {
    const pid = Number.parseInt(this.#read('nginx.pid') ?? '', 10);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  }

  readToken(): string | undefined {
    const token = this.#read('token')?.trim();
    return token === '' ? undefined : token;
  }

  /** A new one for each start of nginx. */
  makeToken(): string {
    const token = randomBytes(32).toString('hex');
    this.writePrivate('token', token);
    return token;
  }

  /**
   * Written whole or not at all, readable by the supervisor's account alone. On a full disk a file that is there and no
   * smaller is written over in place: whoever reads these files while weir isn't there can do without them.
   * Throws WEIR_NGINX_NO_ROOM where that is no way either.
   */
  writePrivate(name: string, text: string): string {
    const path = join(this.run, name);
    try {
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      rmSync(`${path}.new`, { force: true });
      if (!writeOver(path, text)) throw noRoom(path, error);
    }
    return path;
  }

  /** As `writePrivate`, for what nginx and weir can do without. False: there is no room for it. */
  writeIfRoom(name: string, text: string): boolean {
    try {
      this.writePrivate(name, text);
      return true;
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      return false;
    }
  }

  read(name: string): string | undefined {
    return this.#read(name);
  }

  /** After an nginx that didn't clean up: its socket file would keep the next one from starting. */
  removeStale(): void {
    rmSync(this.socket, { force: true });
    rmSync(this.pidFile, { force: true });
  }

  /** Copies a compiled data plane, unless it is there. Returns its directory. */
  takeDataplane(build: DataplaneBuild): string {
    const directory = join(this.dataplane, build.hash);
    if (existsSync(directory)) return directory;
    const next = `${directory}.new`;
    rmSync(next, { recursive: true, force: true });
    try {
      if ('dir' in build) cpSync(build.dir, next, { recursive: true });
      else writeTree(next, build.files);
      renameSync(next, directory);
    } catch (error) {
      rmSync(next, { recursive: true, force: true });
      throw isNoRoom(error) ? noRoom(directory, error) : error;
    }
    return directory;
  }

  #read(name: string): string | undefined {
    try {
      return readFileSync(join(this.run, name), 'utf8');
    } catch {
      return undefined;
    }
  }
}

function writeTree(directory: string, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [name, content] of files) {
    const path = join(directory, name);
    make(dirname(path), 0o755);
    writeFileSync(path, content);
    // Workers of another account read it, whatever the umask.
    chmodSync(path, 0o644);
  }
}

/**
 * Into the blocks that a file has, and with newlines up to its end, so that they stay its own for a longer text. False: they
 * aren't enough, or the file system needs new ones all the same.
 */
function writeOver(path: string, text: string): boolean {
  try {
    const spare = statSync(path).size - Buffer.byteLength(text);
    if (spare < 0) return false;
    const bytes = Buffer.from(`${text}${'\n'.repeat(spare)}`);
    const file = openSync(path, 'r+');
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    } finally {
      closeSync(file);
    }
    return true;
  } catch {
    return false;
  }
}

/** The error for what can't be written until there is room. */
export function noRoom(what: string, cause: unknown): NginxError {
  return new NginxError(
    'WEIR_NGINX_NO_ROOM',
    `${what} can't be written, because the file system is full or its quota used up. It is tried again.`,
    { cause, remedy: 'Free some room on the file system of the state directory.' },
  );
}

/** The mode is set also where the directory was there: it is what protects its content. */
function make(path: string, mode: number): string {
  mkdirSync(path, { recursive: true, mode });
  chmodSync(path, mode);
  return path;
}

/** Where the master is root, workers run under an account that must reach `temp/`; it needs to pass, not to look. */
function letPass(root: string): void {
  const { mode, uid } = statSync(root);
  if (uid === 0 && process.getuid?.() === 0 && (mode & 0o011) !== 0o011) chmodSync(root, (mode & 0o7777) | 0o011);
}
