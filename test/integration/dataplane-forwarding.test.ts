import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { startBackend, type Backend, type Echo } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { WebSocketClient } from '../support/clients/websocket-client.ts';
import { Dataplane, endpoints, route, type DataplaneOptions } from '../support/dataplane.ts';
import { suiteScope } from '../support/suite-scope.ts';

const HOST = 'forward.example';
/** What a client may try to pass off. */
const FORGED = {
  'X-Forwarded-For': '6.6.6.6',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'evil.example',
  'X-Forwarded-Port': '666',
  'X-Forwarded-Scheme': 'https',
  'X-Forwarded-Prefix': '/evil',
  'X-Real-IP': '6.6.6.6',
  'X-Scheme': 'https',
  Forwarded: 'for=6.6.6.6',
  'X-Original-URI': '/evil',
  'X-Original-URL': '/evil',
  'X-Rewrite-URL': '/evil',
  'ssl-client-verify': 'SUCCESS',
  'ssl-client-subject-dn': 'CN=admin',
  Proxy: 'http://evil.example',
};

describe('what backends are told of the client', () => {
  const scope = suiteScope();
  let backend: Backend;
  before(async () => {
    backend = await startBackend(scope, { name: 'one' });
  });
  const start = async (options: DataplaneOptions = {}, more: Parameters<typeof route>[1] = {}) => {
    const dataplane = await Dataplane.start(scope, { workers: 1, ...options });
    await dataplane.put({
      'b:one': endpoints([backend.port]),
      [`h:default/${HOST}`]: { routes: [route('one', more)] },
    });
    return dataplane;
  };
  const told = async (port: number, headers: Record<string, string> = {}) =>
    (await request({ port, host: HOST, headers })).json<Echo>().headers;

  it('is the truth, whatever an untrusted client says', async () => {
    const dataplane = await start();
    const headers = await told(dataplane.httpPort, FORGED);
    assert.equal(headers['x-forwarded-for'], '127.0.0.1');
    assert.equal(headers['x-real-ip'], '127.0.0.1');
    assert.equal(headers['x-forwarded-proto'], 'http');
    assert.equal(headers['x-forwarded-scheme'], 'http');
    assert.equal(headers['x-scheme'], 'http');
    assert.equal(headers['x-forwarded-host'], HOST);
    assert.equal(headers['x-forwarded-port'], String(dataplane.httpPort));
    assert.equal(headers['x-original-forwarded-for'], '6.6.6.6');
    for (const name of [
      'forwarded',
      'x-original-uri',
      'x-original-url',
      'x-rewrite-url',
      'x-forwarded-prefix',
      'ssl-client-verify',
      'ssl-client-subject-dn',
      'proxy',
    ]) {
      assert.equal(headers[name], undefined, name);
    }
    assert.match(String(headers['x-request-id']), /^[0-9a-f]{32}$/);
    const secure = (
      await request({ port: dataplane.httpsPort, host: HOST, tls: true, headers: { 'X-Forwarded-Proto': 'http' } })
    ).json<Echo>();
    assert.equal(secure.headers['x-forwarded-proto'], 'https');
  });

  it('keeps the request id of the client', async () => {
    const dataplane = await start();
    assert.equal((await told(dataplane.httpPort, { 'X-Request-ID': 'mine' }))['x-request-id'], 'mine');
  });

  it('has no way around by underscores in names', async () => {
    const dataplane = await start();
    const headers = await told(dataplane.httpPort, { x_forwarded_proto: 'https', X_Real_IP: '6.6.6.6' });
    assert.equal(headers['x_forwarded_proto'], undefined);
    assert.equal(headers['x_real_ip'], undefined);
  });

  it('is what a trusted proxy says', async () => {
    const dataplane = await start({ listener: { trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] } });
    const headers = await told(dataplane.httpPort, { ...FORGED, 'X-Forwarded-For': '6.6.6.6, 203.0.113.9, 10.1.1.1' });
    assert.equal(headers['x-forwarded-for'], '203.0.113.9');
    assert.equal(headers['x-real-ip'], '203.0.113.9');
    assert.equal(headers['x-forwarded-proto'], 'https');
    assert.equal(headers['x-forwarded-host'], 'evil.example');
    assert.equal(headers['x-forwarded-port'], '666');
    assert.equal(headers['x-forwarded-prefix'], '/evil');
    assert.equal(headers['ssl-client-verify'], undefined);
    const plain = await told(dataplane.httpPort);
    assert.equal(plain['x-forwarded-proto'], 'http');
    assert.equal(plain['x-forwarded-host'], HOST);
  });

  it('is the truth where another peer than the trusted ones asks', async () => {
    const dataplane = await start({ listener: { trustedProxies: ['10.0.0.0/8'] } });
    const headers = await told(dataplane.httpPort, FORGED);
    assert.equal(headers['x-forwarded-for'], '127.0.0.1');
    assert.equal(headers['x-forwarded-proto'], 'http');
    assert.equal(headers['x-forwarded-host'], HOST);
    assert.equal(headers['x-forwarded-prefix'], undefined);
  });

  it("decides a redirect to https by the scheme that a trusted proxy tells, and by no other's", async () => {
    const trusting = await start({ listener: { trustedProxies: ['127.0.0.1'] } }, { httpsRedirect: { status: 308 } });
    assert.equal(
      (await request({ port: trusting.httpPort, host: HOST, headers: { 'X-Forwarded-Proto': 'https' } })).status,
      200,
    );
    assert.equal((await request({ port: trusting.httpPort, host: HOST })).status, 308);
    const wary = await start({}, { httpsRedirect: { status: 308 } });
    assert.equal(
      (await request({ port: wary.httpPort, host: HOST, headers: { 'X-Forwarded-Proto': 'https' } })).status,
      308,
    );
  });

  it('comes from the PROXY protocol of a trusted peer, and then from no header', async () => {
    const ask = async (dataplane: Dataplane) => {
      const connection = await HttpConnection.open(dataplane.httpPort);
      connection.send('PROXY TCP4 203.0.113.7 203.0.113.8 1234 443\r\n');
      const reply = await connection.request(HOST, '/', FORGED);
      connection.close();
      return reply.json<Echo>().headers;
    };
    const listener = { acceptProxyProtocol: true, trustedProxies: ['127.0.0.1'] };
    const headers = await ask(await start({ listener }));
    assert.equal(headers['x-forwarded-for'], '203.0.113.7');
    assert.equal(headers['x-forwarded-port'], '443');
    assert.equal(headers['x-forwarded-proto'], 'http');
    assert.equal((await ask(await start({ listener: { acceptProxyProtocol: true } })))['x-forwarded-for'], '127.0.0.1');
  });

  it('goes on over a WebSocket, in the common profile and in another', async () => {
    const dataplane = await start();
    const socket = await WebSocketClient.open(dataplane.httpPort, HOST);
    const answer = await socket.ask('hello');
    assert.match(answer, /hello/);
    await dataplane.put({ [`h:default/${HOST}`]: { routes: [route('one', { profile: '@http_body_1k' })] } });
    const other = await WebSocketClient.open(dataplane.httpPort, HOST);
    assert.equal(await other.ask('hello'), answer);
    assert.equal(await socket.ask('hello'), answer);
    socket.close();
    other.close();
  });

  it('lets nobody upgrade past the router to HTTP/2', async () => {
    const dataplane = await start();
    const headers = await told(dataplane.httpPort, {
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAMAAABkAAQAAP__',
    });
    assert.equal(headers.upgrade, undefined);
    assert.equal(headers['http2-settings'], undefined);
  });

  it('has the Host header as it was sent, whatever its form', async () => {
    const dataplane = await start();
    await dataplane.put({ 'h:default/*': { routes: [route('one')] } });
    for (const host of ['web1', 'Web1:8080', '127.0.0.1', '127.0.0.1:8080', '[::1]:8080', 'a.example.:80']) {
      const reply = await request({ port: dataplane.httpPort, host });
      assert.equal(reply.json<Echo>().host, host);
      assert.equal(reply.json<Echo>().headers['x-forwarded-host'], host);
    }
  });

  it('lets no backend send a request elsewhere inside nginx', async () => {
    const dataplane = await start();
    const sly = await startBackend(scope, {
      respond: (_, response) => response.setHeader('X-Accel-Redirect', '/other').end('mine'),
    });
    await dataplane.put({ 'b:one': endpoints([sly.port]) });
    assert.equal((await request({ port: dataplane.httpPort, host: HOST })).body, 'mine');
  });

  it('may have another Connection header', async () => {
    const dataplane = await start({}, { connection: 'close' });
    assert.equal((await told(dataplane.httpPort)).connection, 'close');
  });
});

