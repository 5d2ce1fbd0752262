import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { startBackend, type Echo } from '../support/backends/echo-backend.ts';
import { startHttp2Backend } from '../support/backends/http2-backend.ts';
import { makeAuthority, type KeyPair } from '../support/certificates.ts';
import { request } from '../support/clients/http-client.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import { freePort } from '../support/scope.ts';
import { suiteScope } from '../support/suite-scope.ts';

const HOST = 'profile.example';
const MESSAGE = Buffer.from([0, 0, 0, 0, 3, 1, 2, 3]);

describe('protocols of backends', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  let pair: KeyPair;

  before(async () => {
    dataplane = await Dataplane.start(scope, { workers: 1 });
    pair = await (await makeAuthority()).issue(['backend.test']);
  });

  const serve = (port: number, more: Parameters<typeof route>[1]) =>
    dataplane.put({ 'b:one': endpoints([port]), [`h:default/${HOST}`]: { routes: [route('one', more)] } });
  const call = async (headers: Record<string, string> = { te: 'trailers' }) => {
    const client = await Http2Client.open(dataplane.httpsPort, { host: HOST, tls: true });
    try {
      return await client.request({
        host: HOST,
        path: '/pkg.Service/Method',
        method: 'POST',
        headers: { 'content-type': 'application/grpc', ...headers },
        body: MESSAGE,
      });
    } finally {
      client.close();
    }
  };

  it('may be https, with everything the router decided', async () => {
    const backend = await startBackend(scope, { name: 'tls', tls: pair });
    await serve(backend.port, {
      profile: '@https',
      path: { kind: 'prefix', value: '/api' },
      rewrite: { kind: 'prefix', value: '/' },
      host: 'inner.example',
      responseHeaders: { set: [['X-Done', 'yes']] },
    });
    const reply = await request({ port: dataplane.httpPort, host: HOST, path: '/api/x%20y?q=1' });
    assert.equal(reply.json<Echo>().tls, true);
    assert.equal(reply.json<Echo>().url, '/x%20y?q=1');
    assert.equal(reply.json<Echo>().host, 'inner.example');
    assert.equal(reply.headers['x-done'], 'yes');
  });

  it('may be gRPC, and gRPC over TLS', async () => {
    for (const secure of [false, true]) {
      const backend = await startHttp2Backend(scope, secure ? { tls: pair } : {});
      await serve(backend.port, {
        profile: secure ? '@grpcs' : '@grpc',
        responseHeaders: { set: [['X-Done', 'yes']] },
      });
      const reply = await call();
      assert.equal(reply.status, 200);
      assert.equal(reply.trailers['grpc-status'], '0');
      assert.equal(reply.headers['x-done'], 'yes');
      assert.deepEqual(Buffer.from(reply.body), MESSAGE);
    }
  });

  it('may be HTTP/2 without TLS, for clients of HTTP/1 too', async () => {
    const backend = await startHttp2Backend(scope);
    await serve(backend.port, { profile: '@grpc' });
    const reply = await request({ port: dataplane.httpPort, host: HOST, path: '/plain' });
    assert.equal(reply.json<Echo>().url, '/plain');
    assert.equal(reply.json<Echo>().host, HOST);
  });

  it('answer errors to gRPC clients as a gRPC status', async () => {
    await serve(await freePort(), { profile: '@grpc' });
    const refused = await call();
    assert.equal(refused.status, 200);
    assert.equal(refused.trailers['grpc-status'], '14');
    assert.equal(refused.headers['content-type'], 'application/grpc');
    await dataplane.put({
      [`h:default/${HOST}`]: { routes: [route('one', { path: { kind: 'exact', value: '/other' } })] },
    });
    assert.equal((await call()).trailers['grpc-status'], '12');
    await dataplane.put({
      [`h:default/${HOST}`]: { routes: [route('one', { respond: { status: 503, reason: 'closed\n"now"' } })] },
    });
    const closed = await call();
    assert.equal(closed.trailers['grpc-status'], '14');
    assert.equal(closed.trailers['grpc-message'], 'The service behind this address is not available.');
  });

  it('never share kept-alive connections', async () => {
    const backend = await startBackend(scope, { name: 'plain' });
    await serve(backend.port, {});
    assert.equal((await request({ port: dataplane.httpPort, host: HOST })).status, 200);
    await serve(backend.port, { profile: '@https' });
    assert.equal((await request({ port: dataplane.httpPort, host: HOST })).status, 502);
    await serve(backend.port, {});
    assert.equal((await request({ port: dataplane.httpPort, host: HOST })).status, 200);
  });
});
