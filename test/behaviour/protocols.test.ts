import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { startHttp2Backend } from '../support/backends/http2-backend.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { WebSocketClient } from '../support/clients/websocket-client.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let backend: Backend;

before(async () => {
  [site, backend] = await Promise.all([Site.open(scope), startBackend(scope, { name: 'one' })]);
});

test('a WebSocket is opened through HTTP and through HTTPS, and carries messages both ways', async (t) => {
  const host = 'chat.test';
  await site.expose({ host, backends: [backend] });
  for (const [port, tls] of [
    [site.weir.httpPort, undefined],
    [site.weir.httpsPort, {}],
  ] as const) {
    const client = await WebSocketClient.open(port, host, '/room', tls);
    t.after(() => client.close());
    for (const text of ['hello', 'x'.repeat(60_000), 'bye']) assert.equal(await client.ask(text), `one: ${text}`);
  }
});

test('an open WebSocket outlives a change of its own route and a reload', async (t) => {
  const host = 'lasting.test';
  const other = await startBackend(t, { name: 'two' });
  await site.expose({ host, backends: [backend] });
  const client = await WebSocketClient.open(site.weir.httpPort, host);
  t.after(() => client.close());
  assert.equal(await client.ask('before'), 'one: before');
  const { reloads } = await site.status();
  await site.expose({ host, backends: [other], annotations: { 'proxy-body-size': '7654321' } });
  assert.equal((await site.status()).reloads, reloads + 1);
  assert.equal((await site.http(host)).json<Echo>().backend, 'two');
  assert.equal(await client.ask('after'), 'one: after');
});

test('a request that asks for another upgrade than WebSocket can’t switch the backend to HTTP/2', async () => {
  const host = 'smuggler.test';
  await site.expose({ host, backends: [backend] });
  const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' };
  const echo = (await site.http(host, '/', { headers })).json<Echo>();
  assert.deepEqual([echo.headers.upgrade, echo.headers['http2-settings']], [undefined, undefined]);
});

test('backend-protocol GRPC: calls over HTTP/2 and TLS reach the backend as HTTP/2 and end in its trailers', async (t) => {
  const host = 'grpc.test';
  const grpc = await startHttp2Backend(t, { name: 'grpc' });
  await site.expose({ host, backends: [grpc], annotations: { 'backend-protocol': 'GRPC' } });
  const client = await site.http2(host);
  t.after(() => client.close());
  const reply = await client.call(host, '/shop.Cart/Add', Buffer.from('one apple'));
  assert.deepEqual([reply.status, reply.headers['x-backend'], reply.trailers['grpc-status']], [200, 'grpc', '0']);
  assert.equal(reply.body.slice(5), 'one apple');
});

test('a gRPC call to a Service without endpoints ends with grpc-status 14 UNAVAILABLE', async (t) => {
  const host = 'grpc-gone.test';
  await site.expose({ host, backends: [], annotations: { 'backend-protocol': 'GRPC' } });
  const client = await site.http2(host);
  t.after(() => client.close());
  const reply = await client.call(host, '/shop.Cart/Add');
  assert.deepEqual([reply.status, reply.trailers['grpc-status']], [200, '14']);
});

test('the plain HTTP port speaks HTTP/1.1 only: HTTP/2 with prior knowledge gets no answer from a backend', async (t) => {
  const host = 'grpc-plain.test';
  const grpc = await startHttp2Backend(t, { name: 'grpc' });
  await site.expose({ host, backends: [grpc], annotations: { 'backend-protocol': 'GRPC' } });
  const client = await Http2Client.open(site.weir.httpPort);
  t.after(() => client.close());
  await assert.rejects(client.call(host, '/shop.Cart/Add'), { code: 'ERR_HTTP2_ERROR' });
  assert.equal(grpc.requests(), 0);
});

test('backend-protocol GRPCS speaks HTTP/2 over TLS to the backend', async (t) => {
  const host = 'grpcs.test';
  const grpc = await startHttp2Backend(t, { name: 'grpcs', tls: await site.authority.issue(['pod.test']) });
  await site.expose({ host, backends: [grpc], annotations: { 'backend-protocol': 'GRPCS' } });
  const client = await site.http2(host);
  t.after(() => client.close());
  const reply = await client.call(host, '/shop.Cart/Add');
  assert.deepEqual([reply.headers['x-backend'], reply.trailers['grpc-status']], ['grpcs', '0']);
});

test('backend-protocol HTTPS speaks TLS to the backend, to old and new requests alike when it is changed live', async (t) => {
  const host = 'https.test';
  const secure = await startBackend(t, { name: 'secure', tls: await site.authority.issue(['pod.test']) });
  await site.expose({ host, backends: [secure] });
  assert.equal((await site.http(host)).status, 502);
  const { reloads } = await site.status();
  await site.expose({ host, backends: [secure], annotations: { 'backend-protocol': 'HTTPS' } });
  for (const reply of [await site.http(host), await site.https(host)]) {
    const echo = reply.json<Echo>();
    assert.deepEqual([echo.backend, echo.tls, echo.host], ['secure', true, host]);
  }
  assert.equal((await site.status()).reloads, reloads, 'a change of the protocol needs no reload');
});

test('requests over HTTP/2 reach a backend of HTTP/1.1, several at once on one connection', async (t) => {
  const host = 'h2.test';
  await site.expose({ host, backends: [backend] });
  const client = await site.http2(host);
  t.after(() => client.close());
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      client.request({ host, path: `/${index}`, method: 'POST', body: `body ${index}` }),
    ),
  );
  assert.deepEqual(
    replies.map((reply) => [reply.json<Echo>().url, reply.json<Echo>().body, reply.json<Echo>().httpVersion]),
    replies.map((_, index) => [`/${index}`, `body ${index}`, '1.1']),
  );
});
