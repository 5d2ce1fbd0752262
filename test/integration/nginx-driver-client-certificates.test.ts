import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ClientCertificatePolicy } from '../../src/model/client-certificate.ts';
import type { Listener } from '../../src/model/listener.ts';
import {
  sampleBackend,
  sampleDelta,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { makeAuthority } from '../support/certificates.ts';
import { policy, showing } from '../support/client-certificates.ts';
import { request } from '../support/clients/http-client.ts';
import { echoBackend, freePort, nginxHarness } from './nginx-harness.ts';

async function setUp(t: TestContext) {
  const harness = nginxHarness(t);
  const [first, second, endpoint] = await Promise.all([freePort(), freePort(), echoBackend(t, 'one')]);
  const backends = [sampleBackend('b', [[...endpoint]])];
  const host = (name: string, clientCertificate?: ClientCertificatePolicy, bodyLimit?: number) =>
    sampleHost(
      name,
      [sampleRoute('/', 'b', bodyLimit === undefined ? {} : { bodyLimit })],
      clientCertificate === undefined ? {} : { tls: { certificates: [], clientCertificate } },
    );
  const [a, b] = await Promise.all([makeAuthority('Authority A'), makeAuthority('Authority B')]);
  const [alice, bob] = await Promise.all([a.issue(['alice']), b.issue(['bob'])]);
  const driver = harness.driver();
  await driver.start();
  const status = async (port: number, name: string, tls = {}) => (await request({ port, host: name, tls })).status;
  return { ...harness, made: driver, first, second, backends, host, a, b, alice, bob, status };
}

test('client certificates of a host, and their authorities, come, change and go without a reload', async (t) => {
  const { made, first: port, backends, host, a, b, alice, bob, status } = await setUp(t);
  const listeners = [sampleListener('https', port)];
  const model = (clientCertificate?: ClientCertificatePolicy) =>
    sampleModel({ listeners, backends, hosts: [host('a.example', clientCertificate), host('open.example')] });
  const delta = sampleDelta({ hosts: ['default/a.example'] });
  await made.apply(model(), undefined);
  assert.equal(await status(port, 'a.example'), 200);
  const plan = made.plan(model(policy(a)), delta);
  assert.deepEqual(
    [plan.changes, plan.reload, plan.findings],
    [{ authorities: 1, serverNames: 1, hosts: 1 }, undefined, []],
  );
  for (const [rule, expected] of [
    [policy(a), [400, 200, 400]],
    [policy([a, b]), [400, 200, 200]],
    [policy(b), [400, 400, 200]],
    [undefined, [200, 200, 200]],
  ] as const) {
    assert.equal((await made.apply(model(rule), delta)).reloaded, false);
    const statuses = [await status(port, 'a.example')];
    for (const client of [alice, bob]) statuses.push(await status(port, 'a.example', showing(client)));
    assert.deepEqual(statuses, expected);
    assert.equal(await status(port, 'open.example'), 200);
  }
});

test('a host that needs a new profile keeps its policy until nginx knows it, and then has both', async (t) => {
  const { made, first: port, backends, host, a, b, alice, bob, status } = await setUp(t);
  const listeners = [sampleListener('https', port)];
  const model = (rule: ClientCertificatePolicy, bodyLimit?: number) =>
    sampleModel({ listeners, backends, hosts: [host('a.example', rule, bodyLimit)] });
  await made.apply(model(policy(a)), undefined);
  const delta = sampleDelta({ hosts: ['default/a.example'] });
  const wrong: number[] = [];
  const watch = { over: false };
  const watching = (async () => {
    while (!watch.over) {
      const reply = await status(port, 'a.example');
      if (reply !== 400) wrong.push(reply);
    }
  })();
  assert.equal((await made.apply(model(policy(b), 54_321), delta)).reloaded, true);
  watch.over = true;
  await watching;
  // One after the other: only one connection can be from before the change with its request after it.
  assert.ok(
    wrong.length <= 1 && wrong.every((reply) => reply === 421),
    `without a certificate nobody got in, and nobody was sent elsewhere: ${wrong.join(', ')}`,
  );
  assert.deepEqual(
    [await status(port, 'a.example', showing(alice)), await status(port, 'a.example', showing(bob))],
    [400, 200],
  );
});

test('a listener that asks for client certificates opens guarded, and one that can not verify them stays shut', async (t) => {
  const { made, first, second, backends, host, a, alice, status } = await setUp(t);
  const model = (more: readonly Listener[]) =>
    sampleModel({ listeners: [sampleListener('https', first), ...more], backends, hosts: [host('a.example')] });
  const guarded = (clientCertificate: ClientCertificatePolicy) =>
    sampleListener('https-guarded', second, { clientCertificate });
  await made.apply(model([]), undefined);
  const seen = new Set<number>();
  const watch = { over: false };
  const watching = (async () => {
    while (!watch.over) seen.add(await status(second, 'a.example').catch(() => 0));
  })();
  const delta = sampleDelta({ listeners: ['https-guarded'] });
  await made.apply(model([guarded(policy(a))]), delta);
  assert.deepEqual([await status(second, 'a.example'), await status(second, 'a.example', showing(alice))], [400, 200]);
  watch.over = true;
  await watching;
  seen.delete(0);
  assert.deepEqual([...seen], [400]);
  assert.equal(await status(first, 'a.example'), 200);

  const broken = model([guarded({ ...policy(a), authorities: 'no certificate' })]);
  const { findings } = made.plan(broken, delta);
  assert.deepEqual(
    findings.map(({ code, object }) => [code, object.name]),
    [['WEIR0415', 'https-guarded']],
  );
  await made.apply(broken, delta);
  await assert.rejects(status(second, 'a.example', showing(alice)));
  assert.equal(await status(first, 'a.example'), 200);
});
