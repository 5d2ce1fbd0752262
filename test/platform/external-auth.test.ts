import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { profileName } from '../../src/drivers/nginx/profiles/profile-name.ts';
import type { RouteRecord } from '../../src/drivers/nginx/wire.ts';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { type Dataplane, endpoints, route, TEST_PROFILES } from '../support/dataplane.ts';
import { eventually } from '../support/scope.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

const HOST = 'guarded.example';
const ORIGIN = 'Ingress/shop/web spec.rules[0].http.paths[0]';
const FILLERS = Array.from({ length: 150 }, (_, index): [string, string] => [`x-filler-${index}`, 'x']);

interface Seen {
  readonly url: string;
  readonly host: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

await forEachNginx((nginx) => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  const backends: Record<string, Backend> = {};
  let questions: Seen[] = [];
  let copies: Seen[] = [];

  before(async () => {
    const keeping = (['http', 'https'] as const).map((protocol) => {
      const kind = { protocol, readsBody: true, bodyLimit: 0 } as const;
      return { ...kind, name: profileName(kind), origins: [] };
    });
    dataplane = await nginx.dataplane(scope, {
      workers: 1,
      accessLog: true,
      profiles: [...TEST_PROFILES, ...keeping],
    });
    const tls = await (await makeAuthority()).issue(['backend.test']);
    backends['plain'] = await startBackend(scope, { name: 'plain' });
    backends['secure'] = await startBackend(scope, { name: 'secure', tls });
    backends['auth'] = await startBackend(scope, {
      respond: ({ url = '', headers }, response, body) => {
        questions.push({ url, host: headers.host ?? '', headers, body });
        const user = headers['x-user-key'];
        response.writeHead(user === 'good' ? 200 : 401, user === 'good' ? { 'X-User': 'jo' } : {}).end();
      },
    });
    backends['mirror'] = await startBackend(scope, {
      respond: ({ url = '', headers }, response, body) => {
        copies.push({ url, host: headers.host ?? '', headers, body });
        response.writeHead(500).end('of the mirror');
      },
    });
    for (const [name, { port }] of Object.entries(backends)) await dataplane.put({ [`b:${name}`]: endpoints([port]) });
  });

  beforeEach(() => {
    questions = [];
    copies = [];
  });

  const places = {
    common: ['plain', {}],
    'named, with its body kept': [
      'plain',
      { profile: profileName({ protocol: 'http', readsBody: true, bodyLimit: 0 }) },
    ],
    'named, over TLS': ['secure', { profile: profileName({ protocol: 'https', readsBody: true, bodyLimit: 0 }) }],
  } as const satisfies Record<string, readonly [string, Partial<RouteRecord>]>;

  const serve = (backend: string, more: Partial<RouteRecord>) =>
    dataplane.put({
      [`h:default/${HOST}`]: {
        routes: [
          route(backend, {
            origin: ORIGIN,
            auth: { backend: 'auth', path: '/check', responseHeaders: ['X-User'] },
            mirrors: [{ backend: 'mirror' }],
            ...more,
          }),
        ],
      },
    });

  const http2 = async (path: string, headers: Record<string, string>, body?: string) => {
    const client = await Http2Client.open(dataplane.httpsPort, { host: HOST, tls: true });
    try {
      const sent = body === undefined ? {} : { method: 'POST', body };
      return await client.request({ host: HOST, path, headers, ...sent });
    } finally {
      client.close();
    }
  };

  const lines = (path: string) =>
    eventually(`the log line of ${path}`, () => {
      const found = dataplane.accessLog.filter(({ uri }) => uri === path);
      return found.length > 0 && found;
    });

  for (const [place, [backend, more]] of Object.entries(places)) {
    test(`auth and mirrors over HTTP/2 keep the route and the origin in the log, in a place that is ${place}`, async () => {
      await serve(backend, { ...more, rewrite: { kind: 'full', value: '/rewritten' } });
      const path = `/a%2Fb?place=${place.length}`;
      const reply = await http2(path, { 'x-user-key': 'good' }, 'payload');
      const echo = reply.json<Echo>();
      assert.deepEqual([reply.status, echo.backend, echo.body], [200, backend, 'payload']);
      assert.deepEqual([echo.url, echo.headers['x-user']], [`/rewritten?place=${place.length}`, 'jo']);
      assert.deepEqual([questions.length, questions[0]?.body], [1, '']);
      await eventually('the copy', () => copies.length > 0);
      const [copy] = copies;
      assert.deepEqual([copies.length, copy?.url, copy?.body, copy?.host], [1, path, 'payload', HOST]);

      const [line, ...further] = await lines(path);
      assert.deepEqual(further, []);
      const endpoint = `127.0.0.1:${backends[backend]!.port}`;
      const { route: origin, upstream, status, protocol } = line!;
      assert.deepEqual([origin, upstream, status, protocol], [ORIGIN, endpoint, 200, 'HTTP/2.0']);
    });

    test(`what auth refuses over HTTP/2 reaches nobody and is logged with its origin, in a place that is ${place}`, async () => {
      await serve(backend, more);
      const asked = backends[backend]!.requests();
      const path = `/refused?place=${place.length}`;
      assert.equal((await http2(path, { 'x-user-key': 'bad' }, 'payload')).status, 401);
      const [line] = await lines(path);
      assert.deepEqual([line?.['route'], line?.['status'], line?.['upstream']], [ORIGIN, 401, '']);
      assert.deepEqual([backends[backend]!.requests(), copies.length], [asked, 0]);
    });
  }

  test('150 headers hide neither what auth judges by, nor what it tells the backend', async () => {
    await serve('plain', {});
    const send = async (headers: readonly (readonly [string, string])[]) => {
      const connection = await HttpConnection.open(dataplane.httpPort);
      const text = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      connection.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n${text}\r\n`);
      const reply = await connection.reply();
      connection.close();
      return reply;
    };
    assert.equal((await send(FILLERS)).status, 401);
    const reply = await send([...FILLERS, ['X-User-Key', 'good'], ['X-User', 'root']]);
    assert.equal(reply.status, 200);
    // A client's own of that name must not pass for the service's.
    assert.equal(reply.json<Echo>().headers['x-user'], 'jo');
    assert.equal(questions.at(-1)?.headers['x-filler-149'], 'x');
    const over2 = await http2('/', { ...Object.fromEntries(FILLERS), 'x-user-key': 'good', 'x-user': 'root' });
    assert.deepEqual([over2.status, over2.json<Echo>().headers['x-user']], [200, 'jo']);
  });

  test('nothing of this was an error of the program', () => {
    assert.doesNotMatch(dataplane.errorLog, /runtime error|attempt to|stack traceback/u);
  });
});
