import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Listener } from '../../src/model/listener.ts';
import { ControlClient } from '../../src/drivers/nginx/control/control-client.ts';
import type { ConfigurationInput, Zone } from '../../src/drivers/nginx/conf/configuration.ts';
import type { Profile } from '../../src/drivers/nginx/conf/profile.ts';
import { renderConfiguration } from '../../src/drivers/nginx/conf/render-configuration.ts';
import { findNginx, type NginxInstallation } from '../../src/drivers/nginx/supervisor/nginx-installation.ts';
import type {
  BackendRecord,
  CertificateRecord,
  HostRecord,
  RouteRecord,
  ServerNameRecord,
} from '../../src/drivers/nginx/wire.ts';
import { buildDataplane } from '../../tools/build-dataplane.ts';
import { makeAuthority, type KeyPair } from './certificates.ts';
import { freePorts, temporaryDirectory, eventually, type Scope } from './scope.ts';

const MB = 1_048_576;
const BODY_LIMIT = 1024;

export interface DataplaneOptions {
  readonly workers?: number;
  /** Added to every listener. */
  readonly listener?: Partial<Listener>;
  readonly profiles?: readonly Profile[];
  readonly accessLog?: boolean;
  readonly dataZone?: Zone;
  readonly keepAlive?: number;
  /** What becomes of the rendered configuration before nginx gets it. */
  readonly edit?: (text: string) => string;
  /** Path of the one to run; that of WEIR_NGINX, else of this machine, unless given. */
  readonly nginx?: string;
}

/** Profiles that most tests need: each protocol without a bound on bodies and with one of 1 KiB. */
export const TEST_PROFILES: readonly Profile[] = (['http', 'https', 'grpc', 'grpcs'] as const).flatMap((protocol) => [
  ...(protocol === 'http' ? [] : [{ name: `@${protocol}`, protocol, bodyLimit: 0, origins: [] }]),
  { name: `@${protocol}_body_1k`, protocol, bodyLimit: BODY_LIMIT, origins: [] },
]);

/** A record to put, or undefined to delete. */
export type Records = Readonly<
  Record<string, CertificateRecord | BackendRecord | ServerNameRecord | HostRecord | string | undefined>
>;

/** The data plane alone, in a real nginx that ends with the test: rendered configuration, records pushed by hand. */
export class Dataplane {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly directory: string;
  readonly token = randomBytes(32).toString('hex');
  readonly control: ControlClient;
  readonly input: ConfigurationInput;
  epoch = randomBytes(4).toString('hex');
  generation = 0;
  conf = '';
  readonly #nginx: NginxInstallation;
  readonly #edit: (text: string) => string;
  #process: ChildProcess | undefined;

  private constructor(
    directory: string,
    ports: readonly number[],
    input: ConfigurationInput,
    nginx: NginxInstallation,
    edit: (text: string) => string,
  ) {
    this.#edit = edit;
    this.directory = directory;
    this.#nginx = nginx;
    this.httpPort = ports[0] ?? 0;
    this.httpsPort = ports[1] ?? 0;
    this.input = input;
    this.control = new ControlClient(this.socket, this.token);
  }

  static async start(scope: Scope, options: DataplaneOptions = {}): Promise<Dataplane> {
    const ports = await freePorts(2);
    const directory = temporaryDirectory(scope, 'dataplane');
    const nginx = await findNginx(options.nginx ?? process.env['WEIR_NGINX']);
    const input = await configuration(directory, ports, options, nginx);
    const dataplane = new Dataplane(directory, ports, input, nginx, options.edit ?? ((text) => text));
    scope.after(() => dataplane.stop());
    await dataplane.#start();
    return dataplane;
  }

  get socket(): string {
    return join(this.input.settings.paths.run, 'control.sock');
  }

  get errorLog(): string {
    return readFileSync(this.input.settings.paths.errorLog, 'utf8');
  }

