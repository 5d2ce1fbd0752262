import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { startHttp2Backend } from '../support/backends/http2-backend.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { backendService, ingress } from '../support/manifests.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
/** The one proxy that is trusted; requests come from other loopback addresses unless they say so. */
const PROXY = '127.0.0.2';
const CLIENT = '127.0.0.9';
let site: Site;
let backend: Backend;

before(async () => {
  [site, backend] = await Promise.all([Site.open(scope, ['--trusted-proxies', `${PROXY}/32`]), startBackend(scope)]);
});

/** What some backends read the scheme from besides X-Forwarded-Proto. */
const SCHEME_CLAIMS = ['x-forwarded-ssl', 'front-end-https', 'x-forwarded-protocol', 'x-url-scheme'];

/** Everything that a client may try to pass for somebody else with. */
const LIES = {
  'X-Forwarded-For': '203.0.113.7, 10.0.0.1',
  'X-Forwarded-Host': 'bank.test',
  'X-Forwarded-Port': '4433',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Scheme': 'https',
  'X-Forwarded-Prefix': '/admin',
  'X-Forwarded-Server': 'bank.test',
  'X-Real-IP': '203.0.113.7',
  'X-Scheme': 'https',
  Forwarded: 'for=203.0.113.7;host=bank.test;proto=https',
  'X-Forwarded-Ssl': 'on',
  'Front-End-Https': 'on',
  'X-Forwarded-Protocol': 'https',
  'X-Url-Scheme': 'https',
  'X-Original-URI': '/admin',
  'X-Original-URL': '/admin',
  'X-Original-Method': 'DELETE',
  'X-Original-Forwarded-For': '203.0.113.8',
  'X-Rewrite-URL': '/admin',
  'ssl-client-verify': 'SUCCESS',
  'ssl-client-subject-dn': 'CN=admin',
  Proxy: 'http://203.0.113.7',
};

function seen(echo: Echo): Record<string, unknown> {
  const names = ['for', 'host', 'port', 'proto', 'scheme', 'prefix', 'server'];
  return Object.fromEntries([
    ...names.map((name) => [name, echo.headers[`x-forwarded-${name}`]]),
    ['real', echo.headers['x-real-ip']],
    ['x-scheme', echo.headers['x-scheme']],
  ]);
}

test('the backend is told the client’s address, and scheme, host and port of its request', async () => {
  const host = 'told.test';
  await site.expose({ host, backends: [backend] });
  const plain = (await site.http(host, '/', { from: CLIENT })).json<Echo>();
  const secure = (await site.https(host, '/', { from: CLIENT })).json<Echo>();
  const expected = (scheme: string, port: number) => ({
    for: CLIENT,
    host,
    port: String(port),
    proto: scheme,
    scheme,
    prefix: undefined,
    server: undefined,
    real: CLIENT,
    'x-scheme': scheme,
  });
  assert.deepEqual(seen(plain), expected('http', site.weir.httpPort));
  assert.deepEqual(seen(secure), expected('https', site.weir.httpsPort));
  assert.deepEqual([plain.host, secure.host], [host, host]);
  assert.match(String(plain.headers['x-request-id']), /^[0-9a-f]{32}$/);
});

test('what an untrusted client says of itself is replaced or removed, by HTTP/1.1 and HTTP/2', async (t) => {
  const host = 'liar.test';
  await site.expose({ host, backends: [backend] });
  const client = await site.http2(host);
  t.after(() => client.close());
  const lower = Object.fromEntries(Object.entries(LIES).map(([name, value]) => [name.toLowerCase(), value]));
  const echoes = [
    { echo: (await site.http(host, '/', { headers: LIES })).json<Echo>(), scheme: 'http', port: site.weir.httpPort },
    { echo: (await site.https(host, '/', { headers: LIES })).json<Echo>(), scheme: 'https', port: site.weir.httpsPort },
    { echo: (await client.request({ host, headers: lower })).json<Echo>(), scheme: 'https', port: site.weir.httpsPort },
  ];
  for (const { echo, scheme, port } of echoes) {
    assert.deepEqual(seen(echo), {
      for: '127.0.0.1',
      host,
      port: String(port),
      proto: scheme,
      scheme,
      prefix: undefined,
      server: undefined,
      real: '127.0.0.1',
      'x-scheme': scheme,
    });
    for (const name of [
      'forwarded',
      ...SCHEME_CLAIMS,
      'x-original-uri',
      'x-original-url',
      'x-original-method',
      'x-rewrite-url',
      'proxy',
    ]) {
      assert.equal(echo.headers[name], undefined, name);
    }
    for (const name of ['ssl-client-verify', 'ssl-client-subject-dn'])
      assert.equal(echo.headers[name], undefined, name);
    // What the client claimed stays readable, under the name that says so.
    assert.equal(echo.headers['x-original-forwarded-for'], LIES['X-Forwarded-For']);
  }
});

