import { execFile, spawn } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ControlClient } from '../control/control-client.ts';
import { NginxError } from '../nginx-error.ts';
import type { DataPlaneState } from '../wire.ts';
import type { NginxInstallation } from './nginx-installation.ts';
import { failureLines, type NginxComplaint, nginxComplaint, nginxMessage } from './nginx-message.ts';
import { nginxProcesses, type NginxProcesses } from './nginx-processes.ts';
import { processInfo, type ProcessInfo } from './process-info.ts';
import type { StateDirectory } from './state-directory.ts';

const NEXT = 'nginx.conf.next';
const LAST_GOOD = 'nginx.conf.last-good';
const START_LOG = 'start.log';
/** Milliseconds that a running nginx is asked for before it is taken for broken or for one with another configuration. */
const ADOPT_PATIENCE = 3000;
/** Milliseconds that the former configuration may take to be in force again after a reload that failed. */
const BACK_PATIENCE = 5000;

export interface SupervisorLimits {
  /** Milliseconds until a started nginx, or the new workers of a reload, must answer. */
  readonly startTimeout: number;
  /** Milliseconds until nginx's own test of a configuration must have ended. */
  readonly testTimeout: number;
  /** Generations of draining workers at a reload; beyond it the oldest are ended. */
  readonly drainingGenerations: number;
}

export const SUPERVISOR_LIMITS: SupervisorLimits = {
  startTimeout: 20_000,
  testTimeout: 30_000,
  drainingGenerations: 8,
};

/**
 * Starts nginx so that it outlives weir, finds a running one again, tests and swaps its configuration, and ends it.
 * Knows nothing of routes.
 */
export class NginxSupervisor {
  readonly directory: StateDirectory;
  readonly installation: NginxInstallation;
  readonly #limits: SupervisorLimits;
  #master: ProcessInfo | undefined;
  #control: ControlClient | undefined;

  constructor(
    directory: StateDirectory,
    installation: NginxInstallation,
    limits: SupervisorLimits = SUPERVISOR_LIMITS,
  ) {
    this.directory = directory;
    this.installation = installation;
    this.#limits = limits;
  }

