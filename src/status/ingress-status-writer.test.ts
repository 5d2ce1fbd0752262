import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryApi, type Weather } from '../../test/support/memory-api.ts';
import { SimulatedTime } from '../../test/support/simulated-time.ts';
import type { KubeRequest } from '../kube/kube-client.ts';
import { KubeError } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/kube-object.ts';
import { IngressStatusWriter, type IngressStatusWriterOptions } from './ingress-status-writer.ts';
import { servedIngress } from './served-ingress.ts';

const ADDRESS = [{ ip: '192.0.2.1' }];
const PATH = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses';

class Site {
  readonly time = new SimulatedTime();
  readonly api = new MemoryApi();
  readonly results: string[] = [];
  readonly problems: string[] = [];
  readonly writer: IngressStatusWriter;

  constructor({ weather = {}, ...options }: Partial<IngressStatusWriterOptions> & { weather?: Weather } = {}) {
    this.writer = new IngressStatusWriter({
      client: this.api.client(weather),
      clock: this.time.clock(),
      random: () => 0.5,
      onResult: (result) => this.results.push(result),
      onProblem: (subject, problem) => this.problems.push(`${subject}: ${problem?.message ?? 'well'}`),
      ...options,
    });
  }

  /** As the API server has it, and as a watch would tell it. */
  ingress(name: string, change: object = {}): KubeObject {
    const kept = this.api.objects.get(`${PATH}/${name}`) as KubeObject | undefined;
    const object = { kind: 'Ingress', ...kept, ...change, metadata: { namespace: 'shop', ...kept?.metadata, name } };
    return this.api.put(`${PATH}/${name}`, object) as unknown as KubeObject;
  }

  /** Tells the writer what is there. */
  watch(name: string): void {
    this.writer.put(servedIngress(this.api.objects.get(`${PATH}/${name}`) as unknown as KubeObject));
  }

  published(name: string): unknown {
    const { status } = this.api.objects.get(`${PATH}/${name}`) as { status?: { loadBalancer?: { ingress?: unknown } } };
    return status?.loadBalancer?.ingress;
  }
}

function leadingSite(options: ConstructorParameters<typeof Site>[0] = {}): Site {
  const site = new Site(options);
  site.writer.addresses(ADDRESS);
  site.writer.leading(true);
  return site;
}

test('an address is applied to the status alone, with the version and uid that were seen, under weir’s name', async () => {
  const site = leadingSite();
  const { metadata } = site.ingress('web');
  site.watch('web');
  await site.time.pass(0);
  assert.deepEqual(site.published('web'), ADDRESS);
  const [{ method, path, query, contentType, body }] = site.api.requests as [KubeRequest];
  assert.deepEqual(
    { method, path, query, contentType, body },
    {
      method: 'PATCH',
      path: `${PATH}/web/status`,
      query: { fieldManager: 'weir', force: true },
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'web', namespace: 'shop', uid: metadata.uid, resourceVersion: metadata.resourceVersion },
        status: { loadBalancer: { ingress: ADDRESS } },
      },
    },
  );
});

test('nothing is written by who doesn’t lead, nor while no address is known', async () => {
  const site = new Site();
  site.ingress('web');
  site.watch('web');
  site.writer.addresses(ADDRESS);
  await site.time.pass(60_000);
  site.writer.addresses([]);
  site.writer.leading(true);
  await site.time.pass(60_000);
  assert.equal(site.api.requests.length, 0);
});

test('an unchanged cluster is never written to after the first time, whoever leads', async () => {
  const site = leadingSite();
  for (let i = 0; i < 50; i++) site.ingress(`web-${i}`);
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 50; i++) site.watch(`web-${i}`);
    await site.time.pass(10_000);
    site.writer.leading(false);
    site.writer.leading(true);
    site.writer.addresses([...ADDRESS]);
  }
  const second = new IngressStatusWriter({ client: site.api.client(), clock: site.time.clock() });
  second.addresses(ADDRESS);
  second.leading(true);
  second.update([...site.api.objects.values()].map((object) => servedIngress(object as unknown as KubeObject)));
  await site.time.pass(10_000);
  assert.equal(site.api.requests.length, 50);
});

test('the order of addresses in a status is no difference; what else stands there is', async () => {
  const site = leadingSite();
  site.writer.addresses([{ hostname: 'lb.example' }, { ip: '192.0.2.2' }, { ip: '192.0.2.1' }]);
  const there = [{ ip: '192.0.2.1' }, { hostname: 'lb.example' }, { ip: '192.0.2.2' }];
  site.ingress('same', { status: { loadBalancer: { ingress: there } } });
  site.ingress('ports', {
    status: { loadBalancer: { ingress: [{ ...there[0], ports: [{ port: 80 }] }, ...there.slice(1)] } },
  });
  site.watch('same');
  site.watch('ports');
  await site.time.pass(0);
  assert.deepEqual(
    site.api.requests.map(({ path }) => path),
    [`${PATH}/ports/status`],
  );
});

