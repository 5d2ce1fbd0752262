import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Finding } from '../../src/diagnostics/finding.ts';
import { answerSchema, type ApiDocument, deviations, schemaErrors } from '../support/api-document.ts';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import type { KeyPair } from '../support/certificates.ts';
import { type Reply, request } from '../support/clients/http-client.ts';
import { backendService, ingress, tlsSecret } from '../support/manifests.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let backends: readonly Backend[];
let pair: KeyPair;
let api: ApiDocument;

/** A Service that isn't there (error) and a misspelt annotation (warning). */
const WRONG = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: wrong
  namespace: default
  annotations:
    nginx.ingress.kubernetes.io/canery: "true"
spec:
  rules:
    - host: wrong.example
      http:
        paths:
          - {path: /, pathType: Prefix, backend: {service: {name: gone, port: {number: 80}}}}
`;

before(async () => {
  site = await Site.open(scope);
  [backends, pair] = await Promise.all([
    Promise.all(['one', 'two', 'three'].map((name) => startBackend(scope, { name }))),
    site.authority.issue(['shop.example', '*.shop.example']),
  ]);
  site.folder.write('wrong.yaml', WRONG);
  site.folder.write('blog.yaml', [
    ingress({ name: 'blog', namespace: 'blog', host: 'blog.example', paths: [{ service: 'blog' }] }),
    ...backendService({ name: 'blog', namespace: 'blog', endpoints: backends.slice(2) }),
  ]);
  await site.apply('shop.yaml', [
    ingress({
      name: 'shop',
      host: 'shop.example',
      paths: [{ service: 'shop' }, { path: '/cart', service: 'shop' }],
      tls: [{ hosts: ['shop.example'], secretName: 'shop-tls' }],
    }),
    tlsSecret({ name: 'shop-tls', ...pair }),
    ...backendService({ name: 'shop', endpoints: backends.slice(0, 2) }),
  ]);
  api = await site.weir.admin<ApiDocument>('/api/v1/openapi.json');
});

const ask = (path: string): Promise<Reply> => request({ port: site.weir.adminPort, path });

/** The answer, which is as the document says. */
async function answer<T>(path: string, status = 200): Promise<T> {
  const reply = await ask(path);
  assert.equal(reply.status, status, reply.body);
  assert.deepEqual(deviations(api, path.split('?')[0] ?? path, reply), []);
  return reply.json<T>();
}

interface Page<Item> {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly items: readonly Item[];
}

interface Origin {
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly field: string;
  readonly file?: string;
}

interface Host {
  readonly hostname: string;
  readonly certificates: readonly string[];
  readonly routes: readonly { readonly match: { readonly path?: unknown }; readonly origin: Origin }[];
}

test('the OpenAPI document has every endpoint, and every endpoint answers as it says', async () => {
  assert.match(api.openapi, /^3\.1\./);
  const explain = '/api/v1/explain?url=http://shop.example/cart';
  const queries: Readonly<Record<string, string>> = { '/api/v1/explain': explain };
  const paths = Object.keys(api.paths).sort();
  const lists = ['backends', 'certificates', 'diagnostics', 'events', 'explain', 'routes', 'status'];
  const all = [...lists, 'drain'].map((name) => `/api/v1/${name}`);
  assert.deepEqual(paths, [...all, '/healthz', '/metrics', '/readyz'].sort());
  for (const path of paths) {
    const operations = Object.values<{ readonly summary?: string } | undefined>(api.paths[path] ?? {});
    assert.ok(operations.length > 0 && operations.every((operation) => operation?.summary !== undefined), path);
    // Asking for it changes something: see commands-drain.test.ts.
    if (path === '/api/v1/drain') continue;
    if (path === '/api/v1/events') continue;
    const reply = await ask(queries[path] ?? path);
    assert.equal(reply.status, 200, path);
    assert.deepEqual(deviations(api, path, reply), [], path);
  }
  const schema = answerSchema(api, '/api/v1/status', 200, 'application/json');
  const status = (await ask('/api/v1/status')).json();
  for (const other of [{}, { ...status, more: 1 }, { ...status, generation: 'x' }]) {
    assert.notDeepEqual(schemaErrors(schema, other), [], JSON.stringify(other));
  }
});

test('/api/v1/status: what is wanted, what is in force, why nginx was reloaded, and how each driver is', async () => {
  const { generation, appliedGeneration, reloads, ...status } = await answer<{
    generation: number;
    appliedGeneration: number;
    reloads: number;
    lastReloadReasons: { reason: string; driver: string; at: string; detail: string }[];
    drivers: { name: string; state: string; healthy: boolean; appliedGeneration: number }[];
    quarantined: Finding[];
    model: object;
  }>('/api/v1/status');
  assert.ok(generation > 0);
  assert.equal(appliedGeneration, generation);
  assert.equal(reloads, status.lastReloadReasons.length);
  const first = status.lastReloadReasons.at(-1);
  assert.deepEqual([first?.reason, first?.driver], ['start', 'nginx']);
  assert.ok(Date.parse(first?.at ?? '') <= Date.now());
  assert.notEqual(first?.detail, '');
  assert.deepEqual(
    status.drivers.map((driver) => [driver.name, driver.state, driver.healthy, driver.appliedGeneration]),
    [['nginx', 'idle', true, generation]],
  );
  assert.deepEqual(status.quarantined, []);
  assert.deepEqual(status.model, { origin: 'source', hosts: 3, routes: 4, backends: 2, certificates: 1 });
  assert.equal((await answer<{ settled: boolean }>('/api/v1/status?wait=19.98765')).settled, true);
});

test('/api/v1/routes: each host with its routes in the order in which they are asked, and where they come from', async () => {
  const { items } = await answer<Page<Host>>('/api/v1/routes');
  assert.deepEqual(
    items.map(({ hostname }) => hostname),
    ['blog.example', 'shop.example', 'wrong.example'],
  );
  const [shop] = (await answer<Page<Host>>('/api/v1/routes?host=Shop.example')).items;
  assert.deepEqual(shop?.certificates, ['default/shop-tls']);
  const file = join(site.folder.path, 'shop.yaml');
  const object = { kind: 'Ingress', namespace: 'default', name: 'shop' };
  assert.deepEqual(
    shop?.routes.map(({ match, origin: { object: of, field, file: at } }) => [match.path, of, field, at]),
    [
      [{ kind: 'prefix', value: '/cart' }, object, 'spec.rules[0].http.paths[1]', file],
      [{ kind: 'prefix', value: '/' }, object, 'spec.rules[0].http.paths[0]', file],
    ],
  );
  const { total, items: blogs } = await answer<Page<Host>>('/api/v1/routes?namespace=blog');
  assert.deepEqual([total, blogs[0]?.hostname], [1, 'blog.example']);
});

test('/api/v1/backends: each backend with the endpoints that get its requests', async () => {
  type Item = { id: string; endpoints: { address: string; port: number }[]; origin: Origin };
  const { items } = await answer<Page<Item>>('/api/v1/backends');
  const addresses = (group: readonly { address: string; port: number }[]) =>
    group.map(({ address, port }) => `${address}:${port}`).sort();
  assert.deepEqual(
    items.map(({ id, endpoints }) => [id, addresses(endpoints)]),
    [
      ['blog/blog:80', addresses(backends.slice(2))],
      ['default/shop:80', addresses(backends.slice(0, 2))],
    ],
  );
  assert.equal(items[1]?.origin.object.kind, 'Service');
  assert.equal((await answer<Page<Item>>('/api/v1/backends?namespace=blog')).total, 1);
});

test('/api/v1/certificates: names, dates and fingerprint, and nothing of the key', async () => {
  type Item = { id: string; names: string[]; notAfter: string; fingerprint: string; keyType: string };
  const reply = await ask('/api/v1/certificates');
  const { items } = await answer<Page<Item>>('/api/v1/certificates');
  const leaf = new X509Certificate(pair.certificate);
  const [certificate] = items;
  assert.deepEqual(
    [certificate?.id, certificate?.names, certificate?.keyType],
    ['default/shop-tls', ['shop.example', '*.shop.example'], 'ec'],
  );
  assert.equal(certificate?.fingerprint, leaf.fingerprint256.replaceAll(':', '').toLowerCase());
  assert.equal(Date.parse(certificate?.notAfter ?? ''), Date.parse(leaf.validTo));
  assert.equal(reply.json<Page<Item>>().total, 1);
  const lines = pair.key.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
  for (const path of ['certificates', 'routes', 'backends', 'diagnostics', 'status'].map((name) => `/api/v1/${name}`)) {
    const { body } = await ask(path);
    assert.ok(!lines.some((line) => body.includes(line)) && !body.includes('PRIVATE KEY'), path);
  }
});

test('/api/v1/diagnostics: what, where, what to do, and since when; narrowed by severity, code and object', async () => {
  const { items, total } = await answer<Page<Finding>>('/api/v1/diagnostics');
  const file = join(site.folder.path, 'wrong.yaml');
  const object = { kind: 'Ingress', namespace: 'default', name: 'wrong' };
  const place = (part: string) => {
    const lines = WRONG.slice(0, WRONG.indexOf(part)).split('\n');
    return { file, line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
  };
  assert.deepEqual(
    items
      .map(({ message: _message, fix: _fix, seen: _seen, ...rest }) => rest)
      .sort((a, b) => a.code.localeCompare(b.code)),
    [
      {
        code: 'WEIR0103',
        severity: 'error',
        object,
        field: 'spec.rules[0].http.paths[0].backend.service.name',
        ...place('gone'),
      },
      {
        code: 'WEIR0200',
        severity: 'warning',
        object,
        field: 'metadata.annotations["nginx.ingress.kubernetes.io/canery"]',
        ...place('"true"'),
      },
    ],
  );
  assert.equal(total, 2);
  for (const { message, fix, seen = '' } of items) {
    assert.ok(message !== '' && fix !== '');
    assert.ok(Date.parse(seen) <= Date.now() && Date.parse(seen) > Date.now() - 600_000, seen);
  }
  const count = async (query: string) => (await answer<Page<Finding>>(`/api/v1/diagnostics?${query}`)).total;
  assert.deepEqual(
    [
      await count('severity=error'),
      await count('code=WEIR0200'),
      await count('kind=Ingress&namespace=default&name=wrong'),
      await count('name=shop'),
    ],
    [1, 1, 2, 0],
  );
  assert.equal((await ask('/api/v1/diagnostics?severity=bad')).status, 400);
});

test('a finding keeps the time at which it was first seen, and goes when it is mended', async () => {
  const seen = async () =>
    (await answer<Page<Finding>>('/api/v1/diagnostics?name=wrong&code=WEIR0103')).items.map((finding) => finding.seen);
  const [before] = await seen();
  await site.apply('wrong.yaml', `# A line more\n${WRONG}`);
  assert.deepEqual(await seen(), [before]);
  await site.apply('wrong.yaml', WRONG.replace('name: gone', 'name: shop'));
  assert.deepEqual(await seen(), []);
  await site.apply('wrong.yaml', WRONG);
  const [again = ''] = await seen();
  assert.ok(Date.parse(again) > Date.parse(before ?? ''));
});

