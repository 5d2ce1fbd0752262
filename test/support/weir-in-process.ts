import { pino } from 'pino';
import { type RunningWeir, startWeir } from '../../src/cli/start-weir.ts';
import { loadSettings } from '../../src/config/load-settings.ts';
import type { Status } from '../../src/controller/status.ts';
import { request } from './clients/http-client.ts';
import { endProcessesOf } from './leftover-processes.ts';
import { freePorts, type Scope, temporaryDirectory } from './scope.ts';

/** All that `weir run` starts, nginx included, without a process of its own: a fraction of a second for a fresh start. */
export class WeirInProcess {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly #adminPort: number;
  readonly #weir: RunningWeir;
  readonly #undo: () => Promise<void>;
  #stopped: Promise<void> | undefined;

  private constructor(ports: readonly [number, number, number], weir: RunningWeir, undo: () => Promise<void>) {
    [this.httpPort, this.httpsPort, this.#adminPort] = ports;
    this.#weir = weir;
    this.#undo = undo;
  }

  /** Serves the folder, and resolves when all that is in it is in force. Stopped at the end of the scope, or before. */
  static async start(scope: Scope, manifests: string): Promise<WeirInProcess> {
    const [http = 0, https = 0, admin = 0] = await freePorts(3);
    const undos: (() => void | Promise<void>)[] = [];
    const stateDir = temporaryDirectory({ after: (undo) => undos.push(undo) }, 'state');
    const flags = {
      manifests: [manifests],
      'http-port': String(http),
      'https-port': String(https),
      'admin-address': `127.0.0.1:${admin}`,
      'state-dir': stateDir,
      'access-log': 'off',
      workers: '2',
    };
    const settings = loadSettings({ flags, environment: {}, uid: process.getuid?.() ?? 0 });
    const weir = await startWeir(settings, pino({ level: 'silent' }));
    const started = new WeirInProcess([http, https, admin], weir, async () => {
      await endProcessesOf(stateDir, [http, https]);
      for (const undo of undos) await undo();
    });
    scope.after(() => started.stop());
    await started.settled();
    return started;
  }

  /** Resolves when what the folder holds now is in force. */
  async settled(): Promise<void> {
    const status = await this.#status();
    if (!status.settled) throw new Error(`not everything was in force within 30 s: ${JSON.stringify(status)}`);
  }

  async reloads(): Promise<number> {
    return (await this.#status()).reloads;
  }

  /** Ends weir and its nginx. */
  stop(): Promise<void> {
    this.#stopped ??= this.#weir.stop('drain').finally(this.#undo);
    return this.#stopped;
  }

  async #status(): Promise<Status & { readonly settled: boolean }> {
    const reply = await request({ port: this.#adminPort, path: '/api/v1/status?wait=30', timeoutMs: 40_000 });
    return reply.json();
  }
}
