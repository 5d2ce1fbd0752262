import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { NginxError } from '../../src/drivers/nginx/nginx-error.ts';
import type { NginxDriver } from '../../src/drivers/nginx/nginx-driver.ts';
import { nginxProcesses } from '../../src/drivers/nginx/supervisor/nginx-processes.ts';
import {
  sampleBackend,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { eventually } from '../support/scope.ts';
import { echoBackend, freePort, nginxHarness } from './nginx-harness.ts';

async function bench(t: TestContext) {
  const { driver, directory } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const model = sampleModel({
    listeners: [sampleListener('http', port)],
    hosts: [sampleHost('a.example', [sampleRoute('/', 'one')])],
    backends: [sampleBackend('one', [[...endpoint]])],
  });
  /** What the answer to a client says of its connection. */
  const told = async () => {
    const connection = await HttpConnection.open(port);
    const { headers } = await connection.request('a.example');
    connection.close();
    return headers.connection;
  };
  return { driver, directory, model, port, told };
}

async function serving(driver: NginxDriver, model: Parameters<NginxDriver['apply']>[0]): Promise<NginxDriver> {
  await driver.start();
  await driver.apply(model, undefined);
  return driver;
}

test('an nginx that ends while its clients are let go comes back letting them go', async (t) => {
  const { driver: make, directory, model, told } = await bench(t);
  const driver = await serving(make(), model);
  assert.equal(await told(), 'keep-alive');
  await driver.letClientsGo(true);
  assert.equal(await told(), 'close');
  const { master, workers } = nginxProcesses('nginx', `${directory}/run`, undefined);
  for (const { pid } of [master!, ...workers]) process.kill(pid, 'SIGKILL');
  await eventually('another nginx', async () => (await told()) === 'close', { withinMs: 30_000, everyMs: 200 });
  await driver.letClientsGo(false);
  assert.equal(await told(), 'keep-alive');
});

test('a weir that takes over an nginx which was letting its clients go has it keep them', async (t) => {
  const { driver: make, model, told } = await bench(t);
  const first = await serving(make(), model);
  await first.letClientsGo(true);
  assert.equal(await told(), 'close');
  // As if it had been killed: it has no chance to take that back.
  await serving(make(), model);
  assert.equal(await told(), 'keep-alive');
});

test('left serving, nginx keeps its clients again', async (t) => {
  const { driver: make, model, told } = await bench(t);
  const driver = await serving(make(), model);
  await driver.letClientsGo(true);
  await driver.stop('leave');
  assert.equal(await told(), 'keep-alive');
});

test('ports of another nginx of the same account are taken only where they are to be shared', async (t) => {
  const { driver: make, model, told } = await bench(t);
  await serving(make(), model);
  const other = nginxHarness(t);
  const alone = other.driver();
  await alone.start();
  await assert.rejects(
    alone.apply(model, undefined),
    (error) => error instanceof NginxError && error.code === 'WEIR_NGINX_PORT' && /is taken by/u.test(error.message),
  );
  await alone.stop('drain');
  const beside = await serving(other.driver({ sharePorts: true }), model);
  assert.equal((await beside.observe()).healthy, true);
  assert.equal(await told(), 'keep-alive');
  await beside.stop('drain');
  assert.equal(await told(), 'keep-alive');
});

test('a port whose holder doesn’t share it is not taken, and that is said', async (t) => {
  const { driver: make, model, port } = await bench(t);
  const stranger = createServer();
  await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve));
  t.after(() => stranger.close());
  const driver = make({ sharePorts: true, limits: { startTimeout: 5000 } });
  await driver.start();
  await assert.rejects(driver.apply(model, undefined), /in use|is taken/u);
});