test('another address is written to all, and no address leaves the last one there', async () => {
  const site = leadingSite();
  for (const name of ['a', 'b']) {
    site.ingress(name);
    site.watch(name);
  }
  await site.time.pass(0);
  site.writer.addresses([{ hostname: 'lb.example' }]);
  await site.time.pass(0);
  site.writer.addresses([]);
  await site.time.pass(60_000);
  assert.deepEqual(
    [site.published('a'), site.published('b')],
    [[{ hostname: 'lb.example' }], [{ hostname: 'lb.example' }]],
  );
  assert.equal(site.api.requests.length, 4);
});

test('what a watch tells late, from before weir’s own write, is no reason to write again', async () => {
  const site = leadingSite();
  const before = servedIngress(site.ingress('web'));
  site.writer.put(before);
  await site.time.pass(0);
  site.writer.put(before);
  site.writer.put({ ...before, resourceVersion: '100' });
  await site.time.pass(60_000);
  assert.equal(site.api.requests.length, 1);
});

test('an Ingress that was made anew is written anew; one that weir doesn’t know is never touched', async () => {
  const site = leadingSite();
  site.writer.put(servedIngress(site.ingress('web')));
  await site.time.pass(0);
  site.api.objects.delete(`${PATH}/web`);
  const stale = servedIngress(site.ingress('web'));
  assert.notEqual(stale.uid, undefined);
  site.writer.addresses([{ ip: '192.0.2.9' }]);
  await site.time.pass(60_000);
  assert.equal(site.published('web'), undefined, 'whose it is isn’t known yet');
  assert.ok(site.results.includes('conflict'));
  site.watch('web');
  await site.time.pass(0);
  assert.deepEqual(site.published('web'), [{ ip: '192.0.2.9' }]);
});

test('an Ingress that changed meanwhile is written when the change is known', async () => {
  const site = leadingSite();
  site.writer.put(servedIngress(site.ingress('web')));
  site.ingress('web', { spec: { ingressClassName: 'other' } });
  await site.time.pass(100);
  assert.deepEqual([site.results, site.published('web')], [['conflict'], undefined]);
  site.watch('web');
  await site.time.pass(0);
  assert.deepEqual(site.published('web'), ADDRESS);
});

test('one that is gone is dropped', async () => {
  const site = leadingSite();
  const web = servedIngress(site.ingress('web'));
  site.api.objects.clear();
  site.writer.put(web);
  await site.time.pass(600_000);
  assert.deepEqual([site.results, site.writer.pending], [['gone'], 0]);
});

test('one that is served no more keeps its status, and is written no more', async () => {
  const site = leadingSite();
  site.writer.update([servedIngress(site.ingress('a')), servedIngress(site.ingress('b'))]);
  await site.time.pass(0);
  site.writer.update([servedIngress(site.ingress('b'))]);
  site.writer.addresses([{ ip: '192.0.2.9' }]);
  await site.time.pass(60_000);
  assert.deepEqual([site.published('a'), site.published('b')], [ADDRESS, [{ ip: '192.0.2.9' }]]);
});

test('a thousand Ingresses are written sixteen at a time', async () => {
  let [under, most] = [0, 0];
  const site: Site = leadingSite({
    weather: {
      before: () => {
        most = Math.max(most, ++under);
        return new Promise((resolve) => void site.time.after(30, resolve));
      },
      after: () => void under--,
    },
  });
  for (let i = 0; i < 1000; i++) site.writer.put(servedIngress(site.ingress(`web-${i}`)));
  await site.time.pass(2000);
  assert.deepEqual([site.results.length, most], [1000, 16]);
});

test('while the server is away one write in many seconds asks whether it is back; then all are written', async () => {
  let away = true;
  const weather: Weather = { before: () => (away ? Promise.reject(new KubeError('connection refused')) : undefined) };
  const site = leadingSite({ weather });
  for (let i = 0; i < 200; i++) site.writer.put(servedIngress(site.ingress(`web-${i}`)));
  await site.time.pass(120_000);
  assert.ok(site.api.requests.length < 40, `${site.api.requests.length} requests`);
  away = false;
  await site.time.pass(16_000);
  assert.equal(site.results.filter((result) => result === 'written').length, 200);
  assert.deepEqual(site.problems, ['the API server: connection refused', 'the API server: well']);
});

test('a server that asks for patience gets it', async () => {
  let busy = true;
  const site = leadingSite({
    weather: {
      before: () =>
        busy ? Promise.reject(new KubeError('too many requests', { status: 429, retryAfter: 20 })) : undefined,
    },
  });
  site.writer.put(servedIngress(site.ingress('web')));
  await site.time.pass(0);
  busy = false;
  await site.time.pass(19_000);
  assert.equal(site.api.requests.length, 1);
  await site.time.pass(1500);
  assert.deepEqual(site.published('web'), ADDRESS);
});

