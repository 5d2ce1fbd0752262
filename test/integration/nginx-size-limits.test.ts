import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  sampleBackend,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleOrigin,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { sortRoutes } from '../../src/model/order.ts';
import type { Route } from '../../src/model/route.ts';
import { echoBackend, freePort, nginxHarness, request } from './nginx-harness.ts';

/** Applies hosts with these routes; every host has besides them what the tests look at. */
async function scene(t: TestContext) {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const driver = make();
  await driver.start();
  const apply = (hosts: Readonly<Record<string, readonly Route[]>>) => {
    const model = sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: Object.entries(hosts).map(([name, routes]) => sampleHost(name, sortRoutes(routes))),
      backends: [sampleBackend('b', [[...endpoint]])],
    });
    return driver.apply(model, undefined);
  };
  return { driver, port, apply };
}

const plain = [sampleRoute('/', 'b')];

function regexRoute(value: string, name = 'web'): Route {
  const match: Route['match'] = { path: { kind: 'regex', value, ignoreCase: true } };
  return sampleRoute(value, 'b', { match, origin: sampleOrigin(name) });
}

test('an expression of 900 KB is refused alone: the change that brings it is in force for everybody else', async (t) => {
  const { port, apply } = await scene(t);
  await apply({ 'a.example': plain });
  const applied = await apply({
    'a.example': plain,
    'b.example': plain,
    'bad.example': [regexRoute(`/x${'y'.repeat(900_000)}`), ...plain],
  });
  const found = applied.quarantined.filter(({ code }) => code === 'WEIR0405');
  assert.equal(found.length, 1);
  assert.match(found[0]?.message ?? '', /takes 900002 bytes, and the longest that is taken has 65536/u);
  for (const host of ['a.example', 'b.example', 'bad.example']) assert.equal((await request(port, host)).status, 200);
});

test('expressions that take more than a call together are all compiled', async (t) => {
  const { port, apply } = await scene(t);
  const hosts = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      `r${index}.example`,
      [regexRoute(`/(x${index}|${'[a-c]'.repeat(index % 7 === 3 ? 13_000 : 50)}|${'y'.repeat(20_000)})`)],
    ]),
  );
  const applied = await apply({ ...hosts, 'a.example': plain });
  assert.equal((await request(port, 'a.example')).status, 200);
  // A class takes 33 bytes when it is compiled: those of 13,000 are refused by the engine itself.
  const refused = applied.quarantined.filter(({ code }) => code === 'WEIR0405');
  assert.equal(
    refused.length,
    Array.from({ length: 60 }, (_, index) => index).filter((index) => index % 7 === 3).length,
  );
  for (const index of [0, 30, 58]) assert.equal((await request(port, `r${index}.example`, `/x${index}`)).status, 200);
  assert.equal((await request(port, 'r0.example', '/other')).status, 404);
});

test('half a character in an expression stops nobody else', async (t) => {
  const { port, apply } = await scene(t);
  await apply({ 'bad.example': [regexRoute('/(x\ud800)')], 'a.example': plain });
  assert.equal((await request(port, 'a.example')).status, 200);
});

test('a host that a foreign object fills keeps what it had, and the surplus answers 503', async (t) => {
  const { driver, port, apply } = await scene(t);
  const victim = [sampleRoute('/v', 'b'), sampleRoute('/', 'b'), sampleRoute('/p/own', 'b')];
  for (const count of [7000, 20_000]) {
    const evil = Array.from({ length: count }, (_, index) =>
      sampleRoute(`/p${String(index).padStart(5, '0')}`, 'b', {
        origin: {
          object: { kind: 'Ingress', namespace: 'evil', name: 'p' },
          field: `spec.rules[0].http.paths[${index}]`,
        },
      }),
    );
    await apply({ 'shared.test': victim });
    await apply({ 'shared.test': [...victim, ...evil] });
    for (const path of ['/v', '/', '/p/own', '/other']) {
      assert.deepEqual([path, (await request(port, 'shared.test', path)).status], [path, 200]);
    }
    const last = `/p${String(count - 1).padStart(5, '0')}`;
    assert.equal((await request(port, 'shared.test', last)).status, 503);
    const charged = driver
      .plan(sampleModel({}), { ...NOTHING_CHANGED })
      .findings.filter(({ code }) => code === 'WEIR0406');
    assert.deepEqual(
      charged.map(({ object }) => object.namespace),
      ['evil'],
    );
  }
});

const NONE: ReadonlySet<string> = new Set();
const NOTHING_CHANGED = { listeners: NONE, hosts: NONE, backends: NONE, certificates: NONE, l4Routes: NONE };
