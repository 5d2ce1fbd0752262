import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
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
import { noRoom, type StateDirectory } from './state-directory.ts';

const NEXT = 'nginx.conf.next';
const LAST_GOOD = 'nginx.conf.last-good';
const START_LOG = 'start.log';
const SETPRIV = '/usr/bin/setpriv';
/** As nginx writes ENOSPC and EDQUOT: a full disk is no object's fault. */
const NO_ROOM = /\((?:28|122): /u;
/** How often nginx is started before it is reported that it ends without a word, and milliseconds in between. */
const START_ATTEMPTS = 3;
const START_PAUSE = 200;
/** Milliseconds that a running nginx is asked for before it is taken for broken or for one with another configuration. */
const ADOPT_PATIENCE = 3000;
/** Milliseconds that workers of a former nginx may take to stop listening. */
const QUIT_PATIENCE = 2000;
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

  /** Text of the last configuration that came into force by a reload. */
  get lastGood(): string | undefined {
    return this.directory.read(LAST_GOOD);
  }

  /** Whether the master that was started or adopted is still there, and can be spoken to. */
  get running(): boolean {
    return this.alive && existsSync(this.directory.socket);
  }

  /** As `running`, though its control socket may have been removed: then only another nginx can take changes. */
  get alive(): boolean {
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
   * A running nginx of this state directory that answers; undefined if there is none. Which of several masters answers
   * is told by the worker that does, whatever the pid file says; the others are ended.
   * `expected`: the configuration it was last given; right after a reload an old worker may answer for a while.
   */
  async adopt(expected?: string): Promise<DataPlaneState | undefined> {
    const { masters } = this.processes();
    const token = this.directory.readToken();
    const found = masters.length === 0 || token === undefined ? undefined : await this.#answering(token, expected);
    await this.#endMasters(masters.filter(({ pid }) => pid !== found?.master.pid));
    if (found === undefined) return undefined;
    this.#master = found.master;
    this.#control = found.control;
    if (this.directory.readPid() !== found.master.pid) this.directory.writeIfRoom('nginx.pid', `${found.master.pid}\n`);
    return found.state;
  }

  /** Who answers on the control socket, asked for `ADOPT_PATIENCE` as long as there is such a socket. */
  async #answering(token: string, expected: string | undefined): Promise<Answering | undefined> {
    const control = new ControlClient(this.directory.socket, token);
    let found: Answering | undefined;
    for (const deadline = Date.now() + ADOPT_PATIENCE; existsSync(this.directory.socket); await delay(20)) {
      const state = await control.state().catch(() => undefined);
      const parent = state && processInfo(state.pid)?.parent;
      const master = this.processes().masters.find(({ pid }) => pid === parent);
      if (state !== undefined && master !== undefined) found = { master, control, state };
      const asExpected = expected === undefined || found?.state.conf === expected;
      if ((found !== undefined && asExpected) || Date.now() > deadline) break;
    }
    return found;
  }

  /**
   * Without a chance to clean up: a master that quits removes the control socket and the pid file, which may be another's
   * by then. Its workers go on with what they have and are asked to quit when the next nginx serves.
   */
  async #endMasters(masters: readonly ProcessInfo[]): Promise<void> {
    for (const master of masters) kill(master, 'SIGKILL');
    await gone(masters, 5000);
  }

  /**
   * Starts nginx with a configuration that has no listeners yet. An end without a word about why (a signal, no process to
   * be had) is nothing that the configuration is to blame for: it is tried again a few times before it is reported.
   */
  async start(text: string, id: string): Promise<DataPlaneState> {
    for (let attempt = 1; ; attempt += 1) {
      const launched = await this.#launch(text, id);
      if (launched.state !== undefined) return launched.state;
      const complaint = this.#complaint(START_LOG) ?? this.#complaint('error.log');
      if (complaint !== undefined || launched.ended === undefined || attempt === START_ATTEMPTS) {
        const why = complaint ?? `${launched.ended ?? 'it does not answer'}, and wrote nothing about why`;
        throw new NginxError('WEIR_NGINX_START', `nginx did not start: ${why}. It is tried again.`);
      }
      await this.#endMasters(this.processes().masters);
      await delay(START_PAUSE);
    }
  }

  async #launch(text: string, id: string): Promise<Launch> {
    this.#master = undefined;
    this.directory.removeStale();
    const token = this.directory.makeToken();
    const configuration = this.directory.writePrivate('nginx.conf', text);
    const output = openSync(join(this.directory.log, START_LOG), 'w', 0o640);
    // A session of its own, no pipe to weir, and the run directory as the current one: by that it is found again.
    const { command, before } = withoutNewPrivileges(this.installation.executable);
    const child = spawn(command, [...before, ...this.#arguments(configuration)], {
      cwd: this.directory.run,
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    child.unref();
    let exit: string | undefined;
    child.on('exit', (code, signal) => (exit = code === 0 ? undefined : `it ended with ${signal ?? `status ${code}`}`));
    child.on('error', (error) => (exit = `it could not be run (${error.message})`));
    this.#control = new ControlClient(this.directory.socket, token);
    const state = await this.#answered(id, () => exit !== undefined);
    const pid = this.directory.readPid();
    this.#master = pid === undefined ? undefined : processInfo(pid);
    if (state !== undefined && this.#master !== undefined) return { state };
    if (child.pid !== undefined && exit === undefined) child.kill('SIGTERM');
    const lost = state === undefined ? undefined : `its pid file (${pid ?? 'empty'}) names no process`;
    return { state: undefined, ended: exit ?? lost };
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
      if (complaint !== undefined && NO_ROOM.test(complaint.message))
        throw noRoom('what nginx needs for its test', error);
      return complaint ?? { message: 'nginx refuses it without a word' };
    }
  }

  /**
   * Puts a tested configuration into force: resolves when workers of it answer, and none of before takes a connection any
   * more. The former one stays when it fails.
   */
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
      // Where there is no room for the former one, nginx isn't told to read what it has just refused.
      if (before === undefined || this.directory.writeIfRoom('nginx.conf', before)) await this.#goBack(former);
      throw new NginxError(
        'WEIR_NGINX_RELOAD',
        `nginx did not take its new configuration: ${why}. The former one stays in force; it is tried again.`,
      );
    }
    this.directory.writeIfRoom(LAST_GOOD, text);
    await this.#replaced(former);
  }

  /**
   * nginx lets new workers come up for a while before it tells the former ones to go, and meanwhile these take connections,
   * too. Resolves when they have stopped, so that records which only the new configuration can serve meet no worker
   * but those of it, and those that finish what they have.
   */
  async #replaced(former: readonly ProcessInfo[]): Promise<void> {
    for (const deadline = Date.now() + QUIT_PATIENCE; Date.now() < deadline; await delay(10)) {
      const taking = former.some(({ pid, startTime }) => {
        const now = processInfo(pid);
        return now?.startTime === startTime && !now.title.includes('shutting down');
      });
      if (!taking) return;
    }
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

  /**
   * Ends masters that aren't ours, and asks workers without a master to finish what they have and quit. Resolves when
   * they take no new requests, which they would answer by what they knew last.
   */
  async quitOrphans(): Promise<number> {
    const { master, masters } = this.processes();
    await this.#endMasters(masters.filter((other) => other !== master));
    const told = new Set<number>();
    // Looked for anew each time: a master may have forked a worker between the look and its end.
    const listening = (): boolean => {
      const now = this.processes();
      for (const orphan of now.orphans) {
        if (told.has(orphan.pid) || now.masters.includes(orphan)) continue;
        told.add(orphan.pid);
        kill(orphan, 'SIGQUIT');
      }
      return now.orphans.some(({ title }) => !title.includes('shutting down'));
    };
    for (const deadline = Date.now() + QUIT_PATIENCE; listening() && Date.now() < deadline; ) await delay(10);
    return told.size;
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
    const late = this.processes().orphans;
    for (const process of late) kill(process, 'SIGTERM');
    await gone(late, 5000);
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

/** `ended`: how it went, where it isn't running. */
type Launch = { readonly state: DataPlaneState } | { readonly state: undefined; readonly ended: string | undefined };

interface Answering {
  readonly master: ProcessInfo;
  readonly control: ControlClient;
  readonly state: DataPlaneState;
}

/**
 * By util-linux, which every Debian has: neither nginx nor who takes one of its workers over gains by setuid programs.
 * Where it isn't there, nginx runs all the same.
 */
function withoutNewPrivileges(executable: string): { readonly command: string; readonly before: readonly string[] } {
  if (!existsSync(SETPRIV)) return { command: executable, before: [] };
  return { command: SETPRIV, before: ['--no-new-privs', executable] };
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
