import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { before, describe, it } from 'node:test';
import { startBackend, type Backend, type Echo } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import { suiteScope } from '../support/suite-scope.ts';

const HOST = 'body.example';
const SMALL = 'x'.repeat(1000);
const LARGE = 'x'.repeat(5000);

function echoed({ body }: { readonly body: string }): string {
  return (JSON.parse(body) as Echo).body;
}

for (const profile of [undefined, '@https', '@https_body_1k'] as const) {
  describe(`a limit on bodies, in ${profile ?? 'the common profile'}`, () => {
    const scope = suiteScope();
    let dataplane: Dataplane;
    let backend: Backend;

    before(async () => {
      dataplane = await Dataplane.start(scope, { workers: 1 });
      const { makeAuthority } = await import('../support/certificates.ts');
      const tls = profile === undefined ? {} : { tls: await (await makeAuthority()).issue(['backend.test']) };
      backend = await startBackend(scope, tls);
      const bounded = profile === undefined ? '@http_body_1k' : '@https_body_1k';
      await dataplane.put({
        'b:one': endpoints([backend.port]),
        [`h:default/${HOST}`]: {
          routes: [
            route('one', {
              path: { kind: 'exact', value: '/free' },
              ...(profile === undefined ? {} : { profile: '@https' }),
            }),
            route('one', { bodyLimit: 1024, boundedProfile: bounded, ...(profile === undefined ? {} : { profile }) }),
          ],
        },
      });
    });

    const chunked = async (body: string, method = 'POST', path = '/') => {
      const connection = await HttpConnection.open(dataplane.httpPort);
      connection.send(
        `${method} ${path} HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      );
      const reply = await connection.reply(method);
      connection.close();
      return reply;
    };
    const h2 = (body: string, headers: Record<string, string> = {}, method = 'POST', path = '/') =>
      new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
        const session = connect(`https://127.0.0.1:${dataplane.httpsPort}`, { rejectUnauthorized: false });
        session.once('error', reject);
        // Node itself would send no body with GET and DELETE.
        const stream = session.request(
          { ':authority': HOST, ':method': method, ':path': path, ...headers },
          { endStream: false },
        );
        let status = 0;
        let text = '';
        stream.on('response', (head) => (status = head[':status'] ?? 0)).on('data', (chunk) => (text += String(chunk)));
        stream.on('error', reject).on('close', () => {
          session.destroy();
          resolve({ status, body: text });
        });
        stream.end(body);
      });

    it('lets a smaller body through, whole', async () => {
      const plain = await request({ port: dataplane.httpPort, host: HOST, method: 'POST', body: SMALL });
      assert.equal(plain.json<Echo>().body, SMALL);
      assert.equal((await chunked(SMALL)).json<Echo>().body, SMALL);
      assert.equal(echoed(await h2(SMALL, { 'content-length': '1000' })), SMALL);
      assert.equal(echoed(await h2(SMALL)), SMALL);
      assert.equal((await request({ port: dataplane.httpPort, host: HOST })).status, 200);
    });

    it('answers 413 to a larger one that tells its length', async () => {
      const requests = backend.requests();
      assert.equal((await request({ port: dataplane.httpPort, host: HOST, method: 'POST', body: LARGE })).status, 413);
      assert.equal(
        (
          await request({
            port: dataplane.httpPort,
            host: HOST,
            method: 'GET',
            body: LARGE,
            headers: { 'Content-Length': '5000' },
          })
        ).status,
        413,
      );
      assert.equal((await h2(LARGE, { 'content-length': '5000' })).status, 413);
      assert.equal(backend.requests(), requests);
    });

    it('answers 413 to a larger one that does not, over HTTP/1 and HTTP/2, whatever the method', async () => {
      const requests = backend.requests();
      for (const method of ['POST', 'PUT', 'GET', 'DELETE']) {
        assert.equal((await chunked(LARGE, method)).status, 413, `HTTP/1 ${method}`);
        assert.equal((await h2(LARGE, {}, method)).status, 413, `HTTP/2 ${method}`);
      }
      assert.equal(backend.requests(), requests);
    });

    it('is none for a route without one', async () => {
      const free = { port: dataplane.httpPort, host: HOST, path: '/free', method: 'POST', body: 'x'.repeat(3_000_000) };
      assert.equal((await request(free)).json<Echo>().body.length, 3_000_000);
      assert.equal((await chunked(LARGE, 'POST', '/free')).json<Echo>().body, LARGE);
      assert.equal(echoed(await h2(LARGE, {}, 'POST', '/free')), LARGE);
    });
  });
}

describe('a limit on bodies without a place that bounds those of unknown length', () => {
  const scope = suiteScope();

  it('asks for the length', async () => {
    const dataplane = await Dataplane.start(scope, { workers: 1 });
    const backend = await startBackend(scope);
    await dataplane.put({
      'b:one': endpoints([backend.port]),
      [`h:default/${HOST}`]: { routes: [route('one', { bodyLimit: 1024 })] },
    });
    const connection = await HttpConnection.open(dataplane.httpPort);
    connection.send(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`);
    assert.equal((await connection.reply()).status, 411);
    connection.close();
    assert.equal((await request({ port: dataplane.httpPort, host: HOST, method: 'POST', body: SMALL })).status, 200);
  });
});
