import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { type Dataplane, endpoints, route } from '../support/dataplane.ts';
import type { RouteRecord } from '../../src/drivers/nginx/wire.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

const HOST = 'conditions.example';
const MANY = 150;
const FILLERS = Array.from({ length: MANY }, (_, index) => [`X-Filler-${index}`, 'x'] as const);
const FILLED_QUERY = Array.from({ length: MANY }, (_, index) => `f${index}=x`).join('&');

type Headers = readonly (readonly [name: string, value: string])[];

await forEachNginx((nginx) => {
  const scope = suiteScope();
  let dataplane: Dataplane;

  before(async () => {
    dataplane = await nginx.dataplane(scope, { workers: 1 });
    const names = ['main', 'chosen', 'canary'];
    const backends = await Promise.all(names.map((name) => startBackend(scope, { name })));
    for (const [index, name] of names.entries())
      await dataplane.put({ [`b:${name}`]: endpoints([backends[index]!.port]) });
  });

  /** Brings a route `chosen` into force whose conditions are these, before one without any. */
  const serve = (more: Partial<RouteRecord>) =>
    dataplane.put({ [`h:default/${HOST}`]: { routes: [route('chosen', more), route('main')] } });

  /** Who answers by HTTP/1.1 and by HTTP/2. */
  const winners = async (path: string, headers: Headers = []): Promise<readonly string[]> => {
    const plain = await HttpConnection.open(dataplane.httpPort);
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    plain.send(`GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${lines}\r\n`);
    const first = (await plain.reply()).json<Echo>().backend;
    plain.close();
    const http2 = await Http2Client.open(dataplane.httpsPort, { host: HOST, tls: true });
    const repeated: Record<string, string[]> = {};
    for (const [name, value] of headers) (repeated[name.toLowerCase()] ??= []).push(value);
    const reply = await http2.request({ host: HOST, path, headers: repeated as unknown as Record<string, string> });
    http2.close();
    return [first, reply.json<Echo>().backend];
  };

  const BOTH_CHOSEN = ['chosen', 'chosen'];
  const BOTH_MAIN = ['main', 'main'];

  test('150 headers before or behind it hide no header from a condition', async () => {
    await serve({ headers: [{ name: 'X-Version', kind: 'exact', value: 'two' }] });
    assert.deepEqual(await winners('/', FILLERS), BOTH_MAIN);
    assert.deepEqual(await winners('/', [...FILLERS, ['X-Version', 'two']]), BOTH_CHOSEN);
    assert.deepEqual(await winners('/', [['X-Version', 'two'], ...FILLERS]), BOTH_CHOSEN);
  });

  test('a second value behind 150 headers is part of what a condition compares', async () => {
    await serve({ headers: [{ name: 'X-Version', kind: 'exact', value: 'two' }] });
    assert.deepEqual(await winners('/', [['X-Version', 'two'], ...FILLERS, ['X-Version', 'three']]), BOTH_MAIN);
    await serve({ headers: [{ name: 'X-Version', kind: 'exact', value: 'two, three' }] });
    assert.deepEqual(await winners('/', [['X-Version', 'two'], ...FILLERS, ['X-Version', 'three']]), BOTH_CHOSEN);
  });

  test('150 arguments hide no argument from a condition', async () => {
    await serve({ query: [{ name: 'version', kind: 'exact', value: 'two' }] });
    assert.deepEqual(await winners(`/?${FILLED_QUERY}`), BOTH_MAIN);
    assert.deepEqual(await winners(`/?${FILLED_QUERY}&version=two`), BOTH_CHOSEN);
    assert.deepEqual(await winners(`/?version=two&${FILLED_QUERY}`), BOTH_CHOSEN);
  });

  test('an argument of the same name in other case, or a later one, does not stand in for the first', async () => {
    await serve({ query: [{ name: 'version', kind: 'exact', value: 'two' }] });
    assert.deepEqual(await winners('/?VERSION=two'), BOTH_MAIN);
    assert.deepEqual(await winners('/?version=one&version=two'), BOTH_MAIN);
    assert.deepEqual(await winners('/?version=two&VERSION=one&version=one'), BOTH_CHOSEN);
    assert.deepEqual(await winners('/?%76ersion=tw%6F'), BOTH_CHOSEN);
  });

  test('150 headers hide no canary header, and a repeated one is read as its values joined', async () => {
    await dataplane.put({
      [`h:default/${HOST}`]: {
        routes: [
          route('main', {
            canaries: [
              {
                backend: 'canary',
                header: 'x-canary',
                headerMatch: { kind: 'regex', value: '^(?:a, b|yes)$' },
                weight: 0,
                total: 100,
                origin: 'Ingress/shop/canary',
              },
            ],
          }),
        ],
      },
    });
    const both = ['canary', 'canary'];
    assert.deepEqual(await winners('/', [...FILLERS, ['X-Canary', 'yes']]), both);
    assert.deepEqual(await winners('/', [...FILLERS, ['X-Canary', 'no']]), BOTH_MAIN);
    assert.deepEqual(await winners('/', [['X-Canary', 'a'], ...FILLERS, ['X-Canary', 'b']]), both);
    assert.deepEqual(await winners('/', [['X-Canary', 'yes'], ...FILLERS, ['X-Canary', 'no']]), BOTH_MAIN);
  });

  test('a header with an underscore is not the one with a hyphen', async () => {
    await serve({ headers: [{ name: 'X-Version', kind: 'present' }] });
    assert.deepEqual(await winners('/', [['X_Version', 'two']]), BOTH_MAIN);
  });
});
