import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledDataplane } from '../../src/cli/compiled-dataplane.ts';
import { ownListeners } from '../../src/cli/own-listeners.ts';
import { translatorFor } from '../../src/cli/translator-for.ts';
import { Controller } from '../../src/controller/controller.ts';
import { TranslatedFeed } from '../../src/controller/translated-feed.ts';
import type { NameResult } from '../../src/controller/name-query.ts';
import { renderConfiguration } from '../../src/drivers/nginx/conf/render-configuration.ts';
import { NginxDriver } from '../../src/drivers/nginx/nginx-driver.ts';
import type { NginxEvent } from '../../src/drivers/nginx/nginx-options.ts';
import { FilesSource } from '../../src/sources/files/files-source.ts';
import { endProcessesOf } from '../support/leftover-processes.ts';
import { freePorts, type Scope, temporaryDirectory } from '../support/scope.ts';
import type { Decoy } from './decoy.ts';
import type { LogPaths } from './nginx-logs.ts';

/** Failed tries of one change after which there is no hope. */
const HOPELESS = 4;
/** Milliseconds that a change may take on a slow machine. */
const PATIENCE = 120_000;
const CONTROL_LOG_OFF = /(listen "?unix:[^;]*;\s+)access_log "?off"?;/;

/** Where external names lead, by what their DNS says: nowhere good. */
const NAMES: readonly (readonly string[])[] = [['127.0.0.1'], ['::1'], ['169.254.169.254'], ['0.0.0.0'], []];

/**
 * weir as `weir run` puts it together, in this process, so that it can be asked without its admin server; a decoy stands
 * where that would. nginx logs who comes to its control socket.
 */
export class FuzzWeir {
  readonly folder: string;
  readonly stateDirectory: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly controller: Controller;
  readonly logs: LogPaths;
  readonly events: NginxEvent[] = [];
  /** Exceptions that nobody expected, and failed tries of the driver. */
  readonly faults: string[] = [];
  /** In a row. */
  #failures = 0;
  #stuck = new AbortController();

  private constructor(directory: string, ports: readonly number[], decoy: Decoy) {
    [this.httpPort = 0, this.httpsPort = 0] = ports;
    this.folder = join(directory, 'manifests');
    this.stateDirectory = join(directory, 'state');
    mkdirSync(this.folder);
    mkdirSync(this.stateDirectory);
    this.logs = {
      error: join(this.stateDirectory, 'log', 'error.log'),
      access: join(directory, 'access.log'),
      control: join(directory, 'control.log'),
    };
    const listeners = ownListeners(
      this.httpPort,
      this.httpsPort,
      decoy.addresses.map((address) => ({ address, port: decoy.port })),
    );
    const onFault = (what: string, error: unknown) => this.faults.push(`fault while ${what}: ${String(error)}`);
    this.controller = new Controller({
      feed: new TranslatedFeed({
        source: new FilesSource({ folders: [this.folder] }),
        translator: translatorFor({
          ingressClasses: ['weir'],
          httpPort: this.httpPort,
          httpsPort: this.httpsPort,
          trustedProxies: [],
          ownListeners: () => listeners,
        }),
        query: resolveName,
        onFault,
      }),
      drivers: [this.#driver()],
      version: 'fuzz',
      onFault,
    });
    this.controller.listen({
      failed: (driver, error) => {
        this.faults.push(`${driver} failed: ${error.message}`);
        this.#failures += 1;
        if (this.#failures >= HOPELESS) this.#stuck.abort();
      },
      applied: () => (this.#failures = 0),
    });
  }

  static async start(scope: Scope, decoy: Decoy): Promise<FuzzWeir> {
    let end = async () => {};
    scope.after(() => end());
    const directory = temporaryDirectory(scope, 'fuzz');
    const weir = new FuzzWeir(directory, await freePorts(2), decoy);
    end = async () => {
      await weir.controller.stop('drain').catch(() => undefined);
      await endProcessesOf(weir.stateDirectory, [weir.httpPort, weir.httpsPort]);
    };
    await weir.controller.start();
    await weir.settled();
    return weir;
  }

  write(file: string, content: string | Buffer): void {
    writeFileSync(join(this.folder, file), content);
  }

  /** Resolves when what the folder holds is in force; rejects when that fails again and again. */
  async settled(): Promise<void> {
    this.#stuck = new AbortController();
    const done = await this.controller.settle(AbortSignal.any([this.#stuck.signal, AbortSignal.timeout(PATIENCE)]));
    if (!done) throw new Error(`the change does not come into force: ${this.faults.slice(-3).join('; ')}`);
  }

  get controlSocket(): string {
    return join(this.stateDirectory, 'run', 'control.sock');
  }

  masterPid(): number {
    return Number(readFileSync(join(this.stateDirectory, 'run', 'nginx.pid'), 'utf8'));
  }

  /** nginx.conf as it is. */
  configuration(): string {
    return readFileSync(join(this.stateDirectory, 'run', 'nginx.conf'), 'utf8');
  }

  #driver(): NginxDriver {
    const { control } = this.logs;
    return new NginxDriver({
      stateDirectory: this.stateDirectory,
      dataplane: compiledDataplane,
      workers: 2,
      accessLog: this.logs.access,
      drainTimeout: 3000,
      onEvent: (event) => this.events.push(event),
      render: (input) => {
        const rendered = renderConfiguration(input);
        const text = rendered.text.replace(
          CONTROL_LOG_OFF,
          (_all, head: string) => `${head}access_log "${control}" "combined";`,
        );
        if (text === rendered.text) throw new Error('the control server has no access_log to switch on');
        return { ...rendered, text };
      },
    });
  }
}

/** The same for a name each time. */
async function resolveName(name: string): Promise<NameResult> {
  const sum = [...name].reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0);
  const addresses = NAMES[sum % NAMES.length] ?? [];
  return addresses.length === 0
    ? { outcome: 'gone', error: 'ENOTFOUND' }
    : { outcome: 'found', addresses, ttlSeconds: 60 };
}
