import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let shop: Backend;
let blog: Backend;

before(async () => {
  [site, shop, blog] = await Promise.all([
    Site.open(scope),
    startBackend(scope, { name: 'shop' }),
    startBackend(scope, { name: 'blog' }),
  ]);
});

const regex = (path: string) => ({ path, pathType: 'ImplementationSpecific' });

/** What the backend got, or the status where none got anything. */
async function arrived(host: string, path: string): Promise<string | number> {
  const reply = await site.http(host, path);
  if (reply.status !== 200) return reply.status;
  const { backend, url } = reply.json<Echo>();
  return `${backend} ${url}`;
}

test('rewrite-target fills in what the groups of the path captured, and keeps the query', async () => {
  const host = 'captured.test';
  await site.expose({
    host,
    backends: [shop],
    paths: [regex('/shop(/|$)(.*)')],
    annotations: { 'rewrite-target': '/$2' },
  });
  assert.equal(await arrived(host, '/shop/cart/7?a=1&b=%2F'), 'shop /cart/7?a=1&b=%2F');
  assert.equal(await arrived(host, '/shop'), 'shop /');
  assert.equal(await arrived(host, '/shop/'), 'shop /');
  assert.equal(await arrived(host, '/other'), 404);
});

test('a path that is rewritten is sent encoded again; one that isn’t, as the client wrote it', async () => {
  const host = 'encoded.test';
  await site.expose({
    host,
    backends: [shop],
    paths: [regex('/shop/(.*)')],
    annotations: { 'rewrite-target': '/$1' },
  });
  assert.equal(await arrived(host, '/shop/a%20b%3Fc'), 'shop /a%20b%3Fc');
  await site.expose({ host, backends: [shop] });
  assert.equal(await arrived(host, '/shop//a%20b%2Fc/./d'), 'shop /shop//a%20b%2Fc/./d');
});

test('a rewrite-target without groups sends every path to that one', async () => {
  const host = 'constant.test';
  await site.expose({ host, backends: [shop], paths: ['/old'], annotations: { 'rewrite-target': '/new' } });
  assert.equal(await arrived(host, '/old/and/more?q'), 'shop /new?q');
});

test('a rewrite-target that is a URL redirects there with 302, captures filled in and the query kept', async () => {
  const host = 'elsewhere.test';
  await site.expose({
    host,
    backends: [shop],
    tls: true,
    paths: [regex('/go/(.*)')],
    annotations: { 'rewrite-target': 'https://new.test/$1' },
  });
  for (const reply of [await site.http(host, '/go/a/b?x=1&y=%26'), await site.https(host, '/go/a/b?x=1&y=%26')]) {
    assert.deepEqual([reply.status, reply.headers.location], [302, 'https://new.test/a/b?x=1&y=%26']);
  }
  assert.equal((await site.https(host, '/go/a')).headers.location, 'https://new.test/a');
});

test('a rewrite-target with a variable of nginx closes the route with 503 instead of passing paths on unchanged', async () => {
  const host = 'variable.test';
  await site.expose({ host, backends: [shop], annotations: { 'rewrite-target': '/$host' } });
  assert.equal(await arrived(host, '/'), 503);
  assert.deepEqual(
    (await site.findings('variable')).map(({ code }) => code),
    ['WEIR0205'],
  );
});

test('use-regex reads paths as regular expressions', async () => {
  const host = 'patterns.test';
  await site.expose({
    host,
    backends: [shop],
    paths: [regex('/v[0-9]+/items')],
    annotations: { 'use-regex': 'true' },
  });
  assert.equal(await arrived(host, '/v12/items'), 'shop /v12/items');
  assert.equal(await arrived(host, '/vx/items'), 404);
});

test('regular expressions ignore case, need match only the start of a path, and don’t end at an element', async () => {
  const host = 'surprise.test';
  await site.expose({
    host,
    backends: [shop],
    paths: [{ path: '/api', pathType: 'Prefix' }],
    annotations: { 'use-regex': 'true' },
  });
  assert.equal(await arrived(host, '/API/x'), 'shop /API/x');
  assert.equal(await arrived(host, '/apikey'), 'shop /apikey');
  assert.equal(await arrived(host, '/x/api'), 404);
});

test('one Ingress with use-regex or rewrite-target makes the paths of all Ingresses of its host regular expressions', async () => {
  for (const annotations of [{ 'use-regex': 'true' }, { 'rewrite-target': '/$1' }]) {
    const host = `whole-${Object.keys(annotations)[0]}.test`;
    const name = (part: string) => `${part}-${Object.keys(annotations)[0]}`;
    const exact = [{ path: '/Exact', pathType: 'Exact' }];
    await site.expose({ host, name: name('blog'), backends: [blog], paths: exact });
    assert.equal(await arrived(host, '/exactly'), 404);
    assert.equal(await arrived(host, '/Exact'), 'blog /Exact');
    await site.expose({ host, name: name('shop'), backends: [shop], paths: [regex('/shop/(.*)')], annotations });
    assert.equal(await arrived(host, '/exactly'), 'blog /exactly');
    const findings = await site.findings(name('blog'));
    assert.ok(
      findings.some(({ message }) => message.includes('regular expression')),
      JSON.stringify(findings),
    );
    site.folder.remove(`${name('shop')}.yaml`);
    await site.settled();
    assert.equal(await arrived(host, '/exactly'), 404);
  }
});

test('of regular expressions the longest is asked first, whatever the order in which they are written', async () => {
  const host = 'longest.test';
  const annotations = { 'use-regex': 'true' };
  await site.expose({ host, name: 'longest-short', backends: [shop], paths: [regex('/.*')], annotations });
  await site.expose({ host, name: 'longest-long', backends: [blog], paths: [regex('/blog/[a-z]+')], annotations });
  assert.equal(await arrived(host, '/blog/post'), 'blog /blog/post');
  assert.equal(await arrived(host, '/blog/7'), 'shop /blog/7');
});

test('x-forwarded-prefix tells the backend what rewrite-target took away', async () => {
  const host = 'prefixed.test';
  await site.expose({
    host,
    backends: [shop],
    paths: [regex('/shop/(.*)')],
    annotations: { 'rewrite-target': '/$1', 'x-forwarded-prefix': '/shop' },
  });
  const reply = await site.http(host, '/shop/x', { headers: { 'X-Forwarded-Prefix': '/lie' } });
  assert.equal(reply.json<Echo>().headers['x-forwarded-prefix'], '/shop');
});

test('a Prefix path that is read as a regular expression keeps the slash at its end', async () => {
  const host = 'slash.test';
  await site.expose({
    host,
    backends: [shop],
    paths: [{ path: '/admin/', pathType: 'Prefix' }],
    annotations: { 'use-regex': 'true' },
  });
  assert.equal(await arrived(host, '/admin/x'), 'shop /admin/x');
  assert.equal(await arrived(host, '/administrator'), 404);
});

test('a rewrite to the very path that is written there is none, whatever else the host has', async () => {
  const host = 'itself.test';
  await site.expose({ host, backends: [shop], paths: ['/', '/old'], annotations: { 'rewrite-target': '/' } });
  assert.equal(await arrived(host, '/old/x'), 'shop /');
  assert.equal(await arrived(host, '/a%2Fb//c'), 'shop /a%2Fb//c');
});
