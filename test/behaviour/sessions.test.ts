import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend, startBackends } from '../support/backends/echo-backend.ts';
import type { Reply } from '../support/clients/http-client.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let pods: readonly Backend[];

before(async () => {
  [site, pods] = await Promise.all([Site.open(scope), startBackends(scope, 8, 'pod')]);
});

interface Cookie {
  readonly pair: string;
  readonly attributes: readonly string[];
}

function cookieOf(reply: Reply): Cookie | undefined {
  const [line] = reply.headers['set-cookie'] ?? [];
  const [pair, ...attributes] = line?.split('; ') ?? [];
  return pair === undefined ? undefined : { pair, attributes };
}

const backendOf = (reply: Reply) => reply.json<Echo>().backend;
const withCookie = (pair: string) => ({ headers: { Cookie: `theme=dark; ${pair}` } });

/** A first visit: the cookie, and who answered. */
async function visit(host: string, path = '/'): Promise<{ readonly pair: string; readonly backend: string }> {
  const reply = await site.http(host, path);
  const cookie = cookieOf(reply);
  assert.ok(cookie !== undefined, 'no cookie was set');
  return { pair: cookie.pair, backend: backendOf(reply) };
}

test('affinity cookie: the client that sends its cookie stays with its endpoint, and is given no other', async () => {
  const host = 'sticky.test';
  await site.expose({ host, backends: pods, annotations: { affinity: 'cookie' } });
  const seen = new Set<string>();
  for (let client = 0; client < 6; client += 1) {
    const { pair, backend } = await visit(host);
    seen.add(backend);
    for (let index = 0; index < 10; index += 1) {
      const reply = await site.http(host, `/${index}`, withCookie(pair));
      assert.deepEqual([backendOf(reply), cookieOf(reply)], [backend, undefined]);
    }
  }
  assert.ok(seen.size > 1, 'all clients were sent to one endpoint');
});

test('the cookie is named INGRESSCOOKIE, is HttpOnly, ends with the browser, holds for the path of its route, and hides the address', async () => {
  const host = 'plain-cookie.test';
  await site.expose({ host, backends: pods, paths: ['/shop'], annotations: { affinity: 'cookie' } });
  const cookie = cookieOf(await site.http(host, '/shop/cart'));
  assert.match(cookie?.pair ?? '', /^INGRESSCOOKIE=[0-9a-f]{16}$/);
  assert.deepEqual([...(cookie?.attributes ?? [])].sort(), ['HttpOnly', 'Path=/shop']);
  const secure = cookieOf(await site.https(host, '/shop/cart'));
  assert.ok(secure?.attributes.includes('Secure'), 'by HTTPS it is Secure');
});

test('the session-cookie annotations set name, path, domain, age and the other attributes', async () => {
  const host = 'dressed.test';
  const annotations = {
    affinity: 'cookie',
    'session-cookie-name': 'route',
    'session-cookie-path': '/app',
    'session-cookie-domain': 'dressed.test',
    'session-cookie-max-age': '3600',
    'session-cookie-expires': '7200',
    'session-cookie-samesite': 'Strict',
    'session-cookie-secure': 'true',
  };
  await site.expose({ host, backends: pods, annotations });
  const cookie = cookieOf(await site.http(host));
  assert.match(cookie?.pair ?? '', /^route=/);
  const attributes = new Map(
    (cookie?.attributes ?? []).map((text): [string, string | undefined] => {
      const [name = '', value] = text.split('=');
      return [name, value];
    }),
  );
  const expires = attributes.get('Expires');
  attributes.delete('Expires');
  assert.deepEqual(
    [...attributes].sort(),
    [
      ['Domain', 'dressed.test'],
      ['HttpOnly', undefined],
      ['Max-Age', '3600'],
      ['Path', '/app'],
      ['SameSite', 'Strict'],
      ['Secure', undefined],
    ].sort(),
  );
  const left = (Date.parse(expires ?? '') - Date.now()) / 1000;
  assert.ok(left > 7100 && left <= 7201, `expires in ${left} s`);
  assert.equal(
    backendOf(await site.http(host, '/', withCookie(cookie?.pair ?? ''))),
    backendOf(await site.http(host, '/', withCookie(cookie?.pair ?? ''))),
  );
});

