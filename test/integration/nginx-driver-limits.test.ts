import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ConfigurationInput } from '../../src/drivers/nginx/conf/configuration.ts';
import { renderConfiguration } from '../../src/drivers/nginx/conf/render-configuration.ts';
import { ControlClient } from '../../src/drivers/nginx/control/control-client.ts';
import type { Model } from '../../src/model/model.ts';
import {
  sampleBackend,
  sampleDelta,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { buildDataplane } from '../../tools/build-dataplane.ts';
import { echoBackend, freePort, nginxHarness, request } from './nginx-harness.ts';

test('when the zones are full nginx gets larger ones, filled with what was there, and the change is in force', async (t) => {
  const { driver: make, events } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const driver = make({ zones: { data: 131_072, certificates: 131_072 } });
  await driver.start();
  const model = (hosts: number) =>
    sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: Array.from({ length: hosts }, (_, index) => sampleHost(`h${index}.example`, [sampleRoute('/', 'b')])),
      backends: [sampleBackend('b', [[...endpoint]])],
    });
  await driver.apply(model(10), undefined);
  await driver.apply(model(1000), undefined);
  assert.ok(events.some(({ reason }) => reason === 'capacity'));
  for (const index of [0, 9, 500, 999]) assert.equal((await request(port, `h${index}.example`)).status, 200);
  // What nginx has grown to is kept by the next weir, without a reload.
  await driver.stop('leave');
  const next = make({ zones: { data: 131_072, certificates: 131_072 } });
  await next.start();
  assert.equal((await next.apply(model(1000), undefined)).reloaded, false);
});

test('a first model that is larger than the zones is in force, too', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const driver = make({ zones: { data: 131_072, certificates: 131_072 } });
  await driver.start();
  const hosts = Array.from({ length: 1000 }, (_, index) => sampleHost(`h${index}.example`, [sampleRoute('/', 'b')]));
  const model = sampleModel({
    listeners: [sampleListener('http', port)],
    hosts,
    backends: [sampleBackend('b', [[...endpoint]])],
  });
  await driver.apply(model, undefined);
  for (const index of [0, 999]) assert.equal((await request(port, `h${index}.example`)).status, 200);
});

test('workers that drain for long connections are bounded in number; the oldest are ended', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const driver = make({ limits: { drainingGenerations: 2 }, workers: 1 });
  await driver.start();
  const model = (bodyLimit: number): Model =>
    sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: [sampleHost('a.example', [sampleRoute('/', 'b', { bodyLimit })])],
      backends: [sampleBackend('b', [[...endpoint]])],
    });
  await driver.apply(model(1000), undefined);
  const sockets: Socket[] = [];
  for (let round = 1; round <= 4; round += 1) {
    sockets.push(await unfinishedRequest(t, port));
    await driver.apply(model(1000 + round), sampleDelta({ hosts: ['default/a.example'] }));
  }
  const { detail } = await driver.observe();
  assert.ok(Number(detail['drainingWorkers']) <= 2, `${String(detail['drainingWorkers'])} workers drain`);
  assert.equal(sockets.at(-1)?.destroyed, false);
  assert.equal((await request(port, 'a.example')).status, 200);
});

test('a data plane that does not load is refused before nginx is reloaded, and the former one goes on', async (t) => {
  const { driver: make, directory } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const model = sampleModel({
    listeners: [sampleListener('http', port)],
    hosts: [sampleHost('a.example', [sampleRoute('/', 'b')])],
    backends: [sampleBackend('b', [[...endpoint]])],
  });
  const good = make();
  await good.start();
  await good.apply(model, undefined);
  await good.stop('leave');
  const build = await buildDataplane();
  const broken = join(directory, 'broken');
  cpSync(build.dir, broken, { recursive: true });
  writeFileSync(join(broken, 'weir.lua'), 'error("this program is broken", 0)\n');
  const bad = make({ dataplane: async () => ({ dir: broken, hash: 'broken' }) });
  await bad.start();
  await assert.rejects(bad.apply(model, undefined), { code: 'WEIR_NGINX_START', message: /this program is broken/u });
  assert.equal((await request(port, 'a.example')).status, 200);
  await bad.stop('leave');
  const another = make({ dataplane: async () => ({ dir: build.dir, hash: 'another' }) });
  await another.start();
  assert.equal((await another.apply(model, undefined)).reloaded, true);
  assert.deepEqual((await another.observe()).detail['reloads'], { software: 1 });
  assert.equal((await request(port, 'a.example')).status, 200);
});

for (const [hook, from, to] of [
  ['init_by_lua', 'weir = require', 'error("this program is broken") weir = require'],
  ['init_worker_by_lua', 'weir.initWorker()', 'error("this program is broken")'],
] as const) {
  test(`a reload whose ${hook} fails ends at once with what it says, and the former configuration goes on`, async (t) => {
    let broken = false;
    // The self-test runs the closed configuration, so that only the reload can fail.
    const render = (input: ConfigurationInput) => {
      const rendered = renderConfiguration(input);
      return broken && !input.closed ? { ...rendered, text: rendered.text.replace(from, to) } : rendered;
    };
    const { driver: make, directory } = nginxHarness(t);
    const port = await freePort();
    const endpoint = await echoBackend(t, 'one');
    // Longer than the test may take: it ends by what is in the log, not by waiting.
    const driver = make({ render, limits: { startTimeout: 120_000 } });
    await driver.start();
    const model = (bodyLimit: number) =>
      sampleModel({
        listeners: [sampleListener('http', port)],
        hosts: [sampleHost('a.example', [sampleRoute('/', 'b', { bodyLimit })])],
        backends: [sampleBackend('b', [[...endpoint]])],
      });
    await driver.apply(model(1000), undefined);
    const before = await configurationInForce(directory);
    const good = readFileSync(join(directory, 'run', 'nginx.conf'), 'utf8');
    broken = true;
    const delta = sampleDelta({ hosts: ['default/a.example'] });
    await assert.rejects(driver.apply(model(2000), delta), {
      code: 'WEIR_NGINX_RELOAD',
      message: /this program is broken.*The former one stays in force/u,
    });
    assert.equal((await request(port, 'a.example')).status, 200);
    assert.equal(readFileSync(join(directory, 'run', 'nginx.conf'), 'utf8'), good);
    assert.equal(await configurationInForce(directory), before);
    broken = false;
    assert.equal((await driver.apply(model(2000), delta)).reloaded, true);
    assert.equal((await request(port, 'a.example')).status, 200);
  });
}

/** Asked of the workers themselves. */
async function configurationInForce(directory: string): Promise<string> {
  const run = join(directory, 'run');
  const token = readFileSync(join(run, 'token'), 'utf8').trim();
  return (await new ControlClient(join(run, 'control.sock'), token).state()).conf;
}

/** A connection on which a request has begun and not ended: its worker drains as long as it is open. */
function unfinishedRequest(t: TestContext, port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 100\r\n\r\nx');
      setTimeout(() => resolve(socket), 100);
    });
    socket.on('error', () => undefined);
    t.after(() => socket.destroy());
  });
}