describe('the access log', () => {
  const scope = suiteScope();

  it('has one JSON object for each request, with the route, and none for a route that wants none', async () => {
    const dataplane = await Dataplane.start(scope, { accessLog: true });
    const backend = await startBackend(scope);
    await dataplane.put({
      'b:one': endpoints([backend.port]),
      [`h:default/${HOST}`]: {
        routes: [
          route('one', { path: { kind: 'exact', value: '/quiet' }, accessLog: false }),
          route('one', {
            path: { kind: 'exact', value: '/respond' },
            origin: 'Ingress/shop/gone',
            respond: { status: 503, reason: 'gone "away"' },
          }),
          route('one', { origin: 'Ingress/shop/web spec.rules[0].http.paths[0]', profile: '@http_body_1k' }),
        ],
      },
    });
    await request({ port: dataplane.httpPort, host: HOST, path: '/quiet' });
    await request({
      port: dataplane.httpPort,
      host: HOST,
      path: '/a?b="c"',
      method: 'POST',
      body: 'x',
      headers: { 'User-Agent': 'test "agent"', Referer: 'r', 'X-Request-ID': 'id' },
    });
    await request({ port: dataplane.httpPort, host: HOST, path: '/respond', method: 'POST', body: 'x' });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const lines = dataplane.accessLog.toSorted((a, b) => String(a['uri']).localeCompare(String(b['uri'])));
    assert.equal(lines.length, 2);
    const { time, duration, upstreamTime, requestBytes, bytes, ...rest } = lines[0] ?? {};
    assert.ok(!Number.isNaN(Date.parse(String(time))));
    assert.equal(typeof duration, 'number');
    assert.ok(Number(requestBytes) > 0 && Number(bytes) > 0 && Number(upstreamTime) >= 0);
    assert.deepEqual(rest, {
      client: '127.0.0.1',
      method: 'POST',
      scheme: 'http',
      host: HOST,
      uri: '/a?b="c"',
      protocol: 'HTTP/1.1',
      status: 200,
      upstream: `127.0.0.1:${backend.port}`,
      upstreamStatus: '200',
      requestId: 'id',
      route: 'Ingress/shop/web spec.rules[0].http.paths[0]',
      reason: '',
      userAgent: 'test "agent"',
      referer: 'r',
    });
    assert.deepEqual(
      [lines[1]?.['status'], lines[1]?.['route'], lines[1]?.['reason'], lines[1]?.['method']],
      [503, 'Ingress/shop/gone', 'gone "away"', 'POST'],
    );
  });
});
