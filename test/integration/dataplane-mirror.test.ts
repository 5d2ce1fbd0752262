import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { before, beforeEach, describe, it } from 'node:test';
import { profileName } from '../../src/drivers/nginx/profiles/profile-name.ts';
import type { MirrorRecord, RouteRecord } from '../../src/drivers/nginx/wire.ts';
import { startDeafBackend } from '../support/backends/deaf-backend.ts';
import { startBackend, type Backend, type Echo } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { Dataplane, endpoints, route, TEST_PROFILES } from '../support/dataplane.ts';
import { eventually, freePort } from '../support/scope.ts';
import { suiteScope } from '../support/suite-scope.ts';

const HOST = 'mirrored.example';
/** Profiles that keep bodies, without a bound and with one. */
const BOUNDED = { profile: '@http_read', boundedProfile: '@http_read_body_100k', bodyLimit: 102_400 };

interface Seen extends Omit<Echo, 'backend' | 'tls' | 'httpVersion'> {
  readonly name: string;
}

describe('mirrors inside nginx', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  let backend: Backend;
  let copies: Seen[] = [];

  const mirror = (name: string, delay = 0) =>
    startBackend(scope, {
      name,
      respond: ({ method = '', url = '', headers }, response, body) => {
        copies.push({ name, method, url, host: headers.host ?? '', headers, body });
        setTimeout(() => response.writeHead(500, { 'Set-Cookie': 'of=mirror' }).end(name), delay);
      },
    });

  before(async () => {
    const keeping = [0, 102_400].map((bodyLimit) => {
      const kind = { protocol: 'http', readsBody: true, bodyLimit } as const;
      return { ...kind, name: profileName(kind), origins: [] };
    });
    dataplane = await Dataplane.start(scope, { workers: 1, accessLog: true, profiles: [...TEST_PROFILES, ...keeping] });
    backend = await startBackend(scope, { name: 'real' });
    const [one, two, slow] = await Promise.all([mirror('one'), mirror('two'), mirror('slow', 3000)]);
    await dataplane.put({
      'b:one': endpoints([backend.port]),
      'b:mirror-1': endpoints([one.port]),
      'b:mirror-2': endpoints([two.port]),
      'b:slow': endpoints([slow.port]),
    });
  });

  beforeEach(() => {
    copies = [];
  });

  const serve = (mirrors: MirrorRecord[], more: Partial<RouteRecord> = {}) =>
    dataplane.put({ [`h:default/${HOST}`]: { routes: [route('one', { mirrors, ...more })] } });
  const ask = (path = '/', more: Partial<Parameters<typeof request>[0]> = {}) =>
    request({ port: dataplane.httpPort, host: HOST, path, ...more });
  const copied = (count: number) => eventually(`${count} copies`, async () => copies.length >= count);

  it('get a copy with the body, and their answer is dropped', async () => {
    await serve([{ backend: 'mirror-1' }], {
      rewrite: { kind: 'full', value: '/rewritten' },
      requestHeaders: { set: [['X-Set', 'by the route']] },
    });
    const reply = await ask('/a%2Fb?c=d', {
      method: 'POST',
      body: 'payload',
      headers: { 'X-Own': 'mine', 'X-Forwarded-For': '10.9.8.7', Connection: 'close' },
    });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['set-cookie'], undefined);
    assert.equal(reply.json<Echo>().backend, 'real');
    await copied(1);
    const [copy] = copies;
    assert.equal(copy?.method, 'POST');
    assert.equal(copy.url, '/a%2Fb?c=d');
    assert.equal(copy.host, HOST);
    assert.equal(copy.body, 'payload');
    assert.equal(copy.headers['x-own'], 'mine');
    assert.equal(copy.headers['x-set'], 'by the route');
    assert.equal(copy.headers['x-forwarded-for'], '127.0.0.1');
    assert.equal(copy.headers['x-original-forwarded-for'], '10.9.8.7');
    assert.equal(copy.headers['x-forwarded-proto'], 'http');
    assert.equal(copy.headers['x-forwarded-host'], HOST);
    assert.equal(copy.headers['x-request-id'], reply.json<Echo>().headers['x-request-id']);
  });

  it('get bodies that went through a file, and chunked ones', async () => {
    await serve([{ backend: 'mirror-1' }], { profile: '@http_read', bodyLimit: 1_000_000 });
    const body = 'x'.repeat(300_000);
    assert.equal((await ask('/large', { method: 'PUT', body })).json<Echo>().body.length, body.length);
    await copied(1);
    assert.equal(copies[0]?.body.length, body.length);
    await serve([{ backend: 'mirror-1' }], BOUNDED);
    const chunked = { 'Transfer-Encoding': 'chunked' };
    for (const part of ['in chunks', 'y'.repeat(50_000)]) {
      copies = [];
      assert.equal((await ask('/chunked', { method: 'POST', body: part, headers: chunked })).status, 200);
      await copied(1);
      assert.equal(copies[0]?.body.length, part.length);
    }
    assert.equal((await ask('/more', { method: 'POST', body, headers: chunked })).status, 413);
  });

  it('may be several, with another host and path, without the body', async () => {
    await serve([
      { backend: 'mirror-1', host: 'other.example', path: '/fixed?x=1' },
      { backend: 'mirror-2', withoutBody: true },
    ]);
    await ask('/both', { method: 'POST', body: 'payload' });
    await copied(2);
    const [one, two] = copies.toSorted((a, b) => a.name.localeCompare(b.name));
    assert.deepEqual([one?.name, one?.host, one?.url, one?.body], ['one', 'other.example', '/fixed?x=1', 'payload']);
    assert.deepEqual([two?.name, two?.host, two?.url, two?.body], ['two', HOST, '/both', '']);
  });

  it('get their share', async () => {
    await serve([
      { backend: 'mirror-1', fraction: [0, 100] },
      { backend: 'mirror-2', fraction: [1, 2] },
    ]);
    for (let count = 0; count < 200; count += 1) await ask('/');
    await serve([{ backend: 'mirror-2' }]);
    await ask('/last');
    await eventually('the last copy', async () => copies.some(({ url }) => url === '/last'));
    const shares = copies.filter(({ url }) => url === '/');
    assert.ok(shares.every(({ name }) => name === 'two'));
    // Further off than this is a matter of one in a billion.
    assert.ok(shares.length > 55 && shares.length < 145, `${shares.length} of 200`);
  });

  it('delay neither the answer nor the next request on the connection', async () => {
    await serve([{ backend: 'slow' }]);
    const connection = await HttpConnection.open(dataplane.httpPort);
    try {
      const started = performance.now();
      for (let count = 0; count < 5; count += 1) {
        const reply = await connection.request(HOST, `/next-${count}`);
        assert.equal(reply.status, 200);
      }
      // One copy alone takes 3 s.
      assert.ok(performance.now() - started < 2500);
      await copied(5);
    } finally {
      connection.close();
    }
  });

  it('that are dead, deaf or gone change nothing', async () => {
    const deaf = await startDeafBackend(scope);
    await dataplane.put({ 'b:dead': endpoints([await freePort()]), 'b:deaf': endpoints([deaf.port]) });
    await serve([{ backend: 'dead' }, { backend: 'deaf' }, { backend: 'missing' }]);
    for (let count = 0; count < 5; count += 1) assert.equal((await ask('/')).status, 200);
    await eventually('a line about lost copies', async () =>
      /weir: (?:1 copy for a mirror was lost: |[1-9][0-9]* copies for mirrors were lost, the last because )/.test(
        dataplane.errorLog,
      ),
    );
  });

  it('that never end their answer hold few bodies, and none for longer than ten seconds', async () => {
    const held = new Set<Socket>();
    const drips = createServer((socket) => {
      held.add(socket);
      const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 1000);
      socket.resume().on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(timer);
        held.delete(socket);
      });
    });
    await new Promise<void>((resolve) => drips.listen(0, '127.0.0.1', resolve));
    await dataplane.put({ 'b:drips': endpoints([(drips.address() as AddressInfo).port]) });
    await serve([{ backend: 'drips' }], BOUNDED);
    const body = 'x'.repeat(100_000);
    for (let count = 0; count < 100; count += 1) await ask('/', { method: 'POST', body });
    await eventually('copies', async () => held.size > 0);
    assert.ok(held.size <= 64, `${held.size} copies`);
    await eventually('their end', async () => held.size === 0, { withinMs: 15_000 });
    drips.close();
  });

  it('get a copy over HTTP/2 and of other profiles, and the access log has the real request alone', async () => {
    await serve([{ backend: 'mirror-1' }], BOUNDED);
    const client = await Http2Client.open(dataplane.httpsPort, { host: HOST, tls: true });
    try {
      const reply = await client.request({ host: HOST, path: '/over-2?q', method: 'POST', body: 'payload' });
      assert.equal(reply.status, 200);
      assert.equal(reply.json<Echo>().body, 'payload');
    } finally {
      client.close();
    }
    await copied(1);
    assert.equal(copies[0]?.url, '/over-2?q');
    assert.equal(copies[0].body, 'payload');
    assert.equal(copies[0].host, HOST);
    assert.equal(copies[0].headers['x-forwarded-proto'], 'https');
    const lines = await eventually('the line', async () => {
      const found = dataplane.accessLog.filter(({ uri }) => uri === '/over-2?q');
      return found.length > 0 && found;
    });
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.['route'], 'Test/route');
    assert.equal(lines[0]['upstream'], `127.0.0.1:${backend.port}`);
  });

  it('get nothing of requests that went to no backend', async () => {
    await serve([{ backend: 'mirror-1' }], { respond: { status: 503, reason: 'closed' } });
    assert.equal((await ask('/closed')).status, 503);
    await serve([{ backend: 'mirror-1' }], { bodyLimit: 10 });
    assert.equal((await ask('/big', { method: 'POST', body: 'more than ten' })).status, 413);
    await serve([{ backend: 'mirror-1' }]);
    await ask('/last');
    await copied(1);
    assert.deepEqual(
      copies.map(({ url }) => url),
      ['/last'],
    );
  });

  it('leave no trace of an error in the log', () => {
    assert.doesNotMatch(dataplane.errorLog, /runtime error|attempt to|stack traceback|timers are not enough/);
  });
});
