import assert from 'node:assert/strict';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test, type TestContext } from 'node:test';
import { Value } from 'typebox/value';
import { FakeDriver } from '../../test/support/fake-driver.ts';
import { FakeSource } from '../../test/support/fake-source.ts';
import { FakeTranslator, putService } from '../../test/support/fake-translator.ts';
import { Controller } from '../controller/controller.ts';
import { Status } from '../controller/status.ts';
import { TranslatedFeed } from '../controller/translated-feed.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { Redacted } from '../lib/redacted.ts';
import { type AdminApp, buildAdminApp } from './admin-app.ts';
import { METRIC_DEFINITIONS } from './metric-definitions.ts';
import { Metrics } from './metrics.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>;
const SECRET = '-----BEGIN PRIVATE KEY----- secret';

interface Bench {
  readonly app: AdminApp;
  readonly controller: Controller;
  readonly source: FakeSource;
  readonly driver: FakeDriver;
  readonly translator: FakeTranslator;
}

async function bench(context: TestContext, options: { token?: string; synced?: boolean } = {}): Promise<Bench> {
  const source = new FakeSource();
  const translator = new FakeTranslator();
  const driver = new FakeDriver('nginx');
  const query = async () => ({ outcome: 'gone', error: 'ENOTFOUND' }) as const;
  const feed = new TranslatedFeed({ source, translator, query });
  const controller = new Controller({ feed, drivers: [driver], version: '1.2.3' });
  const metrics = new Metrics(controller);
  controller.listen(metrics);
  const app = await buildAdminApp({ controller, metrics }, { token: options.token, host: '127.0.0.1' });
  await controller.start();
  context.after(async () => {
    await app.close();
    await controller.stop('drain');
  });
  if (options.synced !== false) {
    addParts(translator);
    source.sink.changed([putService('web', 80), putService('api', 81), putService('cache', 82)]);
    source.sink.synced();
    await controller.settle(AbortSignal.timeout(10_000));
  }
  return { app, controller, source, driver, translator };
}

function addParts({ model }: FakeTranslator): void {
  const origin = (kind: string, namespace: string) => ({ object: { kind, namespace, name: 'web' }, field: 'spec' });
  const times = { notBefore: '2026-01-01T00:00:00Z', notAfter: '2027-01-01T00:00:00Z', fingerprint: 'ab' };
  const privateKey = new Redacted(SECRET);
  const names = ['shop.example'];
  model.certificates.set('shop/tls', {
    id: 'shop/tls',
    chain: 'C',
    privateKey,
    keyType: 'ec',
    names,
    ...times,
    origin: origin('Secret', 'shop'),
  });
  for (const [hostname, namespace] of [
    ['shop.example', 'shop'],
    ['blog.example', 'blog'],
  ] as const) {
    model.hosts.set(`default/${hostname}`, {
      scope: 'default',
      hostname,
      tls: { certificates: ['shop/tls'] },
      routes: [
        {
          id: 'r',
          match: { path: { kind: 'prefix', value: '/' } },
          filters: [{ type: 'basic-auth', realm: 'x', scheme: 'basic', users: new Redacted(SECRET) }],
          action: { kind: 'forward', backends: [{ backend: 'web', weight: 1 }] },
          origin: origin('Ingress', namespace),
        },
      ],
      origins: [origin('Ingress', namespace)],
    });
  }
}

async function json(app: AdminApp, url: string, status = 200): Promise<Json> {
  const response = await app.inject({ url, headers: { host: 'localhost' } });
  assert.equal(response.statusCode, status, response.body);
  return response.json();
}

test('health answers at once, readiness only when a complete model is in force', async (context) => {
  const { app, source, controller } = await bench(context, { synced: false });
  assert.equal((await app.inject('/healthz')).statusCode, 200);
  assert.equal((await app.inject('/readyz')).statusCode, 503);
  source.sink.synced();
  await controller.settle(AbortSignal.timeout(10_000));
  assert.equal((await app.inject('/readyz')).statusCode, 200);
});

test('status has the documented shape and the promised fields', async (context) => {
  const { app } = await bench(context);
  const status = await json(app, '/api/v1/status');
  assert.deepEqual([...Value.Errors(Status, status)], []);
  assert.equal(status.appliedGeneration, status.generation);
  assert.deepEqual([status.version, status.state, status.reloads], ['1.2.3', 'running', 0]);
  assert.deepEqual([status.drivers.length, status.quarantined, status.lastReloadReasons], [1, [], []]);
  assert.equal(status.settled, undefined);
});

