import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from './clients/http-client.ts';
import { ManifestFolder } from './manifest-folder.ts';
import { endProcessesOf } from './leftover-processes.ts';
import { eventually, freePorts, type Scope, temporaryDirectory } from './scope.ts';

const COMMAND = join(import.meta.dirname, '../../bin/weir');

export interface WeirOptions {
  /** A folder, or paths of folders. */
  readonly manifests: ManifestFolder | readonly string[];
  /** How it is told its folders, ports and state directory; by flags unless given. */
  readonly by?: 'flags' | 'environment' | 'file';
  /** Further arguments of `weir run`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Kept from an earlier run: the ports and the state directory. */
  readonly again?: Weir;
  /** HTTP, HTTPS and admin port; free ones unless given. */
  readonly ports?: readonly [number, number, number];
  /** A directory of its own unless given. */
  readonly stateDir?: string;
  /** Don't wait for /readyz. */
  readonly wait?: false;
  readonly withinMs?: number;
}

export interface Weir {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly adminPort: number;
  readonly stateDir: string;
  readonly pid: number;
  /** All that it wrote to stderr and stdout so far. */
  output(): string;
  /** GET on the admin address, parsed. */
  admin<T = Record<string, unknown>>(path: string): Promise<T>;
  /** Resolves when what the manifests hold now is in force, as `weir status --wait` does, without the start of a process. */
  settled(): Promise<void>;
  /** Sends the signal (SIGTERM unless given) and resolves with the exit code, or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  readonly exited: Promise<number | NodeJS.Signals>;
}

/** Starts `weir run` on free ports and waits until it is ready; when the test ends it and its nginx are ended. */
export async function startWeir(scope: Scope, options: WeirOptions): Promise<Weir> {
  const ports = options.again === undefined ? (options.ports ?? (await freePorts(3))) : [];
  const [httpPort = 0, httpsPort = 0, adminPort = 0] =
    options.again === undefined ? ports : [options.again.httpPort, options.again.httpsPort, options.again.adminPort];
  // Hooks run in the order of registration: processes end before their directories go.
  let end = async () => {};
  scope.after(() => end());
  const stateDir = options.again?.stateDir ?? options.stateDir ?? temporaryDirectory(scope, 'state');
  const folders = options.manifests instanceof ManifestFolder ? [options.manifests.path] : options.manifests;
  const ownDir = temporaryDirectory(scope, 'log');
  const logFile = join(ownDir, 'weir.log');
  const log = openSync(logFile, 'a');
  const settings = {
    manifests: folders,
    'http-port': httpPort,
    'https-port': httpsPort,
    'admin-address': `127.0.0.1:${adminPort}`,
    'state-dir': stateDir,
    // Nobody sends clients elsewhere; tests that are about it say otherwise.
    'drain-delay': '0s',
  };
  const told = tell(settings, options.by ?? 'flags', join(ownDir, 'weir.yaml'));
  const child = spawn(COMMAND, ['run', ...told.args, ...(options.args ?? [])], {
    stdio: ['ignore', log, log],
    env: { ...process.env, NO_COLOR: '1', ...told.env, ...options.env },
  });
  closeSync(log);
  const exited = exitOf(child);
  const output = () => readFileSync(logFile, 'utf8');
  const admin = async <T>(path: string): Promise<T> => {
    const reply = await request({ port: adminPort, path, timeoutMs: 40_000 });
    if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status} ${reply.body.slice(0, 500)}`);
    return reply.json<T>();
  };
  const weir: Weir = {
    httpPort,
    httpsPort,
    adminPort,
    stateDir,
    pid: child.pid ?? -1,
    output,
    admin,
    settled: () => settled({ admin, output }),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
    exited,
  };
  end = async () => {
    await endGently(child, exited);
    await endProcessesOf(stateDir, [httpPort, httpsPort]);
  };
  if (options.wait !== false) await ready(weir, options.withinMs ?? 30_000);
  return weir;
}

type Settings = Readonly<Record<string, string | number | readonly string[]>>;

/** Settings as arguments and environment. */
function tell(
  settings: Settings,
  by: NonNullable<WeirOptions['by']>,
  file: string,
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  if (by === 'file') {
    writeFileSync(file, JSON.stringify(settings));
    return { args: ['--config', file], env: {} };
  }
  const entries = Object.entries(settings);
  if (by === 'flags')
    return {
      args: entries.flatMap(([key, value]) => [value].flat().flatMap((one) => [`--${key}`, `${one}`])),
      env: {},
    };
  const variable = (key: string) => `WEIR_${key.replaceAll('-', '_').toUpperCase()}`;
  return { args: [], env: Object.fromEntries(entries.map(([key, value]) => [variable(key), String(value)])) };
}

async function ready(weir: Weir, withinMs: number): Promise<void> {
  let ended: number | string | undefined;
  weir.exited.then(
    (code) => {
      ended = code;
      return code;
    },
    () => undefined,
  );
  try {
    const probe = async () =>
      ended !== undefined || (await request({ port: weir.adminPort, path: '/readyz' })).status === 200;
    await eventually('weir to be ready', probe, { withinMs });
    if (ended !== undefined) throw new Error(`weir ended with ${ended}`);
  } catch (error) {
    throw new Error(`weir did not become ready; its output:\n${weir.output()}`, { cause: error });
  }
}

function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
}

async function settled(weir: Pick<Weir, 'admin' | 'output'>): Promise<void> {
  const { settled: done } = await weir.admin<{ readonly settled: boolean }>('/api/v1/status?wait=30');
  if (!done) throw new Error(`not everything was in force within 30 s; weir's output:\n${weir.output()}`);
}

/** SIGTERM, and SIGKILL for one that is still there 15 s later. */
async function endGently(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exited.catch(() => undefined);
  clearTimeout(timer);
}
