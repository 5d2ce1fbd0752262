import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { AffinityRecord, BackendRecord, CanaryRecord } from '../../src/drivers/nginx/wire.ts';
import { startBackend, type Backend, type Echo } from '../support/backends/echo-backend.ts';
import { startFaultyBackend } from '../support/backends/faulty-backend.ts';
import { request, type Reply } from '../support/clients/http-client.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import { freePort } from '../support/scope.ts';
import { suiteScope } from '../support/suite-scope.ts';

const HOST = 'balance.example';

describe('the balancer inside nginx', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  let backends: Backend[];
  let next = 0;

  before(async () => {
    dataplane = await Dataplane.start(scope, { workers: 1 });
    backends = await Promise.all(Array.from({ length: 10 }, (_, index) => startBackend(scope, { name: `b${index}` })));
  });
  // A backend of its own for each test: what a worker has learnt of an endpoint stays with the backend's id.
  beforeEach(() => {
    next += 1;
  });

  const port = (index: number) => backends[index]?.port ?? 0;
  const serve = (record: BackendRecord, more: Parameters<typeof route>[1] = {}) =>
    dataplane.put({ [`b:${next}`]: record, [`h:default/${HOST}`]: { routes: [route(String(next), more)] } });
  const ask = (options: Partial<Parameters<typeof request>[0]> = {}) =>
    request({ port: dataplane.httpPort, host: HOST, ...options });
  const nameOf = (reply: Reply) => (reply.status === 200 ? reply.json<Echo>().backend : String(reply.status));
  const counts = async (times: number, options: Parameters<typeof ask>[0] = {}) => {
    const found: Record<string, number> = {};
    for (let index = 0; index < times; index += 1) {
      const name = nameOf(await ask(options));
      found[name] = (found[name] ?? 0) + 1;
    }
    return found;
  };

  it('gives 100 requests to 10 endpoints evenly, in turn', async () => {
    await serve(endpoints(backends.map((backend) => backend.port)));
    const found = await counts(100);
    assert.deepEqual(
      Object.values(found),
      Array.from({ length: 10 }, () => 10),
    );
  });

  it('respects weights, and gives an endpoint of weight 0 nothing', async () => {
    await serve({
      balance: 'rr',
      endpoints: [
        ['127.0.0.1', port(0), 3],
        ['127.0.0.1', port(1), 1],
        ['127.0.0.1', port(2), 0],
      ],
    });
    assert.deepEqual(await counts(40), { b0: 30, b1: 10 });
  });

  it('leaves draining endpoints alone while there are ready ones, and uses them when there are none', async () => {
    await serve({
      balance: 'rr',
      endpoints: [
        ['127.0.0.1', port(0), 1],
        ['127.0.0.1', port(1), 1, 1],
      ],
    });
    assert.deepEqual(await counts(10), { b0: 10 });
    await serve({ balance: 'rr', endpoints: [['127.0.0.1', port(1), 1, 1]] });
    assert.deepEqual(await counts(10), { b1: 10 });
  });

  it('answers 503 without endpoints and 503 for a backend that is not there', async () => {
    await serve({ balance: 'rr', endpoints: [] });
    assert.equal((await ask()).status, 503);
    await dataplane.put({ [`b:${next}`]: undefined });
    const reply = await ask();
    assert.equal(reply.status, 503);
    assert.match(reply.body, /The service behind this address is not available\./);
  });

  it('follows new endpoints without a reload', async () => {
    await serve(endpoints([port(0)]));
    assert.deepEqual(await counts(4), { b0: 4 });
    await serve(endpoints([port(1), port(2)]));
    assert.deepEqual(await counts(4), { b1: 2, b2: 2 });
  });

  it('reaches IPv6 endpoints', async () => {
    const six = await startBackend(scope, { name: 'six', address: '::1' });
    await serve(endpoints([['::1', six.port]]));
    assert.deepEqual(await counts(2), { six: 2 });
  });

  it('sends the next request to the endpoint with the fewest in flight', async () => {
    const slow = await startBackend(scope, {
      name: 'slow',
      respond: (_, response) => void setTimeout(() => response.end('{"backend":"slow"}'), 1500),
    });
    await serve(endpoints([slow.port, port(0)], { balance: 'lc' }));
    const pending = [ask(), ask()];
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.deepEqual(await counts(10), { b0: 10 });
    const names = (await Promise.all(pending)).map(nameOf).sort();
    assert.deepEqual(names, ['b0', 'slow']);
  });

  it('prefers the faster endpoint by moving average', async () => {
    const slow = await startBackend(scope, {
      name: 'slow',
      respond: (_, response) => void setTimeout(() => response.end('{"backend":"slow"}'), 100),
    });
    await serve(endpoints([slow.port, port(0)], { balance: 'ewma' }));
    await counts(4);
    const found = await counts(30);
    assert.ok((found['b0'] ?? 0) >= 28, JSON.stringify(found));
  });

  it('keeps a key with its endpoint, spreads keys, and moves only the keys of a lost endpoint', async () => {
    const record = endpoints(
      backends.map((backend) => backend.port),
      { balance: 'hash', hash: [{ kind: 'header', name: 'x-key' }] },
    );
    await serve(record);
    const keys = Array.from({ length: 200 }, (_, index) => `key ${index}`);
    const where = async () =>
      new Map(
        await Promise.all(keys.map(async (key) => [key, nameOf(await ask({ headers: { 'X-Key': key } }))] as const)),
      );
    const first = await where();
    assert.deepEqual(await where(), first);
    const shares = Object.values(Object.groupBy(first.values(), (name) => name)).map((list) => list?.length ?? 0);
    assert.equal(shares.length, 10);
    assert.ok(Math.max(...shares) < 45, String(shares));
    await serve({ ...record, endpoints: record.endpoints.filter(([, at]) => at !== port(3)) });
    const second = await where();
    for (const [key, name] of first) {
      if (name === 'b3') assert.notEqual(second.get(key), 'b3');
      else assert.equal(second.get(key), name);
    }
  });

  it('gives heavier endpoints more keys', async () => {
    await serve({
      balance: 'hash',
      hash: [{ kind: 'query', name: 'k' }],
      endpoints: [
        ['127.0.0.1', port(0), 3],
        ['127.0.0.1', port(1), 1],
      ],
    });
    let heavy = 0;
    for (let index = 0; index < 200; index += 1) if (nameOf(await ask({ path: `/?k=${index}` })) === 'b0') heavy += 1;
    assert.ok(heavy > 120 && heavy < 180, String(heavy));
  });

  it('spreads a key over a subset of endpoints', async () => {
    await serve(
      endpoints(
        backends.map((backend) => backend.port),
        { balance: 'hash', subset: 3, hash: [{ kind: 'path' }, { kind: 'text', value: 'x' }] },
      ),
    );
    const found = await counts(60, { path: '/some/path' });
    assert.equal(Object.keys(found).length, 3, JSON.stringify(found));
  });

  it('tries the next endpoint when one refuses, and soon leaves the dead one alone', async () => {
    const dead = await freePort();
    await serve(endpoints([dead, port(0), port(1)]));
    const found = await counts(30);
    assert.deepEqual(Object.keys(found).sort(), ['b0', 'b1']);
    assert.match(dataplane.errorLog, /Connection refused/);
    const refusals = dataplane.errorLog.split(`:${dead}/`).length - 1;
    assert.ok(refusals >= 2 && refusals <= 4, `${refusals} tries of the dead endpoint`);
  });

  it('takes an endpoint back when it answers again', async () => {
    const at = await freePort();
    await serve(endpoints([at, port(0)]));
    assert.deepEqual(await counts(10), { b0: 10 });
    await startBackend(scope, { name: 'back', port: at });
    await new Promise((resolve) => setTimeout(resolve, 2200));
    const found = await counts(10);
    assert.ok((found['back'] ?? 0) >= 4, JSON.stringify(found));
  });

  it('never ejects the last endpoints', async () => {
    const at = await freePort();
    await serve(endpoints([at]));
    assert.deepEqual(await counts(5), { '502': 5 });
    await startBackend(scope, { name: 'back', port: at });
    assert.deepEqual(await counts(3), { back: 3 });
  });

  it('does not repeat a POST that a backend may have taken, and does repeat one that never left', async () => {
    const reset = await startFaultyBackend(scope, 'reset');
    await serve(endpoints([reset.port, port(0)]));
    const before = backends[0]?.requests() ?? 0;
    const statuses: number[] = [];
    for (let index = 0; index < 2; index += 1) statuses.push((await ask({ method: 'POST', body: 'x' })).status);
    assert.deepEqual(statuses.sort(), [200, 502]);
    assert.equal((backends[0]?.requests() ?? 0) - before, 1);
    const dead = await freePort();
    next += 1;
    await serve(endpoints([dead, port(0)]));
    assert.deepEqual(await counts(4, { method: 'POST', body: 'x' }), { b0: 4 });
  });

  it('makes as many tries as the route allows', async () => {
    const dead = await Promise.all([freePort(), freePort(), freePort()]);
    await serve(endpoints([...dead, port(0)]), { tries: 1 });
    const one = await counts(4);
    assert.ok((one['502'] ?? 0) >= 2, JSON.stringify(one));
    next += 1;
    await serve(endpoints([...dead, port(0)]), { tries: 0 });
    assert.deepEqual(await counts(4), { b0: 4 });
  });

  it('holds to the time-outs of the route, and to the time that all tries may take', async () => {
    const hangs = await Promise.all([1, 2, 3].map(() => startFaultyBackend(scope, 'hang')));
    await serve(endpoints([hangs[0]?.port ?? 0]), { timeouts: [0.2, 0.2, 0.2] });
    assert.equal((await ask()).status, 504);
    next += 1;
    await serve(endpoints(hangs.map((hang) => hang.port)), { timeouts: [1, 1, 0.3], retryTimeout: 0.2 });
    const before = hangs.reduce((sum, hang) => sum + hang.requests(), 0);
    assert.ok([502, 504].includes((await ask()).status));
    assert.equal(hangs.reduce((sum, hang) => sum + hang.requests(), 0) - before, 1);
  });

  it('keeps connections to backends open', async () => {
    const kept = await startBackend(scope, { name: 'kept' });
    await serve(endpoints([kept.port]));
    assert.deepEqual(await counts(20), { kept: 20 });
    assert.equal(kept.connections(), 1);
  });

  describe('session cookies', () => {
    const affinity: AffinityRecord = { name: 'session', mode: 'balanced', attributes: '; Path=/; HttpOnly' };
    const cookieOf = (reply: Reply) => (reply.headers['set-cookie'] ?? []).join(' | ');
    const valueOf = (reply: Reply) => /session=([^;]+)/.exec(cookieOf(reply))?.[1] ?? '';
    const record = () => endpoints([port(0), port(1), port(2)]);

    it('are set once, hide the address, and keep the client with its endpoint', async () => {
      await serve(record(), { affinity });
      const first = await ask();
      assert.match(cookieOf(first), /^session=[0-9a-f]{16}; Path=\/; HttpOnly$/);
      const headers = { Cookie: `other=1; session=${valueOf(first)}; x="y"` };
      for (let index = 0; index < 6; index += 1) {
        const reply = await ask({ headers });
        assert.equal(nameOf(reply), nameOf(first));
        assert.equal(cookieOf(reply), '');
      }
    });

    it('stay with a draining endpoint, and are replaced when theirs is gone', async () => {
      await serve(record(), { affinity: { ...affinity, expires: 3600, secure: true } });
      const first = await ask();
      assert.match(cookieOf(first), /; Expires=[^;]+ GMT; Path=\/; HttpOnly; Secure$/);
      const headers = { Cookie: `session=${valueOf(first)}` };
      const mine = Number(nameOf(first).slice(1));
      const draining = record().endpoints.map(([address, at, weight]): [string, number, number, (0 | 1)?] => [
        address,
        at,
        weight,
        at === port(mine) ? 1 : 0,
      ]);
      await serve({ balance: 'rr', endpoints: draining }, { affinity });
      assert.equal(nameOf(await ask({ headers })), nameOf(first));
      assert.equal((await counts(9))[nameOf(first)], undefined);
      await serve({ balance: 'rr', endpoints: draining.filter(([, , , drains]) => drains === 0) }, { affinity });
      const moved = await ask({ headers });
      assert.notEqual(nameOf(moved), nameOf(first));
      assert.match(cookieOf(moved), /^session=/);
    });

    it('lead elsewhere for a while when their endpoint fails, and change only where that is wanted', async () => {
      for (const changeOnFailure of [false, true]) {
        next += 1;
        const gone = await startBackend(scope, { name: 'gone' });
        await serve(endpoints([gone.port]), { affinity });
        const headers = { Cookie: `session=${valueOf(await ask())}` };
        await serve(endpoints([gone.port, port(0)]), { affinity: { ...affinity, changeOnFailure } });
        assert.equal(nameOf(await ask({ headers })), 'gone');
        await gone.close();
        const reply = await ask({ headers });
        assert.equal(nameOf(reply), 'b0');
        assert.equal(cookieOf(reply) !== '', changeOnFailure);
      }
    });
  });

  describe('splits and canaries', () => {
    const two = () => ({ [`b:main${next}`]: endpoints([port(0)]), [`b:canary${next}`]: endpoints([port(1)]) });
    const canary = (more: Partial<CanaryRecord>): CanaryRecord => ({
      backend: `canary${next}`,
      weight: 0,
      total: 100,
      origin: 'Ingress/x/canary',
      ...more,
    });
    const serveCanary = (more: Partial<CanaryRecord>, routeMore: Parameters<typeof route>[1] = {}) =>
      dataplane.put({
        ...two(),
        [`h:default/${HOST}`]: { routes: [route(`main${next}`, { canaries: [canary(more)], ...routeMore })] },
      });

    it('divide requests by weight', async () => {
      await dataplane.put({
        ...two(),
        [`h:default/${HOST}`]: {
          routes: [
            route('', {
              backends: [
                [`main${next}`, 3],
                [`canary${next}`, 1],
              ],
            }),
          ],
        },
      });
      const found = await counts(400);
      assert.ok((found['b1'] ?? 0) > 60 && (found['b1'] ?? 0) < 140, JSON.stringify(found));
    });

    it('follow a header that says always or never, then a cookie, then the weight', async () => {
      await serveCanary({ header: 'X-Canary', cookie: 'canary', weight: 100 });
      assert.deepEqual(await counts(5), { b1: 5 });
      assert.deepEqual(await counts(5, { headers: { 'x-canary': 'never' } }), { b0: 5 });
      assert.deepEqual(await counts(5, { headers: { Cookie: 'canary=never' } }), { b0: 5 });
      assert.deepEqual(await counts(5, { headers: { 'x-canary': 'always', Cookie: 'canary=never' } }), { b1: 5 });
      await serveCanary({ header: 'X-Canary', cookie: 'canary' });
      assert.deepEqual(await counts(5, { headers: { 'x-canary': 'perhaps' } }), { b0: 5 });
      assert.deepEqual(await counts(5, { headers: { 'x-canary': 'perhaps', Cookie: 'canary=always' } }), { b1: 5 });
    });

    it('follow a header value or pattern', async () => {
      await serveCanary({ header: 'X-Who', headerMatch: { kind: 'exact', value: 'tester' } });
      assert.deepEqual(await counts(3, { headers: { 'X-Who': 'tester' } }), { b1: 3 });
      assert.deepEqual(await counts(3, { headers: { 'X-Who': 'always' } }), { b0: 3 });
      await serveCanary({ header: 'X-Who', headerMatch: { kind: 'regex', value: '^te.t' } });
      assert.deepEqual(await counts(3, { headers: { 'X-Who': 'text' } }), { b1: 3 });
      assert.deepEqual(await counts(3, { headers: { 'X-Who': 'no' } }), { b0: 3 });
    });

    it('take the share of their weight', async () => {
      await serveCanary({ weight: 25, total: 50 });
      const found = await counts(200);
      assert.ok((found['b1'] ?? 0) > 65 && (found['b1'] ?? 0) < 135, JSON.stringify(found));
    });

    it('keep a client that has a session with one side there', async () => {
      const affinity: AffinityRecord = { name: 'session', mode: 'balanced', attributes: '; Path=/' };
      await serveCanary({ weight: 50, sticky: true }, { affinity });
      for (let client = 0; client < 10; client += 1) {
        const first = await ask();
        const value = /session=([^;]+)/.exec(String(first.headers['set-cookie']))?.[1] ?? '';
        assert.deepEqual(await counts(8, { headers: { Cookie: `session=${value}` } }), { [nameOf(first)]: 8 });
      }
    });

    it('leave requests to the main backend while the canary has no endpoint', async () => {
      await serveCanary({ weight: 100 });
      await dataplane.put({ [`b:canary${next}`]: { balance: 'rr', endpoints: [] } });
      assert.deepEqual(await counts(5), { b0: 5 });
    });
  });
});
