import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Status } from '../../../src/controller/status.ts';
import { type Backend, startBackend } from '../../support/backends/echo-backend.ts';
import { request } from '../../support/clients/http-client.ts';
import { ManifestFolder } from '../../support/manifest-folder.ts';
import { backendService, ingress, type Manifest } from '../../support/manifests.ts';
import { eventually, type Scope } from '../../support/scope.ts';
import { startWeir, type Weir } from '../../support/weir.ts';
import { type Load, prepareLoad } from '../load/load.ts';
import { type NginxPids, nginxPids } from '../nginx-processes.ts';

/** Requests a second, all the time. */
const RATE = 200;
const HOST = 'moving.example';
const ARGS = ['--workers', '2'];
const PATIENCE = { withinMs: 30_000, everyMs: 10 };

/** A weir with two workers under load, and one host whose backend a test changes. */
export class Scene {
  readonly folder: ManifestFolder;
  readonly load: Load;
  weir: Weir;
  readonly #scope: Scope;
  readonly #backends: readonly Backend[];
  #moves = 0;

  private constructor(scope: Scope, folder: ManifestFolder, load: Load, weir: Weir, backends: readonly Backend[]) {
    this.#scope = scope;
    this.folder = folder;
    this.load = load;
    this.weir = weir;
    this.#backends = backends;
  }

  static async open(scope: Scope, more: Readonly<Record<string, readonly Manifest[]>> = {}): Promise<Scene> {
    const load = await prepareLoad(scope);
    const backends = await Promise.all([startBackend(scope, { name: 'blue' }), startBackend(scope, { name: 'green' })]);
    const folder = new ManifestFolder(scope, {
      'steady.yaml': load.manifests,
      'moving.yaml': moving(backends[0]),
      ...more,
    });
    const weir = await startWeir(scope, { manifests: folder, args: ARGS });
    const scene = new Scene(scope, folder, load, weir, backends);
    await scene.whole();
    load.start(weir, RATE);
    await delay(500);
    return scene;
  }

  get nginx(): NginxPids {
    return nginxPids(this.weir);
  }

  async restartWeir(): Promise<void> {
    this.weir = await startWeir(this.#scope, { manifests: this.folder, again: this.weir, args: ARGS });
  }

  status(): Promise<Status> {
    return this.weir.admin<Status>('/api/v1/status');
  }

  /** Writes a change; what it returns resolves when a request is answered by it. */
  change(): () => Promise<void> {
    this.#moves += 1;
    const backend = this.#backends[this.#moves % 2]!;
    this.folder.write('moving.yaml', moving(backend));
    return async () => {
      await eventually(
        `an answer by ${backend.name}`,
        async () => (await this.#answeredBy()) === backend.name,
        PATIENCE,
      );
    };
  }

  /** Both workers of one master, `running` in the status. */
  async whole(): Promise<NginxPids> {
    const pids = await eventually(
      'a master and two workers',
      () => this.nginx.workers.length === 2 && this.nginx,
      PATIENCE,
    );
    await eventually('weir to find all well', async () => (await this.status()).state === 'running', PATIENCE);
    return pids;
  }

  /** What was written last, from each of many new connections, so that every worker is asked. */
  async everyWorkerAgrees(): Promise<void> {
    await this.weir.settled();
    const backend = this.#backends[this.#moves % 2]!;
    for (let count = 0; count < 12; count += 1) assert.equal(await this.#answeredBy(), backend.name);
  }

  async #answeredBy(): Promise<unknown> {
    const { headers } = await request({ port: this.weir.httpPort, host: HOST, timeoutMs: 5000 });
    return headers['x-backend'];
  }
}

function moving(backend: Backend | undefined): readonly Manifest[] {
  return [
    ingress({ name: 'moving', host: HOST, paths: [{ service: 'moving' }] }),
    ...backendService({ name: 'moving', endpoints: backend === undefined ? [] : [backend] }),
  ];
}
