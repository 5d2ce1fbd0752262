import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryApi } from '../../test/support/memory-api.ts';
import { SimulatedTime } from '../../test/support/simulated-time.ts';
import type { KubeObject } from '../kube/kube-object.ts';
import { ClusterWriter, type ClusterWriterOptions } from './cluster-writer.ts';

const PATH = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses';

class Cluster {
  readonly time = new SimulatedTime();
  readonly api = new MemoryApi();
  newest = 0;
  inForce = 0;

  writer(change: Partial<ClusterWriterOptions> = {}): ClusterWriter {
    return new ClusterWriter({
      client: this.api.client(),
      startWatch: () => ({ stop: () => {} }),
      namespace: 'weir',
      instance: 'weir-0',
      addresses: { from: 'fixed', addresses: ['192.0.2.1'] },
      generations: () => this,
      clock: this.time.clock(),
      random: () => 0.5,
      ...change,
    });
  }

  ingress(name: string): KubeObject & { readonly kind: string } {
    const object = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { namespace: 'shop', name } };
    return this.api.put(`${PATH}/${name}`, object) as unknown as KubeObject & { readonly kind: string };
  }

  /** An Ingress comes, and makes a generation. */
  comes(writer: ClusterWriter, name: string): void {
    writer.seen(this.ingress(name));
    writer.served({ namespace: 'shop', name }, ['shop.example']);
    writer.moved(++this.newest);
  }

  applies(writer: ClusterWriter): void {
    this.inForce = this.newest;
    writer.applied();
  }

  address(name: string): unknown {
    const { status } = this.api.objects.get(`${PATH}/${name}`) as { status?: { loadBalancer?: { ingress?: unknown } } };
    return status?.loadBalancer?.ingress;
  }

  events(): readonly string[] {
    return [...this.api.objects]
      .filter(([path]) => path.includes('/events/'))
      .map(([, { reason, message }]) => `${String(reason)}: ${String(message)}`);
  }
}

async function leadingCluster(): Promise<{ readonly cluster: Cluster; readonly writer: ClusterWriter }> {
  const cluster = new Cluster();
  const writer = cluster.writer();
  writer.start();
  await cluster.time.pass(100);
  assert.equal(writer.isLeader, true);
  return { cluster, writer };
}

test('an Ingress gets its address and its Event when it is in force, not before', async () => {
  const { cluster, writer } = await leadingCluster();
  writer.synced();
  cluster.comes(writer, 'web');
  await cluster.time.pass(10_000);
  assert.deepEqual([cluster.address('web'), cluster.events()], [undefined, []]);
  cluster.applies(writer);
  await cluster.time.pass(100);
  assert.deepEqual(
    [cluster.address('web'), cluster.events()],
    [[{ ip: '192.0.2.1' }], ['Programmed: In force for shop.example.']],
  );
});

test('what was in force before weir knew what there is gets addresses, but no Events', async () => {
  const { cluster, writer } = await leadingCluster();
  for (let i = 0; i < 100; i++) cluster.comes(writer, `web-${i}`);
  writer.synced();
  cluster.applies(writer);
  await cluster.time.pass(1000);
  assert.deepEqual([cluster.address('web-99'), cluster.events()], [[{ ip: '192.0.2.1' }], []]);
});

test('an Ingress that changes nothing in the model gets its address, too', async () => {
  const { cluster, writer } = await leadingCluster();
  writer.synced();
  writer.seen(cluster.ingress('web'));
  writer.served({ namespace: 'shop', name: 'web' }, []);
  await cluster.time.pass(1000);
  assert.equal(cluster.address('web'), undefined);
  await cluster.time.pass(1500);
  assert.deepEqual(cluster.address('web'), [{ ip: '192.0.2.1' }]);
});

test('an Ingress of another class is never touched, also if it was weir’s before', async () => {
  const { cluster, writer } = await leadingCluster();
  writer.synced();
  cluster.comes(writer, 'web');
  cluster.applies(writer);
  await cluster.time.pass(100);
  writer.served({ namespace: 'shop', name: 'web' }, undefined);
  writer.moved(++cluster.newest);
  cluster.applies(writer);
  const theirs = { ...cluster.ingress('web'), status: { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } } };
  cluster.api.put(`${PATH}/web`, theirs);
  writer.seen({ ...theirs, metadata: { ...theirs.metadata, resourceVersion: '999' } });
  writer.seen(cluster.ingress('other'));
  const before = cluster.api.requests.length;
  await cluster.time.pass(1000);
  assert.deepEqual(
    cluster.api.requests.slice(before).filter(({ path }) => path.includes('ingresses')),
    [],
  );
});

test('told to leave status alone it writes Events only', async () => {
  const cluster = new Cluster();
  const writer = new ClusterWriter({
    client: cluster.api.client(),
    startWatch: () => ({ stop: () => {} }),
    namespace: 'weir',
    instance: 'weir-0',
    generations: () => cluster,
    clock: cluster.time.clock(),
  });
  writer.start();
  await cluster.time.pass(100);
  writer.synced();
  cluster.comes(writer, 'web');
  cluster.applies(writer);
  await cluster.time.pass(60_000);
  assert.deepEqual([cluster.address('web'), cluster.events().length], [undefined, 1]);
});

test('of two only the leader writes; when it stops the other goes on, and writes nothing that is there', async () => {
  const cluster = new Cluster();
  const [a, b] = [cluster.writer(), cluster.writer({ instance: 'weir-1' })];
  a.start();
  await cluster.time.pass(100);
  b.start();
  for (const writer of [a, b]) writer.synced();
  const both = (name: string) => {
    const object = cluster.ingress(name);
    cluster.newest++;
    for (const writer of [a, b]) {
      writer.seen(object);
      writer.served({ namespace: 'shop', name }, ['shop.example']);
      writer.moved(cluster.newest);
      cluster.applies(writer);
    }
  };
  both('one');
  await cluster.time.pass(1000);
  assert.deepEqual([a.isLeader, b.isLeader, cluster.events().length], [true, false, 1]);
  // As its watch would.
  b.seen(cluster.api.objects.get(`${PATH}/one`) as unknown as KubeObject & { kind: string });
  let stopped = false;
  void a.stop().then(() => (stopped = true));
  await cluster.time.pass(100);
  assert.equal(stopped, true);
  assert.deepEqual(cluster.address('one'), [{ ip: '192.0.2.1' }], 'it stays while weir is replaced');
  const before = cluster.api.requests.length;
  await cluster.time.pass(5000);
  assert.equal(b.isLeader, true);
  assert.deepEqual(
    cluster.api.requests.slice(before).filter(({ path }) => path.includes('ingresses')),
    [],
  );
  both('two');
  await cluster.time.pass(1000);
  assert.deepEqual(cluster.address('two'), [{ ip: '192.0.2.1' }]);
});

test('an Ingress that is deleted and made anew is a new one', async () => {
  const { cluster, writer } = await leadingCluster();
  writer.synced();
  cluster.comes(writer, 'web');
  cluster.applies(writer);
  await cluster.time.pass(100);
  cluster.api.objects.delete(`${PATH}/web`);
  writer.gone({ kind: 'Ingress', namespace: 'shop', name: 'web' });
  cluster.comes(writer, 'web');
  cluster.applies(writer);
  await cluster.time.pass(1000);
  assert.deepEqual(cluster.address('web'), [{ ip: '192.0.2.1' }]);
  assert.equal(cluster.events().length, 2);
});
