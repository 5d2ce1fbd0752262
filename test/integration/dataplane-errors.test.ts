import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { startFaultyBackend } from '../support/backends/faulty-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import { freePort } from '../support/scope.ts';
import { suiteScope } from '../support/suite-scope.ts';

const HOST = 'error.example';

describe('error pages', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;

  before(async () => {
    dataplane = await Dataplane.start(scope, { workers: 1, accessLog: true });
  });

  const serve = (port: number, more: Parameters<typeof route>[1] = {}) =>
    dataplane.put({ [`b:${port}`]: endpoints([port]), [`h:default/${HOST}`]: { routes: [route(String(port), more)] } });
  const ask = (headers: Record<string, string> = {}, more: Partial<Parameters<typeof request>[0]> = {}) =>
    request({ port: dataplane.httpPort, host: HOST, headers, ...more });
  const raw = async (bytes: string) => {
    const connection = await HttpConnection.open(dataplane.httpPort);
    connection.send(bytes);
    const reply = await connection.reply();
    connection.close();
    return reply;
  };

  it('are HTML for browsers, JSON where it is asked for, and text for the rest', async () => {
    const html = await ask({ Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    assert.equal(html.status, 404);
    assert.equal(html.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(html.body, /<h1>404 Not found<\/h1>/);
    const json = await ask({ Accept: 'application/json' });
    assert.deepEqual(Object.keys(json.json()).sort(), ['error', 'message', 'request', 'status']);
    const text = await ask();
    assert.match(text.body, /^404 Not found\nNothing is served at this address\.\nRequest [0-9a-f]{32}\n$/);
    assert.equal(text.headers['content-type'], 'text/plain; charset=utf-8');
  });

  it('carry the request id, escaped, and no version', async () => {
    const reply = await ask({ Accept: 'text/html', 'X-Request-ID': '<script>alert(1)</script>' });
    assert.match(reply.body, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
    assert.ok(!reply.body.includes('<script>'));
    assert.ok(!JSON.stringify([reply.body, reply.rawHeaders]).includes('1.22'));
  });

  it('have no body for HEAD', async () => {
    const connection = await HttpConnection.open(dataplane.httpPort);
    assert.equal((await connection.request(HOST, '/', {}, 'HEAD')).status, 404);
    assert.equal((await connection.request(HOST, '/')).status, 404);
    connection.close();
  });

  it('stand for a backend that refuses, closes or hangs', async () => {
    await serve(await freePort());
    assert.match((await ask()).body, /^502 Bad gateway/);
    await serve((await startFaultyBackend(scope, 'close')).port);
    assert.match((await ask()).body, /^502 Bad gateway/);
    await serve((await startFaultyBackend(scope, 'hang')).port, { timeouts: [1, 1, 0.2] });
    assert.match((await ask()).body, /^504 Gateway timeout/);
    await serve((await startFaultyBackend(scope, 'hang')).port, { timeouts: [1, 1, 0.2], profile: '@http_body_1k' });
    assert.match((await ask({}, { method: 'POST', body: 'x' })).body, /^504 Gateway timeout/);
  });

  it('are not sent for a backend that speaks no HTTP: the connection is closed, and nothing of it handed on', async () => {
    await serve((await startFaultyBackend(scope, 'garbage')).port);
    await assert.rejects(raw(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`), /closed; it had sent: ""/);
  });

  it("leave a backend's own error answers as they are", async () => {
    for (const status of [400, 404, 413, 500, 502, 503, 504]) {
      const backend = await startBackend(scope, {
        respond: (_, response) => response.writeHead(status, { 'X-Mine': '1' }).end(`mine ${status}`),
      });
      await serve(backend.port);
      const reply = await ask({ Accept: 'text/html' });
      assert.deepEqual([reply.status, reply.body, reply.headers['x-mine']], [status, `mine ${status}`, '1']);
    }
  });

  it('stand for requests that are no HTTP or too long', async () => {
    assert.match((await raw('NONSENSE\r\n\r\n')).body, /^400 Bad request/);
    assert.match((await raw(`GET / HTTP/1.1\r\nHost: a b\r\n\r\n`)).body, /^400 Bad request/);
    assert.match((await raw(`GET /../.. HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)).body, /^400 Bad request/);
    assert.match((await raw('GET / HTTP/1.1\r\n\r\n')).body, /^400 Bad request/);
    assert.match((await raw(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)).body, /^414 URI too long/);
    assert.match(
      (await raw(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)).body,
      /^431 Request header too large/,
    );
    assert.match((await raw(`GET / HTTP/9.1\r\nHost: ${HOST}\r\n\r\n`)).body, /^505 HTTP version/);
  });

  it('are not for a request whose body is none: it ends with 400 and its connection, not with a fault', async () => {
    const broken = `Host: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\nnothing\r\n`;
    for (const line of ['TRACE / HTTP/1.1', 'POST / HTTP/1.1']) {
      assert.equal((await raw(`${line}\r\n${broken}`)).status, 400, line);
    }
    assert.doesNotMatch(dataplane.errorLog, /traceback|runtime error/);
  });

  it('stand for plain HTTP on the TLS port', async () => {
    const reply = await request({ port: dataplane.httpsPort, host: HOST });
    assert.equal(reply.status, 400);
    assert.match(reply.body, /^400 Bad request/);
  });

  it('can not be asked for from outside, and take no path from the routes', async () => {
    const paths = [
      '//weir/error',
      '/%2Fweir/error',
      '/%2f%2fweir/error',
      '/a/..//weir/error',
      '/weir/error',
      '/@weir_error',
    ];
    for (const path of paths) assert.match((await ask({}, { path })).body, /^mine /, path);
  });

  it('keep the method and the host of the request in the access log', async () => {
    await serve(await freePort());
    await ask({ 'X-Request-ID': 'posted' }, { method: 'POST', body: 'x' });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const line = dataplane.accessLog.find(({ requestId }) => requestId === 'posted');
    assert.deepEqual(
      [line?.['method'], line?.['host'], line?.['status'], line?.['route']],
      ['POST', HOST, 502, 'Test/route'],
    );
  });
});
