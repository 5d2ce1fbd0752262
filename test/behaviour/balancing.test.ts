import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend, startBackends } from '../support/backends/echo-backend.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let ten: readonly Backend[];

before(async () => {
  [site, ten] = await Promise.all([Site.open(scope, ['--workers', '2']), startBackends(scope, 10, 'pod')]);
});

type Asked = Parameters<Site['http']>[2];

async function goesTo(host: string, path = '/', asked: Asked = {}): Promise<string> {
  return (await site.http(host, path, asked)).json<Echo>().backend;
}

/** Requests by backend. */
async function counted(host: string, count: number, path = '/', asked: Asked = {}): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let index = 0; index < count; index += 1) {
    const name = await goesTo(host, path, asked);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const names = (backends: readonly Backend[]) => backends.map(({ name }) => name).sort();

test('round robin: 100 requests reach all of 10 endpoints, evenly in each worker', async () => {
  const host = 'turns.test';
  await site.expose({ host, backends: ten });
  const counts = await counted(host, 100);
  assert.deepEqual([...counts.keys()].sort(), names(ten));
  // Each of the two workers goes round by itself: their counts differ by one at most, so the sums by two.
  for (const [name, count] of counts) assert.ok(count >= 8 && count <= 12, `${name}: ${count}`);
});

test('endpoints that come and go are followed without a reload: a new one is asked, a gone one no more', async () => {
  const host = 'moving.test';
  await site.expose({ host, backends: ten.slice(0, 3) });
  const { reloads } = await site.status();
  await site.expose({ host, backends: ten.slice(2, 6) });
  assert.deepEqual([...(await counted(host, 40)).keys()].sort(), names(ten.slice(2, 6)));
  assert.equal((await site.status()).reloads, reloads);
});

test('least connections: new requests go past the endpoint that is busy', async (t) => {
  const host = 'busy.test';
  const release: (() => void)[] = [];
  const pods = await Promise.all(
    ['one', 'two', 'three'].map((name) =>
      startBackend(t, {
        name,
        respond: (request, response) => {
          if (request.url === '/hold') release.push(() => response.end(name));
          else response.end(name);
        },
      }),
    ),
  );
  await site.expose({ host, backends: pods, annotations: { 'load-balance': 'least_conn' } });
  // One connection of HTTP/2 is one worker, which counts its own requests.
  const client = await site.http2(host);
  t.after(() => client.close());
  const held = client.request({ host, path: '/hold' });
  while (release.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const answers: string[] = [];
  for (let index = 0; index < 30; index += 1) answers.push((await client.request({ host })).body);
  release[0]?.();
  const busy = (await held).body;
  assert.ok(!answers.includes(busy), `${busy} was asked while it was busy`);
  assert.deepEqual(
    [...new Set(answers)].sort(),
    ['one', 'three', 'two'].filter((name) => name !== busy),
  );
});

test('EWMA: the endpoint that answers quickly gets nearly all', async (t) => {
  const host = 'quick.test';
  const slow = await startBackend(t, {
    name: 'slow',
    respond: (_request, response) => void setTimeout(() => response.end(JSON.stringify({ backend: 'slow' })), 600),
  });
  const quick = ten[0]!;
  await site.expose({ host, backends: [slow, quick], annotations: { 'load-balance': 'ewma' } });
  const counts = await counted(host, 100);
  // Each worker must ask the slow one once to know it; a hiccup of the quick one may send it some more.
  assert.ok((counts.get('slow') ?? 0) <= 15, JSON.stringify([...counts]));
  await site.expose({ host, backends: [slow, quick] });
  assert.ok(((await counted(host, 8)).get('slow') ?? 0) >= 3, 'round robin does not care');
});

test('consistent hash: equal keys go to one endpoint, keys spread over all, and only those of a lost endpoint move', async () => {
  const host = 'hashed.test';
  const annotations = { 'upstream-hash-by': '$request_uri' };
  const pods = ten.slice(0, 5);
  const uris = Array.from({ length: 150 }, (_, index) => `/item/${index}?page=${index % 7}`);
  const placed = async () =>
    new Map(await Promise.all(uris.map(async (uri) => [uri, await goesTo(host, uri)] as const)));
  await site.expose({ host, backends: pods, annotations });
  const first = await placed();
  assert.deepEqual(await placed(), first, 'a key did not stay');
  assert.deepEqual([...new Set(first.values())].sort(), names(pods));
  const lost = pods[2]!;
  await site.expose({ host, backends: pods.filter((pod) => pod !== lost), annotations });
  const second = await placed();
  for (const uri of uris) {
    if (first.get(uri) === lost.name) assert.notEqual(second.get(uri), lost.name);
    else assert.equal(second.get(uri), first.get(uri), `${uri} moved without need`);
  }
  await site.expose({ host, backends: pods, annotations });
  assert.deepEqual(await placed(), first, 'the keys did not come back');
});

test('consistent hash by a header, a cookie, an argument and the client’s address', async () => {
  const keys: readonly (readonly [string, (value: string) => { path?: string; asked?: Asked }])[] = [
    ['$http_x_user', (value) => ({ asked: { headers: { 'X-User': value } } })],
    ['$cookie_session', (value) => ({ asked: { headers: { Cookie: `a=b; session=${value}` } } })],
    ['$arg_id', (value) => ({ path: `/?id=${value}` })],
    ['$remote_addr', (value) => ({ asked: { from: `127.0.1.${Number(value) + 1}` } })],
  ];
  for (const [index, [key, ask]] of keys.entries()) {
    const host = `key-${index}.test`;
    await site.expose({ host, backends: ten, annotations: { 'upstream-hash-by': key } });
    const reached = new Set<string>();
    for (let value = 0; value < 40; value += 1) {
      const { path = '/', asked = {} } = ask(String(value));
      const name = await goesTo(host, path, asked);
      // What isn't in the key changes nothing.
      const other = path === '/' ? '/else' : path;
      assert.equal(await goesTo(host, other, { ...asked, method: 'POST' }), name, `${key} of ${value}`);
      reached.add(name);
    }
    // 40 keys that reach fewer than 4 of 10 by chance: below 10⁻¹³.
    assert.ok(reached.size >= 4, `${key} reached only ${[...reached].join()}`);
  }
});

test('consistent hash with a subset: a key is spread over as many endpoints as the subset has, and no others', async () => {
  const host = 'subset.test';
  const annotations = {
    'upstream-hash-by': '$http_x_user',
    'upstream-hash-by-subset': 'true',
    'upstream-hash-by-subset-size': '3',
  };
  await site.expose({ host, backends: ten, annotations });
  // One of three is missed by 60 requests with a probability of 10⁻¹⁰.
  const alice = await counted(host, 60, '/', { headers: { 'X-User': 'alice' } });
  assert.equal(alice.size, 3);
  const all = new Set(alice.keys());
  for (let user = 0; user < 40; user += 1) all.add(await goesTo(host, '/', { headers: { 'X-User': `user-${user}` } }));
  assert.ok(all.size > 3, 'every key has the same subset');
});

test('upstream-hash-by wins over load-balance', async () => {
  const host = 'both.test';
  const annotations = { 'load-balance': 'ewma', 'upstream-hash-by': '$host' };
  await site.expose({ host, backends: ten, annotations });
  assert.equal((await counted(host, 30)).size, 1);
});

test('connections to a backend are kept alive and used again', async (t) => {
  const host = 'kept.test';
  const pod = await startBackend(t);
  await site.expose({ host, backends: [pod] });
  for (let index = 0; index < 50; index += 1) await site.http(host);
  assert.equal(pod.requests(), 50);
  assert.ok(pod.connections() <= 2, `${pod.connections()} connections by two workers`);
});

test('connection-proxy-header close ends each connection to the backend', async (t) => {
  const host = 'closed.test';
  const pod = await startBackend(t);
  await site.expose({ host, backends: [pod], annotations: { 'connection-proxy-header': 'close' } });
  for (let index = 0; index < 5; index += 1) assert.equal((await site.http(host)).status, 200);
  assert.equal(pod.connections(), 5);
});