  get accessLog(): readonly Record<string, unknown>[] {
    const text = readFileSync(this.input.settings.paths.accessLog, 'utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  get masterPid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Brings records into force; hosts and SNI names are of scope `default`. */
  async put(records: Records): Promise<void> {
    const frames = Object.entries(records).map(([key, record]) => {
      if (record === undefined) return Buffer.from(`D ${key}\n`);
      const bytes = Buffer.from(typeof record === 'string' ? record : JSON.stringify(record));
      return Buffer.concat([Buffer.from(`P ${key} ${bytes.length}\n`), bytes, Buffer.from('\n')]);
    });
    const generation = this.generation + 1;
    const answer = await this.control.apply({
      conf: this.conf,
      epoch: this.epoch,
      base: this.generation,
      generation,
      body: Buffer.concat(frames),
    });
    if (answer.kind !== 'in-force') throw new Error(`apply: ${JSON.stringify(answer)}`);
    this.generation = generation;
  }

  /** Another configuration, under the same master. Resolves when a worker of it answers. */
  async reload(input: ConfigurationInput): Promise<void> {
    this.#write(input);
    this.#process?.kill('SIGHUP');
    await eventually('workers of the new configuration', async () => (await this.control.state()).conf === this.conf);
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async #start(): Promise<void> {
    writeFileSync(join(this.input.settings.paths.run, 'token'), this.token, { mode: 0o600 });
    const path = this.#write(this.input);
    const { executable } = this.#nginx;
    const { errorLog } = this.input.settings.paths;
    const child = spawn(executable, ['-e', errorLog, '-p', this.directory, '-c', path, '-g', 'daemon off;'], {
      stdio: 'ignore',
    });
    this.#process = child;
    await eventually('nginx answers', async () => {
      if (child.exitCode !== null) throw new Error(`nginx ended: ${this.errorLog.slice(-2000)}`);
      return (await this.control.state()).conf === this.conf;
    });
  }

  #write(input: ConfigurationInput): string {
    const { id, text } = renderConfiguration(input);
    this.conf = id;
    const path = join(this.directory, 'nginx.conf');
    writeFileSync(`${path}.new`, this.#edit(text), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    return path;
  }
}

async function configuration(
  directory: string,
  ports: readonly number[],
  options: DataplaneOptions,
  nginx: NginxInstallation,
): Promise<ConfigurationInput> {
  const [{ dir }, pair] = await Promise.all([buildDataplane(), defaultPair()]);
  const run = join(directory, 'run');
  mkdirSync(run, { mode: 0o700 });
  writeFileSync(join(run, 'default.pem'), pair.certificate);
  writeFileSync(join(run, 'default.key'), pair.key, { mode: 0o600 });
  const origin = { object: { kind: 'Test', namespace: '', name: 'listener' }, field: '' };
  const listener = { scope: 'default', addresses: ['127.0.0.1'], origin, ...options.listener };
  return {
    closed: false,
    listeners: [
      { name: 'http', protocol: 'http', port: ports[0] ?? 0, ...listener },
      { name: 'https', protocol: 'https', port: ports[1] ?? 0, ...listener },
    ],
    profiles: options.profiles ?? TEST_PROFILES,
    zones: {
      data: options.dataZone ?? { name: 'data', bytes: 16 * MB },
      certificates: { name: 'certificates', bytes: 4 * MB },
      counters: { name: 'counters', bytes: MB },
    },
    settings: {
      nginxVersion: nginx.version,
      modules: nginx.modules,
      lua: nginx.lua,
      workers: options.workers ?? 2,
      ...(process.getuid?.() === 0 ? { user: 'www-data' } : {}),
      paths: {
        run,
        dataplane: dir,
        temp: directory,
        errorLog: join(directory, 'error.log'),
        accessLog: options.accessLog === true ? join(directory, 'access.log') : 'off',
        defaultCertificate: join(run, 'default.pem'),
        defaultKey: join(run, 'default.key'),
      },
      errorLogLevel: 'info',
      workerConnections: 1024,
      openFiles: 4096,
      workerShutdownTimeout: 5,
      upstreamKeepAlive: { connections: options.keepAlive ?? 32, requests: 1000, timeoutSeconds: 60 },
    },
  };
}

async function defaultPair(): Promise<KeyPair> {
  const authority = await makeAuthority('Default authority');
  return authority.issue(['default.invalid']);
}

/** A route to one backend, by text prefix `/` unless told otherwise. */
export function route(backend: string, more: Partial<RouteRecord> = {}): RouteRecord {
  return { origin: 'Test/route', path: { kind: 'prefix', value: '/' }, backends: [[backend, 1]], ...more };
}

/** A backend of these ports on loopback. */
export function endpoints(
  ports: readonly (number | readonly [address: string, port: number])[],
  more: Partial<BackendRecord> = {},
): BackendRecord {
  return {
    balance: 'rr',
    endpoints: ports.map((at) => (typeof at === 'number' ? ['127.0.0.1', at, 1] : [at[0], at[1], 1])),
    ...more,
  };
}