test('/api/v1/explain: the winner, the losers and the endpoints, as nginx does it', async () => {
  type Explained = {
    outcome: { kind: string; backends?: { endpoints: { port: number }[] }[] };
    routes: { won: boolean; reason: string }[];
    approximate: boolean;
  };
  const url = encodeURIComponent('https://shop.example/cart/7');
  const { outcome, routes, approximate } = await answer<Explained>(
    `/api/v1/explain?url=${url}&method=POST&header=X-A:1&header=X-B:2`,
  );
  assert.deepEqual([outcome.kind, approximate], ['forward', false]);
  assert.deepEqual(
    routes.map(({ reason }) => reason),
    ['won', 'beaten'],
  );
  const ports = outcome.backends?.[0]?.endpoints.map(({ port }) => port) ?? [];
  assert.deepEqual(
    ports.sort(),
    backends
      .slice(0, 2)
      .map(({ port }) => port)
      .sort(),
  );
  const { backend } = (await site.https('shop.example', '/cart/7')).json<Echo>();
  assert.ok(['one', 'two'].includes(backend));
  for (const query of ['', 'url=ftp://shop.example/', 'url=nonsense://', `url=${url}&header=nonsense`]) {
    const { code, message } = await answer<{ code: string; message: string }>(`/api/v1/explain?${query}`, 400);
    assert.ok(code !== '' && message !== '', query);
  }
});