test('an object that fails at the server doesn’t hold up the others', async () => {
  const weather: Weather = {
    before: ({ path }) =>
      path.includes('/bad/') ? Promise.reject(new KubeError('webhook failed', { status: 500 })) : undefined,
  };
  const site = leadingSite({ weather });
  site.writer.put(servedIngress(site.ingress('bad')));
  for (let i = 0; i < 100; i++) site.writer.put(servedIngress(site.ingress(`web-${i}`)));
  await site.time.pass(0);
  assert.equal(site.results.filter((result) => result === 'written').length, 100);
  const before = site.api.requests.length;
  await site.time.pass(600_000);
  const tries = site.api.requests.length - before;
  assert.ok(tries > 8 && tries < 25, `${tries} more tries in ten minutes`);
});

test('a right that is missing in one namespace is told once, with the remedy; others are written, and it is tried now and then', async () => {
  let forbidden = true;
  const weather: Weather = {
    before: ({ path }) =>
      forbidden && path.includes('/shop/')
        ? Promise.reject(new KubeError('ingresses/status is forbidden.', { status: 403 }))
        : undefined,
  };
  const site = leadingSite({ weather });
  for (let i = 0; i < 300; i++) site.writer.put(servedIngress(site.ingress(`web-${i}`)));
  const other = site.api.put('/apis/networking.k8s.io/v1/namespaces/lab/ingresses/web', {
    metadata: { namespace: 'lab' },
  });
  site.writer.put(servedIngress(other as unknown as KubeObject));
  await site.time.pass(600_000);
  assert.equal(site.results.filter((result) => result === 'written').length, 1);
  assert.equal(site.problems.length, 1);
  assert.match(
    site.problems[0] ?? '',
    /in namespace shop: .*Allow the verb patch on ingresses\/status in the group networking\.k8s\.io, or say --leave-status/,
  );
  assert.ok(site.api.requests.length < 400, `${site.api.requests.length} requests`);
  forbidden = false;
  await site.time.pass(240_000);
  assert.equal(site.results.filter((result) => result === 'written').length, 301);
});

test('a write that is under way when the term ends is broken off, and nothing follows', async () => {
  const site: Site = leadingSite({
    weather: {
      before: ({ signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new KubeError('aborted')))),
    },
  });
  for (let i = 0; i < 30; i++) site.writer.put(servedIngress(site.ingress(`web-${i}`)));
  await site.time.pass(10);
  site.writer.leading(false);
  await site.time.pass(600_000);
  assert.deepEqual([site.api.requests.length, site.results, site.published('web-0')], [16, [], undefined]);
});

test('who is told to write but finds that it leads no more doesn’t', async () => {
  const site = leadingSite({ mayWrite: () => false });
  site.writer.put(servedIngress(site.ingress('web')));
  await site.time.pass(60_000);
  assert.equal(site.api.requests.length, 0);
});

test('two controllers that write the same status don’t overwrite each other without end, and somebody is told', async () => {
  const site = leadingSite();
  site.ingress('web');
  site.watch('web');
  for (let second = 0; second < 3600; second++) {
    await site.time.pass(1000);
    const theirs = [{ ip: '203.0.113.7' }];
    if (JSON.stringify(site.published('web')) !== JSON.stringify(theirs))
      site.ingress('web', { status: { loadBalancer: { ingress: theirs } } });
    site.watch('web');
  }
  assert.ok(site.api.requests.length <= 12, `${site.api.requests.length} writes in an hour`);
  assert.ok(site.problems.length > 0);
  assert.match(
    site.problems[0] ?? '',
    /^Ingress shop\/web: another controller writes .*ip=203\.0\.113\.7 where weir wrote ip=192\.0\.2\.1.*--leave-status/,
  );
});

test('an address that somebody removes once is back at once', async () => {
  const site = leadingSite();
  site.ingress('web');
  site.watch('web');
  await site.time.pass(1000);
  site.watch('web');
  site.ingress('web', { status: { loadBalancer: {} } });
  site.watch('web');
  await site.time.pass(0);
  assert.deepEqual(site.published('web'), ADDRESS);
});

test('stopping finishes what waits, and leaves the addresses there', async () => {
  const site: Site = leadingSite({
    weather: { before: () => new Promise((resolve) => void site.time.after(50, resolve)) },
  });
  for (let i = 0; i < 64; i++) site.writer.put(servedIngress(site.ingress(`web-${i}`)));
  let stopped = false;
  void site.writer.stop(2000).then(() => (stopped = true));
  await site.time.pass(250);
  assert.deepEqual([stopped, site.results.length, site.published('web-63')], [true, 64, ADDRESS]);
});
