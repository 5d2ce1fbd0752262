import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { type Dataplane, endpoints, route } from '../support/dataplane.ts';
import type { RouteRecord } from '../../src/drivers/nginx/wire.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

const HOST = 'regex.example';
/** Takes time that doubles with each `a` for a text that ends otherwise. */
const ENDLESS = '(a+)+$';
const BAIT = `${'a'.repeat(3000)}!`;

await forEachNginx((nginx) => {
  const scope = suiteScope();
  let dataplane: Dataplane;

  before(async () => {
    dataplane = await nginx.dataplane(scope, { workers: 1 });
    for (const name of ['chosen', 'rest', 'canary']) {
      await dataplane.put({ [`b:${name}`]: endpoints([(await startBackend(scope, { name })).port]) });
    }
  });

  const serve = (more: Partial<RouteRecord>) =>
    dataplane.put({ [`h:default/${HOST}`]: { routes: [route('chosen', more), route('rest')] } });

  const winner = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
    const reply = await request({ port: dataplane.httpPort, host: HOST, path, headers, timeoutMs: 30_000 });
    return reply.status === 200 ? reply.json<Echo>().backend : String(reply.status);
  };

  const canary = (value: string): Partial<RouteRecord> => ({
    canaries: [
      {
        backend: 'canary',
        header: 'x-canary',
        headerMatch: { kind: 'regex', value },
        weight: 0,
        total: 100,
        origin: 'x',
      },
    ],
  });

  test('an expression that would not end ends as no match, wherever it stands, and its worker answers on', async () => {
    const { pid } = await dataplane.control.state();
    await serve({ path: { kind: 'regex', value: `/${ENDLESS}` } });
    assert.equal(await winner(`/${BAIT}`), 'rest');
    assert.equal(await winner('/aaa'), 'chosen');
    await serve({ path: { kind: 'regex', value: `/${ENDLESS}`, ignoreCase: true } });
    assert.equal(await winner(`/${BAIT.toUpperCase()}`), 'rest');
    await serve({ headers: [{ name: 'x-bait', kind: 'regex', value: `^${ENDLESS}` }] });
    assert.equal(await winner('/', { 'x-bait': BAIT }), 'rest');
    assert.equal(await winner('/', { 'x-bait': 'aaa' }), 'chosen');
    await serve({ query: [{ name: 'bait', kind: 'regex', value: `^${ENDLESS}` }] });
    assert.equal(await winner(`/?bait=${BAIT}`), 'rest');
    assert.equal(await winner('/?bait=aaa'), 'chosen');
    await serve(canary(`^${ENDLESS}`));
    assert.equal(await winner('/', { 'x-canary': BAIT }), 'chosen');
    assert.equal(await winner('/', { 'x-canary': 'aaa' }), 'canary');
    const state = await dataplane.control.state();
    assert.deepEqual([state.pid, state.bad], [pid, []]);
  });

  test('captures of a rewrite are those of the expression, and one that does not end rewrites nothing', async () => {
    await serve({
      path: { kind: 'regex', value: '/x(/|$)((?:a+)+$|b.*)' },
      rewrite: { kind: 'captures', value: '/new/$2' },
    });
    const url = async (path: string) =>
      (await request({ port: dataplane.httpPort, host: HOST, path, timeoutMs: 30_000 })).json<Echo>();
    assert.equal((await url('/x/b/c')).url, '/new/b/c');
    assert.equal((await url('/x/aaa')).url, '/new/aaa');
    const endless = await url(`/x/${BAIT}`);
    assert.deepEqual([endless.backend, endless.url], ['rest', `/x/${BAIT}`]);
  });

  test('an expression that does not compile closes its host alone and is told, in the words of the engine', async () => {
    for (const [value, told] of [
      ['/(', /missing (?:closing parenthesis|\))/u],
      ['/[z-a]', /range out of order/u],
      ['/(?<n>a)(?<n>b)', /two named subpatterns have the same name/u],
    ] as const) {
      await dataplane.put({
        'h:default/broken.example': { routes: [route('rest', { path: { kind: 'regex', value } })] },
      });
      const reply = await request({ port: dataplane.httpPort, host: 'broken.example', path: '/' });
      assert.equal(reply.status, 503, value);
      const { bad } = await dataplane.control.state();
      assert.match(bad.find(({ key }) => key === 'h:default/broken.example')?.error ?? '', told, value);
    }
    await serve({});
    assert.equal(await winner('/'), 'chosen');
  });

  test('the engines agree on what people write', async () => {
    for (const [value, matches, not] of [
      ['/(?i)docs', '/DOCS', '/dox'],
      ['/v[0-9]+(?:\\.[0-9]+)*/', '/v1.2.3/x', '/vx/'],
      ['/(?!private)[a-z]+$', '/public', '/private'],
      ['/(?<lang>de|fr)/', '/de/x', '/en/x'],
      ['/\\w+/\\d{2,3}$', '/abc/123', '/abc/1'],
      ['/(?>a+)b', '/aab', '/aac'],
      ['/a++b', '/aab', '/aac'],
      ['/[[:alpha:]]+$', '/abc', '/ab1'],
      ['/\\Qa.b\\E', '/a.b', '/axb'],
      ['/é+$', '/%C3%A9', '/e'],
    ] as const) {
      await serve({ path: { kind: 'regex', value } });
      assert.deepEqual([await winner(matches), await winner(not)], ['chosen', 'rest'], value);
    }
  });

  test('an expression reads bytes, so that a path that is no UTF-8 is matched too', async () => {
    await serve({ path: { kind: 'regex', value: '/b..$' } });
    assert.equal(await winner('/b%ff%fe'), 'chosen');
    assert.equal(await winner('/b%C3%A9'), 'chosen');
  });
});