test('status?wait answers when what the source holds is in force, or says that it is not', async (context) => {
  const { app, source, driver } = await bench(context);
  source.onSettle = async () => source.sink.changed([putService('late', 1)]);
  const settled = await json(app, '/api/v1/status?wait=10');
  assert.equal(settled.settled, true);
  assert.equal(driver.inForce.has('late'), true);
  driver.hold();
  source.onSettle = async () => source.sink.changed([putService('later', 1)]);
  assert.equal((await json(app, '/api/v1/status?wait=0.0505')).settled, false);
  driver.release();
});

test('lists come in pages and can be narrowed', async (context) => {
  const { app } = await bench(context);
  const page = await json(app, '/api/v1/backends?limit=2&offset=1');
  assert.deepEqual([page.total, page.offset, page.limit], [3, 1, 2]);
  assert.deepEqual(
    page.items.map(({ id }: { id: string }) => id),
    ['cache', 'web'],
  );
  const one = await json(app, '/api/v1/routes?host=SHOP.example');
  assert.deepEqual(
    one.items.map(({ hostname }: { hostname: string }) => hostname),
    ['shop.example'],
  );
  assert.equal((await json(app, '/api/v1/routes?namespace=blog')).total, 1);
  assert.equal((await json(app, '/api/v1/backends?limit=0', 400)).code, 'FST_ERR_VALIDATION');
});

test('certificates and filters are shown without any secret', async (context) => {
  const { app } = await bench(context);
  const certificates = await json(app, '/api/v1/certificates');
  assert.deepEqual(Object.keys(certificates.items[0]).sort(), [
    'fingerprint',
    'id',
    'keyType',
    'names',
    'notAfter',
    'notBefore',
    'origin',
  ]);
  for (const url of ['/api/v1/certificates', '/api/v1/routes', '/api/v1/backends', '/api/v1/status', '/metrics']) {
    const { body } = await app.inject({ url, headers: { host: 'localhost' } });
    assert.ok(!body.includes('secret'), url);
  }
  assert.equal((await json(app, '/api/v1/routes')).items[0].routes[0].filters[0].users, '[redacted]');
});

test('diagnostics are placed by the source, filtered and dated', async (context) => {
  const { app, source } = await bench(context);
  const object = { kind: 'Ingress', namespace: 'shop', name: 'web' };
  const wrong: Finding = {
    code: 'WEIR0103',
    severity: 'error',
    object,
    field: 'spec',
    message: 'Wrong.',
    fix: 'Mend it.',
    file: 'a.yaml',
  };
  source.locate = async (finding) => ({ ...finding, line: 7, column: 3 });
  source.sink.report('a.yaml', [wrong, { ...wrong, code: 'WEIR0200', severity: 'warning' }]);
  const all = await json(app, '/api/v1/diagnostics');
  assert.equal(all.total, 2);
  const { seen, ...first } = all.items[0];
  assert.deepEqual(first, { ...wrong, line: 7, column: 3 });
  assert.ok(Date.parse(seen) > 0);
  assert.equal((await json(app, '/api/v1/diagnostics?severity=warning')).total, 1);
  assert.equal((await json(app, '/api/v1/diagnostics?namespace=blog')).total, 0);
});

test('metrics have the documented names, and count applies and reloads', async (context) => {
  const { app, controller, source } = await bench(context);
  source.sink.changed([putService('web', 8080)]);
  await controller.settle(AbortSignal.timeout(10_000));
  controller.noteReload('nginx', 'profile', 'grpc');
  const { body } = await app.inject('/metrics');
  for (const [name, { type }] of Object.entries(METRIC_DEFINITIONS))
    assert.match(body, new RegExp(`^# TYPE ${name} ${type}$`, 'm'));
  assert.match(body, /^weir_nginx_reloads_total\{reason="profile"\} 1$/m);
  assert.match(body, /^weir_applies_total\{driver="nginx",result="success"\} 2$/m);
  assert.match(body, /^weir_change_to_traffic_seconds_count\{driver="nginx"\} 1$/m);
  assert.match(body, /^weir_model_parts\{table="backends"\} 3$/m);
  assert.match(body, /^weir_ready 1$/m);
});

test('a name that is not this machine’s is refused, against pages that rebind their name to loopback', async (context) => {
  const { app } = await bench(context);
  const ask = (host: string, url = '/api/v1/status') => app.inject({ url, headers: { host } });
  assert.equal((await ask('evil.example:9180')).json().code, 'unknown-host');
  for (const host of ['localhost:9180', '127.0.0.1:9180', '[::1]:9180'])
    assert.equal((await ask(host)).statusCode, 200, host);
  assert.equal((await ask('evil.example', '/healthz')).statusCode, 200);
});

