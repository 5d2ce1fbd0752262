import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from './clients/http-client.ts';
import { endProcessesOf } from './leftover-processes.ts';
import { eventually, freePort, type Scope, temporaryDirectory } from './scope.ts';

const COMMAND = join(import.meta.dirname, '../../bin/weir');

export interface ServingOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Kept from an earlier run: state directory and admin port. */
  readonly again?: ServingCommand;
  /** Ports of the nginx that it may leave behind. */
  readonly ports?: readonly number[];
}

/** A `weir controller` or `weir proxy` as a process of its own. */
export interface ServingCommand {
  readonly pid: number;
  readonly adminPort: number;
  readonly stateDir: string;
  output(): string;
  admin<T = Record<string, unknown>>(path: string): Promise<T>;
  ready(): Promise<boolean>;
  untilReady(withinMs?: number): Promise<void>;
  /** Resolves when all that the source holds is in force, as far as this process is concerned. */
  settled(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** Starts the command; ended with the scope, its nginx, too. */
export async function startServing(
  scope: Scope,
  verb: 'controller' | 'proxy' | 'run',
  options: ServingOptions,
): Promise<ServingCommand> {
  let end = async () => {};
  scope.after(() => end());
  const adminPort = options.again?.adminPort ?? (await freePort());
  const stateDir = options.again?.stateDir ?? temporaryDirectory(scope, verb);
  const logFile = join(temporaryDirectory(scope, 'log'), 'weir.log');
  const log = openSync(logFile, 'a');
  const own = ['--admin-address', `127.0.0.1:${adminPort}`, '--state-dir', stateDir];
  const child = spawn(COMMAND, [verb, ...own, ...options.args], {
    stdio: ['ignore', log, log],
    env: { ...process.env, NO_COLOR: '1', ...options.env },
  });
  closeSync(log);
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  const output = () => readFileSync(logFile, 'utf8');
  const ready = async () =>
    (await request({ port: adminPort, path: '/readyz' }).catch(() => undefined))?.status === 200;
  const admin = async <T>(path: string): Promise<T> => {
    const reply = await request({ port: adminPort, path, timeoutMs: 40_000 });
    if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status} ${reply.body.slice(0, 500)}`);
    return reply.json<T>();
  };
  end = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await exited;
      clearTimeout(timer);
    }
    await endProcessesOf(stateDir, options.ports ?? []);
  };
  return {
    pid: child.pid ?? -1,
    adminPort,
    stateDir,
    output,
    admin,
    ready,
    async untilReady(withinMs = 30_000) {
      await eventually('it to be ready', ready, { withinMs }).catch((error: unknown) => {
        throw new Error(`${verb} did not become ready; its output:\n${output()}`, { cause: error });
      });
    },
    async settled() {
      const { settled } = await admin<{ readonly settled: boolean }>('/api/v1/status?wait=30');
      if (!settled) throw new Error(`not everything was in force within 30 s; the output of ${verb}:\n${output()}`);
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}