test('a session whose endpoint is gone goes to another, with a new cookie', async () => {
  const host = 'gone.test';
  await site.expose({ host, backends: pods, annotations: { affinity: 'cookie' } });
  const { pair, backend } = await visit(host);
  const left = pods.filter(({ name }) => name !== backend);
  await site.expose({ host, backends: left, annotations: { affinity: 'cookie' } });
  const reply = await site.http(host, '/', withCookie(pair));
  const renewed = cookieOf(reply)?.pair;
  assert.ok(renewed !== undefined && renewed !== pair);
  assert.equal(backendOf(await site.http(host, '/', withCookie(renewed))), backendOf(reply));
});

test('a cookie that nobody gave is replaced', async () => {
  const host = 'forged.test';
  await site.expose({ host, backends: pods, annotations: { affinity: 'cookie' } });
  const reply = await site.http(host, '/', withCookie('INGRESSCOOKIE=0000000000000000'));
  assert.deepEqual([reply.status, cookieOf(reply) !== undefined], [200, true]);
});

test('new endpoints take no session away', async () => {
  const host = 'grown.test';
  await site.expose({ host, backends: pods.slice(0, 3), annotations: { affinity: 'cookie' } });
  const clients = await Promise.all(Array.from({ length: 12 }, () => visit(host)));
  await site.expose({ host, backends: pods, annotations: { affinity: 'cookie' } });
  for (const { pair, backend } of clients) {
    assert.equal(backendOf(await site.http(host, '/', withCookie(pair))), backend);
  }
});

test('when a session’s endpoint fails the request goes elsewhere; only session-cookie-change-on-failure moves the session', async (t) => {
  for (const change of [false, true]) {
    const host = `failing-${change}.test`;
    const pair = await Promise.all([startBackend(t, { name: 'one' }), startBackend(t, { name: 'two' })]);
    const annotations = { affinity: 'cookie', 'session-cookie-change-on-failure': String(change) };
    await site.expose({ host, backends: pair, annotations });
    const { pair: cookie, backend } = await visit(host);
    const own = pair.find(({ name }) => name === backend)!;
    await own.close();
    const reply = await site.http(host, '/', withCookie(cookie));
    assert.equal(reply.status, 200);
    assert.notEqual(backendOf(reply), backend);
    const renewed = cookieOf(reply)?.pair;
    if (!change) assert.equal(renewed, undefined);
    else {
      assert.ok(renewed !== undefined && renewed !== cookie);
      // The endpoint is back: the session stays where it moved to.
      await startBackend(t, { name: backend, address: own.address, port: own.port });
      assert.notEqual(backendOf(await site.http(host, '/', withCookie(renewed))), backend);
    }
  }
});

test('a client with a session at the canary or at the main backend stays there, unless affinity-canary-behavior is legacy', async (t) => {
  const canary = await startBackend(t, { name: 'canary' });
  for (const behavior of ['sticky', 'legacy']) {
    const host = `canary-${behavior}.test`;
    const rules = { canary: 'true', 'affinity-canary-behavior': behavior };
    const release = (weight: string) =>
      site.expose({
        host,
        name: `canary-${behavior}-next`,
        backends: [canary],
        annotations: { ...rules, 'canary-weight': weight },
      });
    await site.expose({ host, backends: pods, annotations: { affinity: 'cookie' } });
    await release('0');
    const main = await visit(host);
    await release('100');
    const there = await visit(host);
    assert.equal(there.backend, 'canary');
    const expected = behavior === 'sticky' ? main.backend : 'canary';
    assert.equal(backendOf(await site.http(host, '/', withCookie(main.pair))), expected);
    await release('0');
    assert.equal(backendOf(await site.http(host, '/', withCookie(there.pair))) === 'canary', behavior === 'sticky');
  }
});
