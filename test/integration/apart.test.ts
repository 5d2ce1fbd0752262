import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Status } from '../../src/controller/status.ts';
import { startBackend } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { backendService, ingress } from '../support/manifests.ts';
import { eventually, freePort, freePorts, temporaryDirectory } from '../support/scope.ts';
import { type ServingCommand, startServing } from '../support/serving-command.ts';

/** Asks again and again. The answer stops it, and fails unless every request got its 200. */
function keepAsking(ask: () => Promise<number>): () => Promise<void> {
  const over = new AbortController();
  const tally = { asked: 0, failed: 0 };
  const load = (async () => {
    while (!over.signal.aborted) {
      tally.asked++;
      if ((await ask().catch(() => 0)) !== 200) tally.failed++;
    }
  })();
  return async () => {
    over.abort();
    await load;
    assert.ok(tally.asked > 0);
    assert.equal(tally.failed, 0, `${tally.failed} of ${tally.asked} requests failed`);
  };
}

class Installation {
  readonly folder: ManifestFolder;
  readonly socket: string;
  readonly #context: TestContext;
  readonly http: number;
  readonly https: number;

  constructor(context: TestContext, [http = 0, https = 0]: readonly number[]) {
    this.#context = context;
    this.http = http;
    this.https = https;
    this.folder = new ManifestFolder(context);
    this.socket = join(temporaryDirectory(context, 'apart'), 'model', 'socket');
  }

  static async make(context: TestContext): Promise<Installation> {
    return new Installation(context, await freePorts(2));
  }

  get translating(): readonly string[] {
    return ['--manifests', this.folder.path, '--http-port', `${this.http}`, '--https-port', `${this.https}`];
  }

  controller(again?: ServingCommand, socket = this.socket): Promise<ServingCommand> {
    const args = [...this.translating, '--model-listen', `unix:${socket}`];
    return startServing(this.#context, 'controller', { args, ...(again === undefined ? {} : { again }) });
  }

  proxy(again?: ServingCommand, sockets: readonly string[] = [this.socket], name = 'one'): Promise<ServingCommand> {
    const from = sockets.flatMap((socket) => ['--model-from', `unix:${socket}`]);
    return startServing(this.#context, 'proxy', {
      args: [...from, '--proxy-name', name, '--workers', '2', '--drain-delay', '0s'],
      ports: [this.http, this.https],
      ...(again === undefined ? {} : { again }),
    });
  }

