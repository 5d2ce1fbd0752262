import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Echo, startBackend } from './backends/echo-backend.ts';
import { refusedPort, startFaultyBackend } from './backends/faulty-backend.ts';
import { startHttp2Backend } from './backends/http2-backend.ts';
import { makeAuthority } from './certificates.ts';
import { request } from './clients/http-client.ts';
import { HttpConnection } from './clients/http-connection.ts';
import { Http2Client } from './clients/http2-client.ts';
import { handshake } from './clients/tls-client.ts';
import { WebSocketClient } from './clients/websocket-client.ts';

test('an echo backend tells the request that arrived', async (t) => {
  const backend = await startBackend(t, { name: 'one' });
  const reply = await request({ port: backend.port, host: 'a.test', path: '/p?q=1', method: 'POST', body: 'hello' });
  const echo = reply.json<Echo>();
  assert.deepEqual(
    [echo.backend, echo.method, echo.url, echo.host, echo.body],
    ['one', 'POST', '/p?q=1', 'a.test', 'hello'],
  );
  assert.equal(backend.requests(), 1);
});

test('a certificate is trusted by those who trust its authority, and shown by SNI', async (t) => {
  const authority = await makeAuthority();
  const pair = await authority.issue(['a.test', '127.0.0.1']);
  const backend = await startBackend(t, { tls: pair });
  const tls = { ca: authority.certificate };
  const reply = await request({ port: backend.port, host: 'a.test', tls });
  assert.equal(reply.json<Echo>().tls, true);
  await assert.rejects(request({ port: backend.port, host: 'b.test', tls }), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  const { certificate } = await handshake(backend.port, { servername: 'a.test' });
  assert.equal(certificate.checkHost('a.test'), 'a.test');
});

test('a kept-alive connection carries several requests', async (t) => {
  const backend = await startBackend(t, { name: 'one' });
  const connection = await HttpConnection.open(backend.port);
  t.after(() => connection.close());
  for (const path of ['/1', '/2', '/3']) {
    const reply = await connection.request('a.test', path);
    assert.equal(reply.json<Echo>().url, path);
  }
  assert.equal(backend.connections(), 1);
});

test('chunked bodies and bodiless answers are read to their end', async (t) => {
  const backend = await startBackend(t, {
    respond: (incoming, response) => {
      if (incoming.url === '/none') return response.writeHead(204).end();
      response.write('a'.repeat(10));
      return response.end('b'.repeat(20_000));
    },
  });
  const connection = await HttpConnection.open(backend.port);
  t.after(() => connection.close());
  assert.equal((await connection.request('a.test', '/none')).status, 204);
  assert.equal((await connection.request('a.test', '/')).body, 'a'.repeat(10) + 'b'.repeat(20_000));
});

test('HTTP/2 is spoken with and without TLS, and gRPC calls end in trailers', async (t) => {
  const pair = await (await makeAuthority()).issue(['a.test']);
  for (const tls of [undefined, pair]) {
    const backend = await startHttp2Backend(t, { name: 'two', ...(tls === undefined ? {} : { tls }) });
    const client = await Http2Client.open(backend.port, tls === undefined ? {} : { tls: true });
    t.after(() => client.close());
    const echo = (await client.request({ host: 'a.test', path: '/x' })).json<Echo>();
    assert.deepEqual([echo.backend, echo.host, echo.url, echo.tls], ['two', 'a.test', '/x', tls !== undefined]);
    const call = await client.call('a.test', '/pkg.Service/Method');
    assert.equal(call.trailers['grpc-status'], '0');
    assert.equal(call.body.slice(5), 'hello');
  }
});

test('WebSocket messages come back with the name of the backend', async (t) => {
  const backend = await startBackend(t, { name: 'ws' });
  const client = await WebSocketClient.open(backend.port, 'a.test', '/chat');
  t.after(() => client.close());
  assert.equal(await client.ask('hello'), 'ws: hello');
  assert.equal(await client.ask('x'.repeat(1000)), `ws: ${'x'.repeat(1000)}`);
});

test('faulty backends misbehave as asked', async (t) => {
  const reset = await startFaultyBackend(t, 'reset');
  await assert.rejects(request({ port: reset.port }), { code: 'ECONNRESET' });
  const garbage = await startFaultyBackend(t, 'garbage');
  await assert.rejects(request({ port: garbage.port }), { code: 'HPE_INVALID_CONSTANT' });
  const hang = await startFaultyBackend(t, 'hang');
  await assert.rejects(request({ port: hang.port, timeoutMs: 50 }), /no answer within 50 ms/);
  await assert.rejects(request({ port: await refusedPort() }), { code: 'ECONNREFUSED' });
});
