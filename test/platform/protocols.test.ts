import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { startHttp2Backend } from '../support/backends/http2-backend.ts';
import { type KeyPair, makeAuthority } from '../support/certificates.ts';
import { WebSocketClient } from '../support/clients/websocket-client.ts';
import type { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

/** Both places that serve requests; the third is a named one because of its limit, for bodies of unknown length. */
const PLACES = [
  ['common', {}],
  ['named', { 'backend-protocol': 'HTTPS' }],
  ['bounded', { 'proxy-body-size': '123456' }],
] as const;

await forEachNginx((nginx) => {
  const scope = suiteScope();
  let site: Site;
  let tls: KeyPair;
  let backends: { readonly plain: Backend; readonly secure: Backend };

  before(async () => {
    site = await nginx.site(scope);
    tls = await (await makeAuthority()).issue(['backend.test']);
    backends = {
      plain: await startBackend(scope, { name: 'one' }),
      secure: await startBackend(scope, { name: 'one', tls }),
    };
    for (const [place, annotations] of PLACES) {
      const backend = place === 'named' ? backends.secure : backends.plain;
      await site.expose({ host: `${place}.test`, backends: [backend], annotations, tls: true });
    }
  });

  for (const [place] of PLACES) {
    const host = `${place}.test`;

    test(`a WebSocket carries messages both ways, in the ${place} place`, async (t) => {
      const client = await WebSocketClient.open(site.weir.httpsPort, host, '/room', {});
      t.after(() => client.close());
      for (const text of ['hello', 'x'.repeat(60_000), 'bye']) assert.equal(await client.ask(text), `one: ${text}`);
    });

    test(`many requests of one HTTP/2 connection are served at the same time, in the ${place} place`, async () => {
      const client = await site.http2(host);
      const paths = Array.from({ length: 60 }, (_, index) => `/${index}?q=${index}`);
      const replies = await Promise.all(
        paths.map((path, index) =>
          client.request({
            host,
            path,
            method: index % 2 === 0 ? 'GET' : 'POST',
            ...(index % 2 === 0 ? {} : { body: path }),
          }),
        ),
      );
      client.close();
      const echoes = replies.map((reply) => reply.json<Echo>());
      assert.deepEqual(
        echoes.map(({ url }) => url),
        paths,
      );
      assert.deepEqual(
        echoes.map(({ body }) => body),
        paths.map((path, index) => (index % 2 === 0 ? '' : path)),
      );
      const [first] = echoes;
      assert.deepEqual([first?.host, first?.headers['x-forwarded-proto']], [host, 'https']);
    });
  }

  test('gRPC, also over TLS, ends in its trailers, and an error of weir is a gRPC status', async (t) => {
    for (const [protocol, pair] of [
      ['GRPC', undefined],
      ['GRPCS', tls],
    ] as const) {
      const host = `${protocol.toLowerCase()}.test`;
      const grpc = await startHttp2Backend(t, { name: 'grpc', ...(pair === undefined ? {} : { tls: pair }) });
      await site.expose({ host, backends: [grpc], annotations: { 'backend-protocol': protocol } });
      const client = await site.http2(host);
      t.after(() => client.close());
      const reply = await client.call(host, '/shop.Cart/Add', Buffer.from('an apple'));
      assert.deepEqual([reply.status, reply.trailers['grpc-status']], [200, '0'], protocol);
      await grpc.close();
      const failed = await client.call(host, '/shop.Cart/Add', Buffer.from('an apple'));
      assert.deepEqual([failed.status, failed.trailers['grpc-status']], [200, '14'], protocol);
    }
  });

  test('an HTTP/2 connection and a WebSocket that are open outlive a reload', async (t) => {
    const host = 'common.test';
    const client = await site.http2(host);
    const socket = await WebSocketClient.open(site.weir.httpsPort, host, '/', {});
    t.after(() => {
      client.close();
      socket.close();
    });
    assert.equal(await socket.ask('before'), 'one: before');
    const slow = client.request({ host, path: '/slow', method: 'POST', body: 'x'.repeat(100_000) });
    const { reloads } = await site.status();
    await site.expose({ host: 'new.test', backends: [backends.plain], annotations: { 'proxy-body-size': '777777' } });
    assert.equal((await site.status()).reloads, reloads + 1);
    assert.equal((await slow).json<Echo>().body.length, 100_000);
    assert.equal(await socket.ask('after'), 'one: after');
  });
});
