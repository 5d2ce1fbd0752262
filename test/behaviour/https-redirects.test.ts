import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let backend: Backend;

before(async () => {
  [site, backend] = await Promise.all([Site.open(scope), startBackend(scope)]);
});

/** Where plain HTTP is sent on: weir's own HTTPS port is not the well-known one here, so it stands in the URL. */
function secureUrl(host: string, path: string): string {
  return `https://${host}:${site.weir.httpsPort}${path}`;
}

test('a host with TLS answers plain HTTP with 308 to HTTPS, with path and query, and serves HTTPS', async () => {
  const host = 'secure.test';
  await site.expose({ host, backends: [backend], tls: true });
  for (const method of ['GET', 'POST']) {
    const redirect = await site.http(host, '/a%20b/?q=1&r=%2F', { method });
    assert.equal(redirect.status, 308);
    assert.equal(redirect.headers.location, secureUrl(host, '/a%20b/?q=1&r=%2F'));
  }
  const served = await site.https(host, '/a');
  assert.deepEqual([served.status, served.json<Echo>().url], [200, '/a']);
});

test('a host without TLS is served by plain HTTP, and by HTTPS too', async () => {
  const host = 'plain.test';
  await site.expose({ host, backends: [backend] });
  assert.equal((await site.http(host)).status, 200);
  assert.equal((await site.https(host)).status, 200);
});

test('ssl-redirect "false" serves plain HTTP beside HTTPS, and taking it back redirects again', async () => {
  const host = 'both.test';
  await site.expose({ host, backends: [backend], tls: true, annotations: { 'ssl-redirect': 'false' } });
  assert.equal((await site.http(host)).status, 200);
  assert.equal((await site.https(host)).status, 200);
  await site.expose({ host, backends: [backend], tls: true });
  assert.equal((await site.http(host)).status, 308);
});

test('force-ssl-redirect redirects without TLS on the host, and wins over ssl-redirect "false"', async () => {
  const host = 'forced.test';
  for (const annotations of [{}, { 'ssl-redirect': 'false' }]) {
    await site.expose({ host, backends: [backend], annotations: { 'force-ssl-redirect': 'true', ...annotations } });
    const redirect = await site.http(host, '/x');
    assert.deepEqual([redirect.status, redirect.headers.location], [308, secureUrl(host, '/x')]);
    assert.equal((await site.https(host)).status, 200);
  }
});

test('an untrusted client that says it came by HTTPS is redirected all the same', async () => {
  const host = 'liar.test';
  await site.expose({ host, backends: [backend], tls: true });
  const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Scheme': 'https', 'X-Scheme': 'https' };
  assert.equal((await site.http(host, '/', { headers })).status, 308);
});

test('permanent-redirect and temporal-redirect answer at once, without a detour by HTTPS', async () => {
  const host = 'moved.test';
  const cases: readonly [Record<string, string>, number][] = [
    [{ 'permanent-redirect': 'https://new.test/home?a=1' }, 301],
    [{ 'permanent-redirect': 'https://new.test/home?a=1', 'permanent-redirect-code': '308' }, 308],
    [{ 'temporal-redirect': 'https://new.test/home?a=1' }, 302],
  ];
  for (const [annotations, status] of cases) {
    await site.expose({ host, backends: [backend], tls: true, annotations });
    for (const reply of [await site.http(host, '/old?b=2'), await site.https(host, '/old?b=2')]) {
      assert.deepEqual([reply.status, reply.headers.location], [status, 'https://new.test/home?a=1']);
    }
  }
});

test('app-root redirects the root alone', async () => {
  const host = 'rooted.test';
  await site.expose({ host, backends: [backend], annotations: { 'app-root': '/app' } });
  const root = await site.http(host, '/');
  assert.deepEqual([root.status, new URL(root.headers.location ?? '').pathname], [302, '/app']);
  assert.equal((await site.http(host, '/app')).status, 200);
});