  async expose(host: string, name = host.split('.')[0]!): Promise<void> {
    const backend = await startBackend(this.#context, { name });
    this.folder.write(`${name}.yaml`, [
      ingress({ name, host, paths: [{ service: name, path: '/' }] }),
      ...backendService({ name, endpoints: [backend] }),
    ]);
  }

  async answer(host: string): Promise<number> {
    return (await request({ port: this.http, host, path: '/' })).status;
  }
}

test('a proxy serves what its controller reads, over the socket, and both tell about it', async (context) => {
  const site = await Installation.make(context);
  await site.expose('shop.example');
  const controller = await site.controller();
  const proxy = await site.proxy();
  await Promise.all([controller.untilReady(), proxy.untilReady()]);
  assert.equal(await site.answer('shop.example'), 200);
  await site.expose('blog.example');
  await controller.settled();
  assert.equal(await site.answer('blog.example'), 200);
  await site.expose('news.example');
  await proxy.settled();
  assert.equal(await site.answer('news.example'), 200);
  const { drivers, appliedGeneration, generation, ready } = await eventually(
    'the proxy to be told healthy',
    async () => {
      const status = await controller.admin<Status>('/api/v1/status');
      return status.drivers.every(({ healthy }) => healthy) && status;
    },
  );
  assert.deepEqual(
    drivers.map(({ name, detail }) => [name, detail.ready, detail.model]),
    [['proxy/one', true, 'source']],
  );
  assert.deepEqual([ready, appliedGeneration], [true, generation]);
  const explained = await controller.admin<{ readonly verdict?: unknown }>(
    '/api/v1/explain?url=http%3A%2F%2Fshop.example%2F',
  );
  assert.ok(JSON.stringify(explained).includes('shop'));
});

test('losing the controller, and its coming back, costs no request and empties nothing', async (context) => {
  const site = await Installation.make(context);
  await site.expose('shop.example');
  const first = await site.controller();
  const proxy = await site.proxy();
  await proxy.untilReady();
  assert.equal(await site.answer('shop.example'), 200);
  const stopLoad = keepAsking(() => site.answer('shop.example'));
  await first.stop('SIGKILL');
  await eventually('the proxy to notice', async () => {
    const { source } = await proxy.admin<Status>('/api/v1/status');
    return !source.healthy;
  });
  assert.equal(await proxy.ready(), true);
  const second = await site.controller(first);
  await site.expose('blog.example');
  await second.untilReady();
  await proxy.settled();
  assert.equal(await site.answer('blog.example'), 200);
  await stopLoad();
  const { drivers } = await second.admin<Status>('/api/v1/status');
  assert.deepEqual(
    drivers.map(({ name }) => name),
    ['proxy/one'],
  );
});

test('a proxy that was killed takes its nginx over, and serves the last model without a controller', async (context) => {
  const site = await Installation.make(context);
  await site.expose('shop.example');
  const controller = await site.controller();
  const proxy = await site.proxy();
  await proxy.untilReady();
  await proxy.settled();
  const pidOf = async (each: ServingCommand) =>
    (await each.admin<Status>('/api/v1/status')).drivers[0]?.detail.master ??
    (await each.admin<Status>('/api/v1/status')).drivers[0]?.detail.pid;
  const master = await eventually('nginx to be seen', () => pidOf(proxy) as Promise<number | undefined>);
  await eventually('the model to be saved', async () => {
    const { savedState } = await proxy.admin<Status>('/api/v1/status');
    return savedState.pending === 0;
  });
  await proxy.stop('SIGKILL');
  assert.equal(await site.answer('shop.example'), 200);
  await controller.stop('SIGKILL');
  const again = await site.proxy(proxy);
  await again.untilReady();
  assert.equal(await site.answer('shop.example'), 200);
  assert.equal(await eventually('nginx to be seen', () => pidOf(again) as Promise<number | undefined>), master);
  const status = await again.admin<Status>('/api/v1/status');
  assert.deepEqual([status.model.origin, status.source.synced, status.source.healthy], ['saved', false, false]);
});

test('a proxy without a saved model waits for its controller, and is not ready before', async (context) => {
  const site = await Installation.make(context);
  await site.expose('shop.example');
  const proxy = await site.proxy();
  await eventually('the proxy to run', () => proxy.admin<Status>('/api/v1/status').then(() => true));
  assert.equal(await proxy.ready(), false);
  await site.controller();
  await proxy.untilReady();
  assert.equal(await site.answer('shop.example'), 200);
});

test('two controllers stand by for each other while requests go on', async (context) => {
  const site = await Installation.make(context);
  await site.expose('shop.example');
  const other = join(temporaryDirectory(context, 'apart'), 'model', 'socket');
  const [a, b] = await Promise.all([site.controller(), site.controller(undefined, other)]);
  const proxy = await site.proxy(undefined, [site.socket, other]);
  await proxy.untilReady();
  await proxy.settled();
  const stopLoad = keepAsking(() => site.answer('shop.example'));
  const before = await proxy.admin<Status>('/api/v1/status');
  await a.stop('SIGKILL');
  await eventually('the other controller to be followed', async () => {
    const { drivers } = await b.admin<Status>('/api/v1/status');
    return drivers.some(({ name, appliedGeneration }) => name === 'proxy/one' && appliedGeneration > 0);
  });
  const after = await proxy.admin<Status>('/api/v1/status');
  assert.equal(after.generation, before.generation, 'the other says the same, so nothing has changed');
  await site.expose('blog.example');
  await proxy.settled();
  assert.equal(await site.answer('blog.example'), 200);
  await stopLoad();
  assert.equal((await proxy.admin<Status>('/api/v1/status')).reloads, before.reloads);
});

test('between machines the stream is under mutual TLS, with the files that the controller made', async (context) => {
  const site = await Installation.make(context);
  await site.expose('shop.example');
  const port = await freePort();
  const tls = join(temporaryDirectory(context, 'tls'), 'model');
  const listen = ['--model-listen', `127.0.0.1:${port}`];
  const unsafe = await startServing(context, 'controller', { args: [...site.translating, ...listen] });
  assert.equal(await unsafe.stop('SIGCONT'), 2);
  assert.match(unsafe.output(), /needs certificates.*--model-tls-dir/s);
  const args = [...site.translating, ...listen, '--model-tls-dir', tls];
  const controller = await startServing(context, 'controller', { args });
  await controller.untilReady();
  const from = ['--model-from', `127.0.0.1:${port}`, '--model-tls-dir', join(tls, 'proxy')];
  const proxy = await startServing(context, 'proxy', {
    args: [...from, '--workers', '2', '--drain-delay', '0s'],
    ports: [site.http, site.https],
  });
  await proxy.untilReady();
  assert.equal(await site.answer('shop.example'), 200);
  await site.expose('blog.example');
  await proxy.settled();
  assert.equal(await site.answer('blog.example'), 200);
  for (const text of [controller.output(), proxy.output()]) assert.ok(!text.includes('PRIVATE KEY'));
});

test('a change takes about as long to traffic over the stream as in one program', async (context) => {
  const changes = 20;
  const figures: string[] = [];
  for (const apart of [false, true]) {
    const site = await Installation.make(context);
    await site.expose('shop.example');
    const serving = apart
      ? await site.controller()
      : await startServing(context, 'run', {
          args: [...site.translating, '--workers', '2', '--drain-delay', '0s'],
          ports: [site.http, site.https],
        });
    if (apart) await (await site.proxy()).untilReady();
    await serving.untilReady();
    for (let round = 1; round <= changes; round++) {
      await site.expose(`host${round}.example`);
      await serving.settled();
      assert.equal(await site.answer(`host${round}.example`), 200);
    }
    const { body } = await request({ port: serving.adminPort, path: '/metrics' });
    const driver = apart ? 'proxy/one' : 'nginx';
    const buckets = [
      ...body.matchAll(/^weir_change_to_traffic_seconds_bucket\{le="([^"]*)",driver="([^"]*)"\} (.*)$/gm),
    ]
      .filter(([, , name]) => name === driver)
      .map(([, bound, , count]) => [Number(bound === '+Inf' ? Infinity : bound) * 1000, Number(count)] as const);
    const all = buckets.at(-1)?.[1] ?? 0;
    assert.ok(all >= changes, `${all} changes were timed`);
    const within = (share: number) => buckets.find(([, count]) => count >= share * all)?.[0];
    figures.push(
      `${apart ? 'controller and proxy' : 'weir run'}: half of the changes within ${within(0.5)} ms, nine of ten within ${within(0.9)} ms`,
    );
  }
  context.diagnostic(figures.join('; '));
});
