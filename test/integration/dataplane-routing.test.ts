import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { startBackend, type Echo } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import { suiteScope } from '../support/suite-scope.ts';
import type { RouteRecord } from '../../src/drivers/nginx/wire.ts';

describe('the router inside nginx', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;

  before(async () => {
    dataplane = await Dataplane.start(scope);
    const backend = await startBackend(scope, { name: 'one' });
    await dataplane.put({ 'b:one': endpoints([backend.port]) });
  });

  const ask = (host: string, path = '/', headers: Record<string, string | readonly string[]> = {}, method = 'GET') =>
    request({ port: dataplane.httpPort, host, path, headers, method });

  /** Which of these routes takes the request: each sets a response header with its name. */
  const named = (name: string, more: Partial<RouteRecord>): RouteRecord =>
    route('one', { responseHeaders: { set: [['X-Route', name]] }, ...more });
  const winner = async (...question: Parameters<typeof ask>) => {
    const reply = await ask(...question);
    return reply.status === 200 ? reply.headers['x-route'] : String(reply.status);
  };

  it('sends a request to the backend of its host and path', async () => {
    await dataplane.put({ 'h:default/one.example': { routes: [route('one')] } });
    const reply = await ask('one.example', '/a/b?c=d');
    assert.equal(reply.status, 200);
    assert.equal(reply.json<Echo>().url, '/a/b?c=d');
    assert.equal(reply.json<Echo>().host, 'one.example');
  });

  it('answers 404 for a host that nobody knows and a path without a route', async () => {
    await dataplane.put({
      'h:default/paths.example': { routes: [named('a', { path: { kind: 'exact', value: '/a' } })] },
    });
    assert.equal((await ask('nobody.example')).status, 404);
    assert.equal((await ask('paths.example', '/b')).status, 404);
    assert.equal((await ask('paths.example', '/a')).status, 200);
  });

  it('prefers the exact host, then the one-label wildcard, then longer wildcards, then the catch-all', async () => {
    const hosts = ['a.b.names.test', '*.b.names.test', '**.b.names.test', '**.names.test', '*'];
    for (const host of hosts.toReversed()) {
      await dataplane.put({ [`h:default/${host}`]: { routes: [named(host, {})] } });
      assert.equal(await winner('a.b.names.test'), host);
    }
    assert.equal(await winner('A.B.Names.Test.:8080'), 'a.b.names.test');
    assert.equal(await winner('x.b.names.test'), '*.b.names.test');
    assert.equal(await winner('y.x.b.names.test'), '**.b.names.test');
    assert.equal(await winner('b.names.test'), '**.names.test');
    assert.equal(await winner('names.test'), '*');
    for (const host of hosts) {
      await dataplane.put({ [`h:default/${host}`]: undefined });
      assert.notEqual(await winner('a.b.names.test'), host);
    }
    assert.equal(await winner('a.b.names.test'), '404');
  });

  it('matches prefixes by path element and text prefixes by character', async () => {
    await dataplane.put({
      'h:default/prefix.example': {
        routes: [
          named('foo/bar', { path: { kind: 'prefix', value: '/foo/bar/' } }),
          named('foo', { path: { kind: 'prefix', value: '/foo' } }),
          named('text', { path: { kind: 'text-prefix', value: '/tex' } }),
        ],
      },
    });
    assert.equal(await winner('prefix.example', '/foo'), 'foo');
    assert.equal(await winner('prefix.example', '/foo/'), 'foo');
    assert.equal(await winner('prefix.example', '/foo/barn'), 'foo');
    assert.equal(await winner('prefix.example', '/foo/bar'), 'foo/bar');
    assert.equal(await winner('prefix.example', '/foo/bar/'), 'foo/bar');
    assert.equal(await winner('prefix.example', '/foo/bar/baz'), 'foo/bar');
    assert.equal(await winner('prefix.example', '/foobar'), '404');
    assert.equal(await winner('prefix.example', '/text'), 'text');
    assert.equal(await winner('prefix.example', '/te'), '404');
    assert.equal(await winner('prefix.example', '//foo/./x/../bar'), 'foo/bar');
  });

  it('takes the first route of the list that matches, whatever the kinds of path', async () => {
    await dataplane.put({
      'h:default/order.example': {
        routes: [
          named('exact', { path: { kind: 'exact', value: '/a/b' } }),
          named('regex', { path: { kind: 'regex', value: '/a/[0-9]+' } }),
          named('long', { path: { kind: 'prefix', value: '/a' } }),
          named('late regex', { path: { kind: 'regex', value: '/a/x' } }),
          named('late exact', { path: { kind: 'exact', value: '/a/y' } }),
          named('root', {}),
          named('longer behind shorter', { path: { kind: 'prefix', value: '/z/z' } }),
        ],
      },
    });
    assert.equal(await winner('order.example', '/a/b'), 'exact');
    assert.equal(await winner('order.example', '/a/12'), 'regex');
    assert.equal(await winner('order.example', '/a/x'), 'long');
    assert.equal(await winner('order.example', '/a/y'), 'long');
    assert.equal(await winner('order.example', '/z/z'), 'root');
  });

  it('anchors regexes at the beginning, may ignore case, and reads alternatives as one pattern', async () => {
    await dataplane.put({
      'h:default/regex.example': {
        routes: [
          named('any case', { path: { kind: 'regex', value: '/Docs', ignoreCase: true } }),
          named('alternatives', { path: { kind: 'regex', value: '/one|/two' } }),
        ],
      },
    });
    assert.equal(await winner('regex.example', '/docs/x'), 'any case');
    assert.equal(await winner('regex.example', '/two'), 'alternatives');
    assert.equal(await winner('regex.example', '/x/two'), '404');
  });

  it('ends a pattern that would run for ever, as no match', async () => {
    await dataplane.put({
      'h:default/redos.example': {
        routes: [named('evil', { path: { kind: 'regex', value: '/(a+)+$' } }), named('rest', {})],
      },
    });
    const start = process.hrtime.bigint();
    assert.equal(await winner('redos.example', `/${'a'.repeat(200)}!`), 'rest');
    assert.ok(process.hrtime.bigint() - start < 5_000_000_000n);
  });

  it('asks for method, headers and query, with all their values', async () => {
    await dataplane.put({
      'h:default/conditions.example': {
        routes: [
          named('post', { method: 'POST' }),
          named('header', { headers: [{ name: 'X-Version', kind: 'exact', value: 'two' }] }),
          named('joined', { headers: [{ name: 'x-list', kind: 'exact', value: 'a, b' }] }),
          named('regex', { headers: [{ name: 'x-name', kind: 'regex', value: '^je.n$' }] }),
          named('present', { headers: [{ name: 'x-here', kind: 'present' }] }),
          named('query', { query: [{ name: 'q', kind: 'exact', value: 'a b' }] }),
          named('both', {
            query: [
              { name: 'x', kind: 'present' },
              { name: 'Y', kind: 'exact', value: '1' },
            ],
          }),
        ],
      },
    });
    assert.equal(await winner('conditions.example', '/', {}, 'POST'), 'post');
    assert.equal(await winner('conditions.example', '/', { 'x-version': 'two' }), 'header');
    assert.equal(await winner('conditions.example', '/', { 'x-version': 'three' }), '404');
    assert.equal(await winner('conditions.example', '/', { 'X-List': ['a', 'b'] }), 'joined');
    assert.equal(await winner('conditions.example', '/', { 'x-name': 'jean' }), 'regex');
    assert.equal(await winner('conditions.example', '/', { 'X-Here': '' }), 'present');
    assert.equal(await winner('conditions.example', '/?q=a+b'), 'query');
    assert.equal(await winner('conditions.example', '/?%71=a%20b&q=z'), 'query');
    assert.equal(await winner('conditions.example', '/?q=z&q=a+b'), '404');
    assert.equal(await winner('conditions.example', '/?x&Y=1'), 'both');
    assert.equal(await winner('conditions.example', '/?x&y=1'), '404');
  });

  it('reads a header behind a hundred others', async () => {
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`X-Filler-${index}`, 'x']));
    assert.equal(await winner('conditions.example', '/', { ...many, 'X-Version': 'two' }), 'header');
    const query = Array.from({ length: 130 }, (_, index) => `f${index}=x`).join('&');
    assert.equal(await winner('conditions.example', `/?${query}&q=a+b`), 'query');
  });

  it('answers 503 for a host whose record is broken, reports it, and serves it when it is mended', async () => {
    await dataplane.put({
      'h:default/broken.example': { routes: [named('x', { path: { kind: 'regex', value: '/(' } })] },
      'h:default/garbage.example': '{"routes": [',
    });
    assert.equal(await winner('broken.example'), '503');
    assert.equal(await winner('garbage.example'), '503');
    assert.equal(await winner('order.example', '/a/b'), 'exact');
    const { bad } = await dataplane.control.state();
    assert.deepEqual(bad.map(({ key }) => key).sort(), ['h:default/broken.example', 'h:default/garbage.example']);
    assert.match(bad.find(({ key }) => key.includes('broken'))?.error ?? '', /does not compile/);
    await dataplane.put({
      'h:default/broken.example': { routes: [named('mended', {})] },
      'h:default/garbage.example': undefined,
    });
    assert.equal(await winner('broken.example'), 'mended');
    assert.deepEqual((await dataplane.control.state()).bad, []);
  });

  it('takes the host of a whole URL in the request line over the Host header, and tells the backend the same', async () => {
    await dataplane.put({ 'h:default/target.example': { routes: [route('one')] } });
    const reply = await ask('nobody.example', 'http://target.example/p?q');
    assert.equal(reply.status, 200);
    assert.equal(reply.json<Echo>().host, 'target.example');
    assert.equal(reply.json<Echo>().headers['x-forwarded-host'], 'target.example');
    assert.equal(reply.json<Echo>().url, '/p?q');
  });
});
