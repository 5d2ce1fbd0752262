import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { WebSocketClient } from '../support/clients/websocket-client.ts';
import { endpoints, route } from '../support/dataplane.ts';
import { eventually } from '../support/scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

await forEachNginx((nginx) => {
  test('a lame duck’s answers are the last of their connections, whatever gives them; before and afterwards connections are kept', async (t) => {
    const backend = await startBackend(t, { name: 'steady' });
    const dataplane = await nginx.dataplane(t, { workers: 2 });
    await dataplane.put({
      'b:one': endpoints([backend.port]),
      'h:default/a.example': {
        routes: [
          route('one', { path: { kind: 'prefix', value: '/limited' }, profile: '@http_body_1k' }),
          route('one', {
            path: { kind: 'prefix', value: '/away' },
            redirect: { status: 302, host: 'b.example' },
          } as never),
          route('none', { path: { kind: 'prefix', value: '/none' } }),
          route('one'),
        ],
      },
      'b:none': endpoints([]),
    });
    const paths = [
      ['/', 200],
      ['/limited', 200],
      ['/away', 302],
      ['/none', 503],
    ] as const;
    const ask = async (path: string, host = 'a.example', more: Parameters<HttpConnection['request']>[2] = {}) => {
      const connection = await HttpConnection.open(dataplane.httpPort);
      t.after(() => connection.close());
      const reply = await connection.request(host, path, more);
      const tls = await HttpConnection.open(dataplane.httpsPort, { tls: { host } });
      t.after(() => tls.close());
      const secure = await tls.request(host, path, more);
      assert.equal(secure.status, reply.status);
      assert.equal(secure.headers.connection, reply.headers.connection);
      return { connection, reply };
    };
    const expectKept = async () => {
      for (const [path, status] of paths) {
        const { connection, reply } = await ask(path);
        assert.equal(reply.status, status, path);
        assert.equal(reply.headers.connection, 'keep-alive', path);
        assert.equal((await connection.request('a.example', '/')).status, 200, path);
      }
    };
    await expectKept();
    assert.equal((await dataplane.control.state()).lameDuck, false);
    const kept = await HttpConnection.open(dataplane.httpPort);
    t.after(() => kept.close());
    assert.equal((await kept.request('a.example', '/')).headers.connection, 'keep-alive');
    await dataplane.control.lameDuck(true);
    assert.equal((await dataplane.control.state()).lameDuck, true);
    const last = await kept.request('a.example', '/');
    assert.equal(last.status, 200);
    assert.equal(last.rawHeaders.filter((name) => name.toLowerCase() === 'connection').length, 1);
    assert.equal(last.headers.connection, 'close');
    await eventually('nginx to close the kept connection', () => kept.ended);
    for (const [path, status] of [...paths, ['/nowhere', 404]] as const) {
      const { connection, reply } = await ask(path, path === '/nowhere' ? 'unknown.example' : 'a.example');
      assert.equal(reply.status, status, path);
      assert.equal(reply.headers.connection, 'close', path);
      await eventually(`nginx to close the connection of ${path}`, () => connection.ended);
    }
    const { reply: ancient } = await ask('/', 'a.example', { Connection: 'close' });
    assert.equal(ancient.headers.connection, 'close');
    const socket = await WebSocketClient.open(dataplane.httpPort, 'a.example');
    t.after(() => socket.close());
    assert.match(await socket.ask('still here'), /still here/u);
    await dataplane.control.lameDuck(false);
    await expectKept();
    assert.match(await socket.ask('and still'), /and still/u);
    assert.equal(dataplane.errorLog.match(/\[(?:error|alert|crit)\].*lua/u), null, dataplane.errorLog);
  });

  test('an HTTP/2 connection of a lame duck is told to go with an answer, and loses none', async (t) => {
    const backend = await startBackend(t, { name: 'steady' });
    const dataplane = await nginx.dataplane(t, { workers: 2 });
    await dataplane.put({ 'b:one': endpoints([backend.port]), 'h:default/a.example': { routes: [route('one')] } });
    const clients = await Promise.all(
      Array.from({ length: 8 }, () => Http2Client.open(dataplane.httpsPort, { host: 'a.example', tls: true })),
    );
    t.after(() => clients.forEach((client) => client.close()));
    const askAll = () => Promise.all(clients.map((client) => client.request({ host: 'a.example' })));
    for (let round = 0; round < 3; round += 1) {
      assert.deepEqual(new Set((await askAll()).map(({ status }) => status)), new Set([200]));
    }
    await dataplane.control.lameDuck(true);
    const first = await askAll();
    assert.deepEqual(new Set(first.map(({ status }) => status)), new Set([200]));
    assert.deepEqual(new Set(clients.map(({ ended }) => ended)), new Set([false]));
    const last = await askAll();
    assert.deepEqual(new Set(last.map(({ status }) => status)), new Set([200]));
    await eventually('every client to be told', () => clients.every(({ ended }) => ended));
    assert.match(dataplane.errorLog, /^(?![^]*\[alert\])/u);
  });
});
