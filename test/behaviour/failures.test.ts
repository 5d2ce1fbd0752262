import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { refusedPort, startFaultyBackend } from '../support/backends/faulty-backend.ts';
import { eventually } from '../support/scope.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;

/** One worker: each counts failures by itself, and so what is counted here is exact. */
before(async () => {
  site = await Site.open(scope, ['--workers', '1']);
});

const dead = async () => ({ address: '127.0.0.1', port: await refusedPort() });

async function statuses(host: string, count: number, method = 'GET'): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) found.push((await site.http(host, '/', { method })).status);
  return found;
}

test('a request whose endpoint refuses, resets or closes is tried at the next one', async (t) => {
  const good = await startBackend(t, { name: 'good' });
  const bad = [await dead(), await startFaultyBackend(t, 'reset'), await startFaultyBackend(t, 'close')];
  for (const [index, one] of bad.entries()) {
    const host = `next-${index}.test`;
    await site.expose({ host, backends: [one, good] });
    assert.deepEqual(new Set(await statuses(host, 6)), new Set([200]));
  }
});

test('a POST is not repeated once it was sent: the client gets 502, and no other endpoint gets it', async (t) => {
  const host = 'post.test';
  const good = await startBackend(t, { name: 'good' });
  const bad = await startFaultyBackend(t, 'reset');
  await site.expose({ host, backends: [bad, good] });
  const found = await statuses(host, 2, 'POST');
  assert.deepEqual(found.sort(), [200, 502]);
  assert.deepEqual([good.requests(), bad.requests()], [1, 1]);
});

test('a POST that was never sent, because the connection was refused, is tried at the next endpoint', async (t) => {
  const host = 'unsent.test';
  const good = await startBackend(t, { name: 'good' });
  await site.expose({ host, backends: [await dead(), good] });
  const replies = [];
  for (const body of ['a', 'b', 'c', 'd']) replies.push(await site.http(host, '/', { method: 'POST', body }));
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.json<Echo>().body]),
    [...'abcd'].map((body) => [200, body]),
  );
  assert.equal(good.requests(), 4);
});

test('proxy-next-upstream off: nothing is tried twice', async (t) => {
  const host = 'off.test';
  const good = await startBackend(t, { name: 'good' });
  await site.expose({ host, backends: [await dead(), good], annotations: { 'proxy-next-upstream': 'off' } });
  assert.deepEqual((await statuses(host, 2)).sort(), [200, 502]);
});

test('proxy-next-upstream names the failures that are tried again: error without timeout, and timeout without error', async (t) => {
  const good = await startBackend(t, { name: 'good' });
  for (const [word, expected] of [
    ['error', { hang: 504, reset: 200 }],
    ['timeout', { hang: 200, reset: 502 }],
    ['error timeout', { hang: 200, reset: 200 }],
  ] as const) {
    for (const fault of ['hang', 'reset'] as const) {
      const host = `${fault}-${word.replace(' ', '-')}.test`;
      const bad = await startFaultyBackend(t, fault);
      const annotations = { 'proxy-next-upstream': word, 'proxy-read-timeout': '1' };
      await site.expose({ host, backends: [bad, good], annotations });
      const found = new Set(await statuses(host, 2));
      assert.ok(bad.requests() > 0);
      assert.deepEqual(found, new Set([200, expected[fault]]), `${fault} with "${word}"`);
    }
  }
});

test('proxy-next-upstream-tries is how many endpoints a request is tried at', async (t) => {
  const host = 'tries.test';
  const bad = await Promise.all(Array.from({ length: 4 }, () => startFaultyBackend(t, 'reset')));
  const connects = () => bad.reduce((sum, backend) => sum + backend.connections(), 0);
  for (const tries of ['1', '2', '3']) {
    const before = connects();
    await site.expose({ host, backends: bad, annotations: { 'proxy-next-upstream-tries': tries } });
    assert.equal((await site.http(host)).status, 502);
    assert.equal(connects() - before, Number(tries));
  }
});

test('a dead endpoint is ejected: later requests don’t even try it, and no client notices', async (t) => {
  const host = 'dead.test';
  const good = await Promise.all(['one', 'two'].map((name) => startBackend(t, { name })));
  const bad = await startFaultyBackend(t, 'close');
  await site.expose({ host, backends: [bad, ...good] });
  const started = performance.now();
  const found = await statuses(host, 150);
  const seconds = (performance.now() - started) / 1000;
  assert.deepEqual(new Set(found), new Set([200]));
  // Two failures eject it; it is then tried again after 1 s, 2 s more, 4 s more, … at most. In turn it would be 50.
  const trials = Math.floor(Math.log2(seconds + 1));
  assert.ok(bad.connections() >= 2 && bad.connections() <= 2 + trials, `${bad.connections()} tries in ${seconds} s`);
  assert.equal(good[0]!.requests() + good[1]!.requests(), 150);
});

test('an endpoint that answers again is used again', async (t) => {
  const host = 'risen.test';
  const good = await startBackend(t, { name: 'good' });
  const bad = await startFaultyBackend(t, 'close');
  await site.expose({ host, backends: [bad, good] });
  await statuses(host, 10);
  await bad.close();
  await startBackend(t, { name: 'risen', address: bad.address, port: bad.port });
  await eventually(
    'the endpoint to be used again',
    async () => (await site.http(host)).json<Echo>().backend === 'risen',
  );
  const backends = new Set<string>();
  for (let index = 0; index < 6; index += 1) backends.add((await site.http(host)).json<Echo>().backend);
  assert.deepEqual([...backends].sort(), ['good', 'risen'], 'both take their turns');
});

test('when all endpoints are dead they are tried all the same, and 502 says so until one is back', async (t) => {
  const host = 'all-dead.test';
  const bad = await Promise.all(Array.from({ length: 2 }, () => startFaultyBackend(t, 'close')));
  await site.expose({ host, backends: bad });
  assert.deepEqual(new Set(await statuses(host, 8)), new Set([502]));
  const [first] = bad;
  await first!.close();
  await startBackend(t, { address: first!.address, port: first!.port });
  await eventually('an answer', async () => (await site.http(host)).status === 200);
});

test('an answer that breaks off half-way is broken off for the client too, never passed for whole', async (t) => {
  const host = 'half.test';
  await site.expose({ host, backends: [await startFaultyBackend(t, 'half')] });
  await assert.rejects(site.http(host), { code: 'ECONNRESET' });
});