test('lists come in pages: limit and offset, with the number of all', async () => {
  const all = await answer<Page<Host>>('/api/v1/routes?limit=10000');
  assert.deepEqual([all.total, all.offset, all.limit, all.items.length], [3, 0, 10_000, 3]);
  const pages: string[] = [];
  for (const offset of [0, 1, 2, 3]) {
    const page = await answer<Page<Host>>(`/api/v1/routes?limit=1&offset=${offset}`);
    assert.deepEqual([page.total, page.offset, page.limit], [3, offset, 1]);
    pages.push(...page.items.map(({ hostname }) => hostname));
  }
  assert.deepEqual(
    pages,
    all.items.map(({ hostname }) => hostname),
  );
  assert.equal((await answer<Page<Host>>('/api/v1/routes')).limit, 100);
  for (const list of ['routes', 'backends', 'certificates', 'diagnostics']) {
    for (const query of ['limit=0', 'limit=10001', 'limit=x', 'offset=-1']) {
      const { code } = await answer<{ code: string }>(`/api/v1/${list}?${query}`, 400);
      assert.equal(code, 'FST_ERR_VALIDATION', `${list} ${query}`);
    }
  }
});

test('a path that is not there is answered with 404, as JSON that says where to look', async () => {
  for (const path of ['/', '/api', '/api/v1/nothing', '/api/v2/status', '/healthz/x']) {
    const reply = await ask(path);
    assert.equal(reply.status, 404, path);
    assert.match(reply.headers['content-type'] ?? '', /^application\/json/);
    const { code, message } = reply.json<{ code: string; message: string }>();
    assert.equal(code, 'not-found');
    assert.match(message, /openapi\.json/);
  }
});
