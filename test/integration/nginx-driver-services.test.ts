import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Filter } from '../../src/model/filter.ts';
import {
  sampleBackend,
  sampleDelta,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { eventually } from '../support/scope.ts';
import { freePort, nginxHarness, request } from './nginx-harness.ts';

test('external auth and mirrors come and go without a reload, also for services that speak https', async (t) => {
  const { driver: make, events } = nginxHarness(t);
  const port = await freePort();
  const pair = await (await makeAuthority()).issue(['auth.example']);
  const copies: string[] = [];
  let allowed = true;
  const real = await startBackend(t, { name: 'real', respond: (_, response) => response.end('real') });
  const service = await startBackend(t, {
    tls: pair,
    respond: (_, response) => response.writeHead(allowed ? 204 : 403).end(),
  });
  const mirror = await startBackend(t, {
    respond: ({ url = '' }, response, body) => {
      copies.push(`${url} ${body}`);
      response.end();
    },
  });
  const auth: Filter = {
    type: 'external-auth',
    auth: { backend: 'auth', path: '/check', host: 'auth.example', protocol: 'http' },
  };
  const copy: Filter = { type: 'mirror', backend: 'mirror' };
  const model = (filters: Filter[]) =>
    sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: [sampleHost('a.example', [sampleRoute('/', 'b', { filters })])],
      backends: [
        sampleBackend('b', [[real.address, real.port]]),
        sampleBackend('auth', [[service.address, service.port]], { protocol: 'https' }),
        sampleBackend('mirror', [[mirror.address, mirror.port]]),
      ],
    });
  const driver = make();
  await driver.start();
  await driver.apply(model([]), undefined);
  const delta = sampleDelta({ hosts: ['default/a.example'] });
  const change = async (filters: Filter[]) => {
    const applied = await driver.apply(model(filters), delta);
    assert.equal(applied.reloaded, false);
    assert.deepEqual(applied.quarantined, []);
  };
  await change([auth, copy]);
  assert.deepEqual(await request(port, 'a.example', '/yes'), { status: 200, body: 'real' });
  await eventually('the copy', async () => copies.length === 1);
  assert.deepEqual(copies, ['/yes ']);
  allowed = false;
  assert.equal((await request(port, 'a.example', '/no')).status, 403);
  await change([copy]);
  assert.equal((await request(port, 'a.example', '/open')).status, 200);
  await eventually('the second copy', async () => copies.length === 2);
  await change([]);
  assert.equal((await request(port, 'a.example', '/alone')).status, 200);
  assert.deepEqual(copies, ['/yes ', '/open ']);
  assert.equal(events.filter(({ event }) => event === 'reloaded').length, 1, 'only the opening of the listeners');
  assert.ok(service.connections() <= 2, 'one for each worker is kept');
});

test('an external auth that nginx can not do closes its route and no other', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const real = await startBackend(t, { respond: (_, response) => response.end('real') });
  const auth: Filter = {
    type: 'external-auth',
    auth: { backend: 'b', path: '/check', protocol: 'grpc' },
  };
  const driver = make();
  await driver.start();
  const model = sampleModel({
    listeners: [sampleListener('http', port)],
    hosts: [sampleHost('a.example', [sampleRoute('/guarded', 'b', { filters: [auth] }), sampleRoute('/', 'b')])],
    backends: [sampleBackend('b', [[real.address, real.port]])],
  });
  assert.deepEqual(
    driver.plan(model, undefined).findings.map(({ code }) => code),
    ['WEIR0401'],
  );
  await driver.apply(model, undefined);
  assert.equal((await request(port, 'a.example', '/guarded')).status, 503);
  assert.equal((await request(port, 'a.example', '/')).status, 200);
});
