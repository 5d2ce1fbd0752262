import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { RouteRecord } from '../../src/drivers/nginx/wire.ts';
import { startBackend, type Echo } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import { suiteScope } from '../support/suite-scope.ts';

const HOST = 'filter.example';

describe('filters inside nginx', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;

  before(async () => {
    dataplane = await Dataplane.start(scope, { workers: 1 });
    const backend = await startBackend(scope, {
      name: 'one',
      respond: (incoming, response, body) => {
        response.setHeader('X-From-Backend', 'yes');
        response.setHeader('Server', 'secret/1.0');
        response.end(
          JSON.stringify({ url: incoming.url, host: incoming.headers.host, headers: incoming.headers, body }),
        );
      },
    });
    await dataplane.put({ 'b:one': endpoints([backend.port]) });
  });

  const serve = (...routes: readonly Partial<RouteRecord>[]) =>
    dataplane.put({ [`h:default/${HOST}`]: { routes: routes.map((more) => route('one', more)) } });
  const ask = (path = '/', more: Partial<Parameters<typeof request>[0]> = {}) =>
    request({ port: dataplane.httpPort, host: HOST, path, ...more });
  const urlOf = async (path: string) => (await ask(path)).json<Echo>().url;
  const locationOf = async (path: string, more: Parameters<typeof ask>[1] = {}) => {
    const reply = await ask(path, more);
    return `${reply.status} ${reply.headers.location ?? ''}`;
  };

  it('send plain requests to https and leave https ones alone', async () => {
    await serve({ httpsRedirect: { status: 308 } });
    assert.equal(await locationOf('/a%2Fb?c=d'), `308 https://${HOST}/a%2Fb?c=d`);
    assert.equal((await ask('/', { port: dataplane.httpsPort, tls: { servername: HOST } })).status, 200);
    await serve({ httpsRedirect: { status: 301, port: 8443 } });
    assert.equal(await locationOf('/'), `301 https://${HOST}:8443/`);
    assert.equal(
      await locationOf('/', { host: `${HOST}:${dataplane.httpPort}`, method: 'POST', body: 'x' }),
      `301 https://${HOST}:8443/`,
    );
  });

  it('redirect to another scheme, host, port and path', async () => {
    await serve({
      redirect: { status: 302, scheme: 'https', host: 'other.example', path: { kind: 'full', value: '/new' } },
    });
    assert.equal(await locationOf('/old?x=1'), '302 https://other.example/new?x=1');
    await serve({
      path: { kind: 'prefix', value: '/old' },
      redirect: { status: 301, port: 8080, path: { kind: 'prefix', value: '/new/' } },
    });
    assert.equal(await locationOf('/old/a%20b/%C3%A4?x'), `301 http://${HOST}:8080/new/a%20b/%C3%A4?x`);
    assert.equal(await locationOf('/old'), `301 http://${HOST}:8080/new`);
    await serve({ redirect: { status: 303, host: 'other.example' } });
    assert.equal(await locationOf('/p'), `303 http://other.example:${dataplane.httpPort}/p`);
  });

  it('redirect to a URL with captures, which can not break the header', async () => {
    await serve({
      path: { kind: 'regex', value: '(?s)/go/(?<where>.*)' },
      redirect: { status: 307, url: 'https://to.example/${where}?from=$1' },
    });
    assert.equal(
      await locationOf('/go/a%0d%0aX-Evil:%201'),
      '307 https://to.example/a%0D%0AX-Evil:%201?from=a%0D%0AX-Evil:%201',
    );
    await serve({
      httpsRedirect: { status: 308 },
      redirect: { status: 301, url: 'https://to.example/', keepQuery: true },
    });
    assert.equal(await locationOf('/?q=%26&r'), '301 https://to.example/?q=%26&r');
    await serve({ redirect: { status: 301, url: 'https://plain.example/$uri/$host' } });
    assert.equal(await locationOf('/x?y'), '301 https://plain.example/$uri/$host');
  });

  it('redirect only the path that was asked for', async () => {
    await serve({ redirect: { status: 302, onlyPath: '/', path: { kind: 'full', value: '/app' } } });
    assert.equal(await locationOf('/?x=1', { host: `${HOST}:1234` }), `302 http://${HOST}:1234/app`);
    assert.equal(await urlOf('/other'), '/other');
  });

  it('leave the path as it was sent where nothing is rewritten', async () => {
    await serve({});
    assert.equal(await urlOf('/a%2Fb/%20c/../d?e=%2f'), '/a%2Fb/%20c/../d?e=%2f');
  });

  it('rewrite the whole path, a prefix, or by captures', async () => {
    await serve({ rewrite: { kind: 'full', value: '/whole' } });
    assert.equal(await urlOf('/a/b?c=d'), '/whole?c=d');
    await serve({ path: { kind: 'prefix', value: '/api' }, rewrite: { kind: 'prefix', value: '/' } });
    assert.equal(await urlOf('/api'), '/');
    assert.equal(await urlOf('/api/v1/x?y=z'), '/v1/x?y=z');
    assert.equal(await urlOf('/api/a%20b/%C3%A4'), '/a%20b/%C3%A4');
    await serve({
      path: { kind: 'regex', value: '/api/(v[0-9]+)(/.*)?' },
      rewrite: { kind: 'captures', value: '/$1/x$2' },
    });
    assert.equal(await urlOf('/api/v2/items/1?q=2'), '/v2/x/items/1?q=2');
    assert.equal(await urlOf('/api/v2'), '/v2/x');
  });

  it("put the query of a template before the request's own", async () => {
    await serve({
      path: { kind: 'regex', value: '/user/([^/]*)' },
      rewrite: { kind: 'captures', value: '/lookup?name=$1' },
    });
    assert.equal(await urlOf('/user/a%26b?x=1'), '/lookup?name=a%26b&x=1');
    await serve({ path: { kind: 'regex', value: '/user/(.*)' }, rewrite: { kind: 'captures', value: '$1' } });
    assert.equal(await urlOf('/user/plain'), '/plain');
    assert.equal(await urlOf('/user/'), '/');
  });

  it('change request headers', async () => {
    await serve({
      requestHeaders: {
        set: [
          ['X-Set', 'new'],
          ['Host', 'inner.example'],
        ],
        add: [['X-Add', 'two']],
        remove: ['X-Remove'],
      },
      forwardedPrefix: '/prefix',
    });
    const { headers, host } = (
      await ask('/', { headers: { 'X-Set': 'old', 'X-Add': 'one', 'X-Remove': '1' } })
    ).json<Echo>();
    assert.equal(headers['x-set'], 'new');
    assert.equal(headers['x-add'], 'one, two');
    assert.equal(headers['x-remove'], undefined);
    assert.equal(headers['x-forwarded-prefix'], '/prefix');
    assert.equal(host, 'inner.example');
    assert.equal(headers['x-forwarded-host'], HOST);
  });

  it('set the Host header of the backend', async () => {
    await serve({ host: 'upstream.example' });
    assert.equal((await ask()).json<Echo>().host, 'upstream.example');
    await serve({});
    assert.equal((await ask('/', { host: `${HOST}:8080` })).json<Echo>().host, `${HOST}:8080`);
  });

  it('change response headers', async () => {
    await serve({
      responseHeaders: {
        set: [
          ['X_Under', '1'],
          ['X-From-Backend', 'changed'],
        ],
        add: [
          ['X-Many', 'a'],
          ['X-Many', 'b'],
        ],
        remove: ['Content-Type'],
      },
    });
    const { headers } = await ask();
    assert.equal(headers['x_under'], '1');
    assert.equal(headers['x-from-backend'], 'changed');
    assert.equal(headers['x-many'], 'a, b');
    assert.notEqual(headers.server, 'secret/1.0');
    await serve({ responseHeaders: { remove: ['X-From-Backend'] } });
    assert.equal((await ask()).headers['x-from-backend'], undefined);
  });

  it('answer themselves, with a page or a text', async () => {
    await serve({ respond: { status: 503, reason: 'Service shop/web is not there.' } });
    const reply = await ask();
    assert.equal(reply.status, 503);
    assert.match(reply.body, /The service behind this address is not available\./);
    assert.ok(!reply.body.includes('shop/web'), 'the reason is not for the client');
    await serve({ respond: { status: 200, reason: 'fine' } });
    assert.equal((await ask()).body, 'fine\n');
  });

  it('leave the connection usable after an answer of their own, whatever the body', async () => {
    await serve(
      { path: { kind: 'exact', value: '/respond' }, respond: { status: 503, reason: 'no' } },
      { path: { kind: 'exact', value: '/redirect' }, redirect: { status: 302, url: 'https://x.example/' } },
      { path: { kind: 'exact', value: '/text' }, respond: { status: 200, reason: 'ok' } },
      { path: { kind: 'exact', value: '/forward' } },
    );
    const connection = await HttpConnection.open(dataplane.httpPort);
    const trap = 'GET /forward HTTP/1.1\r\nHost: filter.example\r\nX-Trap: 1\r\n\r\n';
    for (const [path, status] of [
      ['/respond', 503],
      ['/redirect', 302],
      ['/text', 200],
      ['/nowhere', 404],
      ['/forward', 200],
    ] as const) {
      const reply = await connection.request(HOST, path, {}, 'POST', trap);
      assert.equal(reply.status, status, path);
    }
    assert.equal((await connection.request(HOST, '/text')).body, 'ok\n');
    connection.close();
  });
});