  get control(): ControlClient {
    if (this.#control === undefined)
      throw new NginxError('WEIR_NGINX_STOPPED', 'nginx is not running; it is started at the next apply.');
    return this.#control;
  }

  /** Whether the master that was started or adopted is still there. */
  get running(): boolean {
    return this.#master !== undefined && processInfo(this.#master.pid)?.startTime === this.#master.startTime;
  }

  processes(): NginxProcesses {
    return nginxProcesses(
      this.installation.executable,
      this.directory.run,
      this.#master?.pid ?? this.directory.readPid(),
    );
  }

  /**
   * A running nginx of this state directory that answers; undefined if there is none. One that doesn't answer is ended.
   * `expected`: the configuration it was last given; right after a reload an old worker may answer for a while.
   */
  async adopt(expected?: string): Promise<DataPlaneState | undefined> {
    const { master } = this.processes();
    const token = this.directory.readToken();
    if (master === undefined) return undefined;
    if (token !== undefined) {
      const control = new ControlClient(this.directory.socket, token);
      const ask = () => control.state().catch(() => undefined);
      let state = await ask();
      for (const deadline = Date.now() + ADOPT_PATIENCE; Date.now() < deadline; await delay(20)) {
        if (state !== undefined && (expected === undefined || state.conf === expected)) break;
        state = (await ask()) ?? state;
      }
      if (state !== undefined) {
        this.#master = master;
        this.#control = control;
        return state;
      }
    }
    // Its workers go on with what they have and are asked to quit when the next nginx serves.
    kill(master, 'SIGKILL');
    await gone([master], 5000);
    return undefined;
  }

  /** Starts nginx with a configuration that has no listeners yet. */
  async start(text: string, id: string): Promise<DataPlaneState> {
    this.#master = undefined;
    this.directory.removeStale();
    const token = this.directory.makeToken();
    const configuration = this.directory.writePrivate('nginx.conf', text);
    const output = openSync(join(this.directory.log, START_LOG), 'w', 0o640);
    // A session of its own, no pipe to weir, and the run directory as the current one: by that it is found again.
    const child = spawn(this.installation.executable, this.#arguments(configuration), {
      cwd: this.directory.run,
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    child.unref();
    let exit: number | string | undefined;
    child.on('exit', (code, signal) => (exit = code ?? signal ?? 'unknown'));
    child.on('error', (error) => (exit = error.message));
    this.#control = new ControlClient(this.directory.socket, token);
    const state = await this.#answered(id, () => exit !== undefined && exit !== 0);
    const pid = this.directory.readPid();
    this.#master = pid === undefined ? undefined : processInfo(pid);
    if (state === undefined || this.#master === undefined) {
      if (child.pid !== undefined && exit === undefined) child.kill('SIGTERM');
      const why = this.#complaint(START_LOG) ?? this.#complaint('error.log') ?? 'it wrote nothing about why';
      throw new NginxError('WEIR_NGINX_START', `nginx did not start: ${why}. It is tried again.`);
    }
    return state;
  }

  /** nginx's own test of a configuration: undefined, or what it complains about. */
  async test(text: string): Promise<NginxComplaint | undefined> {
    const configuration = this.directory.writePrivate(NEXT, text);
    const options = { cwd: this.directory.run, timeout: this.#limits.testTimeout, maxBuffer: 16 * 1024 * 1024 };
    try {
      await promisify(execFile)(this.installation.executable, ['-t', '-q', ...this.#arguments(configuration)], options);
      return undefined;
    } catch (error) {
      const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
      const complaint = nginxComplaint(output, [this.directory.run, this.directory.root]);
      return complaint ?? { message: 'nginx refuses it without a word' };
    }
  }

  /** Puts a tested configuration into force: resolves when workers of it answer. The former one stays when it fails. */
  async reload(text: string, id: string): Promise<void> {
    if (!this.running || this.#master === undefined) {
      throw new NginxError('WEIR_NGINX_STOPPED', 'nginx ended before its reload; it is started again.');
    }
    await this.#makeRoom();
    const former = this.processes().workers;
    const before = this.directory.read('nginx.conf');
    const logged = existsSync(this.directory.errorLog) ? statSync(this.directory.errorLog).size : 0;
    this.directory.writePrivate('nginx.conf', text);
    kill(this.#master, 'SIGHUP');
    const failures = () => failureLines(tail(this.directory.errorLog, logged));
    const refused = () => !this.running || failures() !== '';
    const state = await this.#answered(id, refused);
    if (state === undefined || refused()) {
      const why =
        nginxMessage(failures(), [this.directory.root]) ??
        nginxMessage(tail(this.directory.errorLog, logged), [this.directory.root]) ??
        'no worker of the new configuration answers';
      if (before !== undefined) this.directory.writePrivate('nginx.conf', before);
      await this.#goBack(former);
      throw new NginxError(
        'WEIR_NGINX_RELOAD',
        `nginx did not take its new configuration: ${why}. The former one stays in force; it is tried again.`,
      );
    }
    copyFileSync(this.directory.configuration, join(this.directory.run, LAST_GOOD));
  }

  /** After a reload that failed: workers of the new configuration may have come up all the same, or do so later. */
  async #goBack(former: readonly ProcessInfo[]): Promise<void> {
    if (!this.running || this.#master === undefined) return;
    const known = new Set(former.map(({ pid }) => pid));
    const { workers } = this.processes();
    if (workers.every(({ pid }) => known.has(pid))) return;
    kill(this.#master, 'SIGHUP');
    // The former ones answer meanwhile, so that only the end of all of these tells that others have come.
    const ending = new Set(workers.map(({ pid }) => pid));
    const deadline = Date.now() + BACK_PATIENCE;
    while (Date.now() < deadline && this.processes().workers.some(({ pid }) => ending.has(pid))) await delay(20);
  }

  /** Asks workers without a master to finish what they have and quit. */
  quitOrphans(): number {
    const { orphans } = this.processes();
    for (const orphan of orphans) kill(orphan, 'SIGQUIT');
    return orphans.length;
  }

  /** Finishes requests and quits; what is left after `timeout` milliseconds is ended. */
  async drain(timeout: number): Promise<void> {
    const { master, workers, draining, orphans } = this.processes();
    const all = [...(master === undefined ? [] : [master]), ...workers, ...draining, ...orphans];
    for (const process of master === undefined ? all : [master, ...orphans]) kill(process, 'SIGQUIT');
    if (!(await gone(all, timeout))) {
      for (const process of all) kill(process, 'SIGTERM');
      if (!(await gone(all, 5000))) for (const process of all) kill(process, 'SIGKILL');
    }
    this.leave();
  }

  leave(): void {
    this.#master = undefined;
    this.#control = undefined;
  }

  #arguments(configuration: string): readonly string[] {
    // Before the configuration is read nginx writes to the error log it was built with, which needn't be writable.
    return ['-e', this.directory.errorLog, '-p', this.directory.run, '-c', configuration];
  }

  async #answered(id: string, failed: () => boolean): Promise<DataPlaneState | undefined> {
    const deadline = Date.now() + this.#limits.startTimeout;
    while (Date.now() < deadline) {
      const state = await this.control.state().catch(() => undefined);
      if (state?.conf === id) return state;
      if (failed()) return undefined;
      await delay(10);
    }
    return undefined;
  }

  /** Each reload leaves its workers draining; without a bound many reloads with long connections would fill the memory. */
  async #makeRoom(): Promise<void> {
    const { workers, draining } = this.processes();
    const most = this.#limits.drainingGenerations * Math.max(1, workers.length);
    const surplus = draining.slice(0, Math.max(0, draining.length + workers.length - most));
    for (const process of surplus) kill(process, 'SIGTERM');
    if (surplus.length > 0) await gone(surplus, 2000);
  }

  #complaint(log: string): string | undefined {
    return nginxMessage(tail(join(this.directory.log, log), 0), [this.directory.root]);
  }
}

/** Signals exactly this process: a pid that was given to another since is left alone. */
function kill(target: ProcessInfo, signal: NodeJS.Signals): void {
  if (processInfo(target.pid)?.startTime !== target.startTime) return;
  try {
    process.kill(target.pid, signal);
  } catch {
    // It ended in between.
  }
}

async function gone(processes: readonly ProcessInfo[], timeout: number): Promise<boolean> {
  const deadline = Date.now() + timeout;
  for (;;) {
    if (processes.every(({ pid, startTime }) => processInfo(pid)?.startTime !== startTime)) return true;
    if (Date.now() > deadline) return false;
    await delay(20);
  }
}

function tail(path: string, from: number): string {
  try {
    return readFileSync(path).subarray(from).subarray(-65_536).toString();
  } catch {
    return '';
  }
}
