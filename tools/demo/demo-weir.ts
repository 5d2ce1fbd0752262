import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Status } from '../../src/controller/status.ts';
import type { DemoPorts } from './demo-ports.ts';

const START_MS = 60_000;
const STOP_MS = 40_000;

/** `weir run` as the demo's child, with a state directory that lasts as long as the demo. */
export class DemoWeir {
  readonly stateDir: string;
  readonly logFile: string;
  readonly #child: ChildProcess;
  readonly #exit: Promise<string>;
  readonly #adminPort: number;

  constructor(root: string, manifests: readonly string[], ports: DemoPorts) {
    // Not below the checkout: nginx's workers run as another user, who may not be able to pass through a home directory.
    this.stateDir = mkdtempSync(join(tmpdir(), 'weir-demo-'));
    chmodSync(this.stateDir, 0o755);
    this.logFile = join(this.stateDir, 'weir.log');
    this.#adminPort = ports.admin;
    const log = openSync(this.logFile, 'a');
    const folders = manifests.flatMap((folder) => ['--manifests', folder]);
    const addresses = [
      '--http-port',
      `${ports.http}`,
      '--https-port',
      `${ports.https}`,
      '--admin-address',
      `127.0.0.1:${ports.admin}`,
    ];
    // A process group of its own: Ctrl-C reaches the demo alone, which then stops weir in its own time.
    this.#child = spawn(
      join(root, 'bin/weir'),
      ['run', ...folders, ...addresses, '--state-dir', join(this.stateDir, 'state'), '--drain-delay', '0s'],
      {
        stdio: ['ignore', log, log],
        detached: true,
      },
    );
    closeSync(log);
    this.#exit = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('exit', (code, signal) => resolve(`exit code ${code ?? signal}`));
    });
  }

  /** Resolves with why it ended, when it ends. */
  get exited(): Promise<string> {
    return this.#exit;
  }

  log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  /** Rejects, with its log, when it ends first or isn't ready in time. */
  async ready(): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (this.#running && Date.now() < deadline) {
      if (await this.#isReady()) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const how = this.#running ? 'is not ready' : `ended (${await this.#exit})`;
    throw new Error(`weir ${how}; its log:\n${this.log()}`);
  }

  get #running(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async status(): Promise<Status | undefined> {
    try {
      const reply = await fetch(`http://127.0.0.1:${this.#adminPort}/api/v1/status`);
      return reply.ok ? ((await reply.json()) as Status) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Drains and ends it, then removes its state. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    await this.#exit;
    clearTimeout(timer);
    rmSync(this.stateDir, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.#adminPort}/readyz`)).ok;
    } catch {
      return false;
    }
  }
}
