import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from '../support/clients/http-client.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { runCommand } from '../support/run-command.ts';
import { startWeir } from '../support/weir.ts';

async function bench(t: TestContext, drainDelay: string) {
  const folder = new ManifestFolder(t);
  const weir = await startWeir(t, { manifests: folder, args: ['--drain-delay', drainDelay, '--workers', '1'] });
  const socket = join(weir.stateDir, 'admin.sock');
  const ask = (...args: readonly string[]) => runCommand([...args, '--admin', `unix:${socket}`]);
  const connection = async () =>
    (await request({ port: weir.httpPort, headers: { Connection: 'keep-alive' } })).headers.connection;
  const metric = async () =>
    /^weir_draining (\d)$/mu.exec((await request({ port: weir.adminPort, path: '/metrics' })).body)?.[1];
  return { weir, socket, ask, connection, metric };
}

test('weir drain lets clients go, returns when weir can be stopped, and can be taken back', async (t) => {
  const { weir, ask, connection, metric } = await bench(t, '3s');
  assert.deepEqual([await connection(), await metric()], ['keep-alive', '0']);
  const began = performance.now();
  const draining = ask('drain');
  const { code } = await draining;
  assert.equal(code, 0);
  assert.ok(performance.now() - began >= 3000);
  assert.deepEqual([await connection(), await metric()], ['close', '1']);
  assert.match((await ask('status')).out, /^draining since /mu);
  assert.equal((await ask('drain', '--cancel')).code, 0);
  assert.deepEqual([await connection(), await metric()], ['keep-alive', '0']);
  assert.doesNotMatch((await ask('status')).out, /draining/u);
  assert.equal(await weir.stop(), 0);
});

test('a second SIGTERM stops a weir that waits for its clients to go', async (t) => {
  const { weir, connection } = await bench(t, '1h');
  const exited = weir.stop('SIGTERM');
  while ((await connection()) !== 'close') await delay(20);
  await weir.stop('SIGTERM');
  assert.equal(await exited, 0);
  assert.match(weir.output(), /draining/u);
});

test('Ctrl-C doesn’t wait for clients to go', async (t) => {
  const { weir } = await bench(t, '1h');
  assert.equal(await weir.stop('SIGINT'), 0);
});

test('probes ask weir by a socket that only its own account may open', async (t) => {
  const { weir, socket, ask } = await bench(t, '0s');
  assert.equal(statSync(socket).mode & 0o777, 0o600);
  const ready = await ask('status', '--ready');
  assert.deepEqual([ready.code, ready.out], [0, 'ready\n']);
  const alive = await ask('status', '--live');
  assert.deepEqual([alive.code, alive.out], [0, 'alive\n']);
  await weir.stop();
  assert.equal(existsSync(socket), false);
  assert.equal((await ask('status', '--ready')).code, 3);
});