test('where a token is set, /api/ asks for it, and health does not', async (context) => {
  const { app } = await bench(context, { token: 'correct horse' });
  const ask = (authorization?: string) =>
    app.inject({
      url: '/api/v1/status',
      headers: { host: 'x.example', ...(authorization === undefined ? {} : { authorization }) },
    });
  assert.equal((await ask()).json().code, 'token-required');
  assert.equal((await ask('Bearer wrong')).statusCode, 401);
  assert.equal((await ask('Bearer correct horse')).statusCode, 200);
  assert.equal((await app.inject('/metrics')).statusCode, 200);
});

test('beyond loopback only health and metrics answer without a token', async (context) => {
  const address = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
  if (address === undefined) return context.skip('this machine has no address besides loopback');
  const { app } = await bench(context);
  await app.listen({ host: '0.0.0.0', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const ask = async (host: string, path: string) => (await fetch(`http://${host}:${port}${path}`)).status;
  assert.deepEqual(
    [await ask(address, '/healthz'), await ask(address, '/readyz'), await ask(address, '/metrics')],
    [200, 200, 200],
  );
  assert.deepEqual([await ask(address, '/api/v1/status'), await ask(address, '/api/v1/openapi.json')], [403, 403]);
  assert.equal(await ask('127.0.0.1', '/api/v1/status'), 200);
  return undefined;
});

test('events tell each apply and each new status, and end when the server closes', async (context) => {
  const { app, source } = await bench(context);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  let text = '';
  const ended = Promise.withResolvers<void>();
  get({ host: '127.0.0.1', port, path: '/api/v1/events' }, (response) => {
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    response.once('end', ended.resolve);
  });
  const seen = async (pattern: RegExp) => {
    while (!pattern.test(text)) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await seen(/^event: status\ndata: \{.*\}\n\n/);
  source.sink.changed([putService('web', 8080)]);
  await seen(/event: applied\ndata: \{"driver":"nginx","generation":2,/);
  await seen(/event: status\ndata: \{[^\n]*"appliedGeneration":2/);
  await app.close();
  await ended.promise;
});

test('the OpenAPI document names every path', async (context) => {
  const { app } = await bench(context);
  const document = await json(app, '/api/v1/openapi.json');
  const paths = Object.keys(document.paths).sort();
  for (const path of [
    '/healthz',
    '/metrics',
    '/readyz',
    ...['backends', 'certificates', 'diagnostics', 'events', 'routes', 'status'].map((name) => `/api/v1/${name}`),
  ]) {
    assert.ok(paths.includes(path), path);
  }
});

test('a fault is told to the log, and to the client only that there was one', async (context) => {
  const faults: string[] = [];
  const broken = {
    status: () => {
      throw new Error('deep inside');
    },
  } as unknown as Controller;
  const app = await buildAdminApp(
    { controller: broken, metrics: {} as Metrics, onFault: (error, url) => faults.push(`${url}: ${error.message}`) },
    { token: undefined, host: '127.0.0.1' },
  );
  context.after(() => app.close());
  const answer = await json(app, '/api/v1/status', 500);
  assert.deepEqual(answer, { code: 'internal', message: 'A fault in weir; its log says more.' });
  assert.deepEqual(faults, ['/api/v1/status: deep inside']);
});

test('what is not there is told in the same shape as any error', async (context) => {
  const { app } = await bench(context);
  assert.equal((await json(app, '/api/v1/nothing', 404)).code, 'not-found');
});

test('proxies that follow are counted, and leave no series behind when they go', async (context) => {
  const { app, controller, source } = await bench(context);
  controller.addDriver(new FakeDriver('proxy/one'));
  source.sink.changed([putService('web', 8080)]);
  await controller.settle(AbortSignal.timeout(10_000));
  const { body } = await app.inject('/metrics');
  assert.match(body, /^weir_proxies_connected 1$/m);
  assert.match(body, /^weir_proxy_lag_generations\{proxy="one"\} 0$/m);
  assert.match(body, /^weir_applies_total\{driver="proxy\/one",result="success"\} [12]$/m);
  controller.removeDriver('proxy/one');
  const later = (await app.inject('/metrics')).body;
  assert.match(later, /^weir_proxies_connected 0$/m);
  assert.ok(!later.includes('proxy/one') && !later.includes('proxy="one"'));
});