test('older names for the scheme reach a backend only from a trusted proxy, by HTTP and gRPC', async (t) => {
  const host = 'older.test';
  const grpc = await startHttp2Backend(t);
  await site.expose({ host, backends: [backend] });
  await site.expose({ host: 'older-grpc.test', backends: [grpc], annotations: { 'backend-protocol': 'GRPC' } });
  const claimed = Object.fromEntries(SCHEME_CLAIMS.map((name) => [name, 'claimed']));
  const got = ({ headers }: Echo) =>
    Object.fromEntries(SCHEME_CLAIMS.flatMap((name) => (name in headers ? [[name, headers[name]]] : [])));
  assert.deepEqual(got((await site.http(host, '/', { headers: claimed, from: CLIENT })).json<Echo>()), {});
  assert.deepEqual(got((await site.http(host, '/', { headers: claimed, from: PROXY })).json<Echo>()), claimed);
  assert.deepEqual(got((await site.http(host, '/', { from: PROXY })).json<Echo>()), {});
  const client = await site.http2('older-grpc.test');
  t.after(() => client.close());
  const reply = await client.request({ host: 'older-grpc.test', headers: { ...claimed, 'x-mark': 'arrived' } });
  const echo = reply.json<Echo>();
  assert.deepEqual([got(echo), echo.headers['x-mark']], [{}, 'arrived']);
});

test('names with underscores, repeated headers and odd spellings are no way around', async () => {
  const host = 'sly.test';
  await site.expose({ host, backends: [backend] });
  const headers = {
    X_Forwarded_For: '203.0.113.7',
    X_Real_IP: '203.0.113.7',
    'x-fOrWaRdEd-fOr': ['203.0.113.7', '10.0.0.1'],
  };
  const echo = (await site.http(host, '/', { headers, from: CLIENT })).json<Echo>();
  assert.equal(echo.headers['x-forwarded-for'], CLIENT);
  assert.equal(echo.headers['x-real-ip'], CLIENT);
  for (const name of Object.keys(echo.headers)) assert.ok(!name.includes('_'), name);
});

test('a trusted proxy is believed: the client’s address, scheme, host, port and prefix are those that it tells', async () => {
  const host = 'behind.test';
  await site.expose({ host, backends: [backend] });
  const headers = {
    'X-Forwarded-For': '198.51.100.4',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'www.behind.test',
    'X-Forwarded-Port': '443',
    'X-Forwarded-Prefix': '/shop',
  };
  const echo = (await site.http(host, '/', { headers, from: PROXY })).json<Echo>();
  assert.deepEqual(seen(echo), {
    for: '198.51.100.4',
    host: 'www.behind.test',
    port: '443',
    proto: 'https',
    scheme: 'https',
    prefix: '/shop',
    server: undefined,
    real: '198.51.100.4',
    'x-scheme': 'https',
  });
});

test('behind a trusted proxy the address is the last that isn’t a trusted proxy, not the first that the client made up', async () => {
  const host = 'chain.test';
  await site.expose({ host, backends: [backend] });
  const headers = { 'X-Forwarded-For': `203.0.113.7, 198.51.100.4, ${PROXY}` };
  const echo = (await site.http(host, '/', { headers, from: PROXY })).json<Echo>();
  assert.deepEqual([echo.headers['x-real-ip'], echo.headers['x-forwarded-for']], ['198.51.100.4', '198.51.100.4']);
});

test('a request that a trusted proxy says came by HTTPS is not redirected, and one from elsewhere is', async () => {
  const host = 'offloaded.test';
  await site.expose({ host, backends: [backend], annotations: { 'force-ssl-redirect': 'true' } });
  const headers = { 'X-Forwarded-Proto': 'https' };
  assert.equal((await site.http(host, '/', { headers, from: PROXY })).status, 200);
  assert.equal((await site.http(host, '/', { headers, from: CLIENT })).status, 308);
  assert.equal((await site.http(host, '/', { from: PROXY })).status, 308);
});

test('a whole URL in the request line names the host for the route and for the backend, not the Host header', async (t) => {
  const host = 'named.test';
  await site.expose({ host, backends: [backend] });
  const connection = await HttpConnection.open(site.weir.httpPort);
  t.after(() => connection.close());
  connection.send(`GET http://${host}/x HTTP/1.1\r\nHost: other.test\r\n\r\n`);
  const echo = (await connection.reply()).json<Echo>();
  assert.deepEqual([echo.host, echo.headers['x-forwarded-host']], [host, host]);
});

test('the host in a whole URL reaches the backend as the client wrote it, with its port', async (t) => {
  const host = 'ported.test';
  await site.expose({ host, backends: [backend] });
  const connection = await HttpConnection.open(site.weir.httpPort);
  t.after(() => connection.close());
  connection.send('GET http://Ported.test:8080/x HTTP/1.1\r\nHost: other.test\r\n\r\n');
  const echo = (await connection.reply()).json<Echo>();
  assert.deepEqual([echo.url, echo.host], ['/x', 'Ported.test:8080']);
});

test('a request of HTTP/1.0 that names no host reaches the backend with the address that it was sent to', async (t) => {
  await site.apply('any.yaml', [
    ingress({ name: 'any', paths: [{ service: 'any' }] }),
    ...backendService({ name: 'any', endpoints: [backend] }),
  ]);
  const connection = await HttpConnection.open(site.weir.httpPort);
  t.after(() => connection.close());
  connection.send('GET /x HTTP/1.0\r\n\r\n');
  const echo = (await connection.reply()).json<Echo>();
  const address = `127.0.0.1:${site.weir.httpPort}`;
  assert.deepEqual([echo.host, echo.headers['x-forwarded-host']], [address, address]);
  site.folder.remove('any.yaml');
  await site.settled();
});

test('upstream-vhost sets the Host that the backend gets, and X-Forwarded-Host still tells the client’s', async () => {
  const host = 'outer.test';
  await site.expose({ host, backends: [backend], annotations: { 'upstream-vhost': 'inner.test' } });
  const echo = (await site.http(host)).json<Echo>();
  assert.deepEqual([echo.host, echo.headers['x-forwarded-host']], ['inner.test', host]);
});
