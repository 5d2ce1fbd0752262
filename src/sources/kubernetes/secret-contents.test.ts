import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingress } from '../../../test/support/resources.ts';
import { StubCluster } from './stub-cluster.fixture.ts';
import { WatchedCluster } from './watched-cluster.fixture.ts';

type Body = Readonly<Record<string, unknown>>;
const TLS = { type: 'kubernetes.io/tls', data: { 'tls.crt': 'YQ==', 'tls.key': 'Yg==' } };
const OPAQUE = { type: 'Opaque', data: { 'ca.crt': 'YQ==' } };

function clusterOf(): StubCluster {
  const cluster = new StubCluster();
  cluster.put('ingressclasses', '', 'weir', { spec: { controller: 'weir.dev/ingress-controller' } });
  return cluster;
}

/** An Ingress of its own host that names this TLS Secret, and this one with authorities. */
function refer(cluster: StubCluster, name: string, secretName: string | undefined, authorities?: string): void {
  const annotations =
    authorities === undefined ? {} : { 'nginx.ingress.kubernetes.io/auth-tls-secret': `shop/${authorities}` };
  const tls = secretName === undefined ? [] : [{ secretName }];
  const hosts = { [`${name}.example`]: ['/'] };
  cluster.put('ingresses', 'shop', name, ingress({ name, annotations, class: 'weir', hosts, tls }).body as Body);
}

const named = (cluster: StubCluster) =>
  cluster.watched.filter((watch) => watch.startsWith('secrets') && watch.includes('/'));
const noLists = ({ plural, name }: { readonly plural: string; readonly name: string | undefined }) =>
  plural === 'secrets' && name === undefined;

test('of the TLS Secrets that may be listed only those are kept that something refers to, without a request for each', async () => {
  const cluster = clusterOf();
  for (const name of ['a', 'b', 'unused']) cluster.put('secrets', 'shop', name, TLS);
  refer(cluster, 'one', 'a');
  refer(cluster, 'two', 'b');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(3);
  assert.equal(watched.syncs, 1);
  assert.deepEqual(watched.of('Secret'), ['shop/a', 'shop/b']);
  assert.deepEqual(cluster.requests, []);
  assert.deepEqual(named(cluster), []);
  assert.equal(watched.source.activity().find(({ resource }) => resource === 'secrets')?.objects, 3);
});

test('a Secret that was dropped is fetched when a reference to it appears, and forgotten with the last one', async () => {
  const cluster = clusterOf();
  cluster.put('secrets', 'shop', 'late', TLS);
  const watched = new WatchedCluster(cluster);
  await cluster.settle(3);
  assert.deepEqual(watched.of('Secret'), []);
  refer(cluster, 'one', 'late');
  await cluster.settle(2);
  assert.deepEqual(cluster.requests, ['GET /api/v1/namespaces/shop/secrets/late']);
  assert.deepEqual(watched.of('Secret'), ['shop/late']);
  assert.equal(watched.unanswered, 0);
  cluster.put('secrets', 'shop', 'late', { ...TLS, data: { 'tls.crt': 'Yw==' } });
  await cluster.settle();
  assert.deepEqual((watched.objects.get('Secret/shop/late') as Body)['data'], { 'tls.crt': 'Yw==' });
  assert.equal(cluster.requests.length, 1, 'the watch brought it');
  cluster.delete('ingresses', 'shop', 'one');
  await cluster.settle();
  assert.deepEqual(watched.of('Secret'), []);
});

test('what is referred to and is no TLS Secret is watched by its name, and so is what isn’t there yet', async () => {
  const cluster = clusterOf();
  cluster.put('secrets', 'shop', 'clients', OPAQUE);
  refer(cluster, 'one', 'missing', 'clients');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(3);
  assert.deepEqual(named(cluster), ['secrets shop/clients', 'secrets shop/missing']);
  assert.deepEqual(watched.of('Secret'), ['shop/clients']);
  await cluster.settle();
  assert.equal(watched.syncs, 1);
  cluster.put('secrets', 'shop', 'missing', TLS);
  await cluster.settle();
  assert.deepEqual(watched.of('Secret'), ['shop/clients', 'shop/missing']);
  assert.deepEqual(named(cluster), ['secrets shop/clients'], 'the watch of all TLS Secrets tells of it from now on');
  cluster.delete('secrets', 'shop', 'missing');
  await cluster.settle();
  assert.deepEqual(watched.of('Secret'), ['shop/clients']);
  assert.deepEqual(named(cluster), ['secrets shop/clients', 'secrets shop/missing']);
});

test('a TLS Secret that is made anew as another type is followed', async () => {
  const cluster = clusterOf();
  cluster.put('secrets', 'shop', 'a', TLS);
  refer(cluster, 'one', 'a');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(3);
  cluster.put('secrets', 'shop', 'a', OPAQUE);
  await cluster.settle(2);
  assert.deepEqual((watched.objects.get('Secret/shop/a') as Body)['type'], 'Opaque');
  cluster.put('secrets', 'shop', 'a', TLS);
  await cluster.settle(2);
  assert.deepEqual((watched.objects.get('Secret/shop/a') as Body)['type'], 'kubernetes.io/tls');
});

test('where Secrets may not be listed each that is referred to is watched by name, which is no finding', async () => {
  const cluster = clusterOf();
  cluster.forbids = noLists;
  for (const name of ['a', 'b', 'unused']) cluster.put('secrets', 'shop', name, TLS);
  refer(cluster, 'one', 'a', 'b');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(4);
  assert.equal(watched.syncs, 1);
  assert.deepEqual(watched.of('Secret'), ['shop/a', 'shop/b']);
  assert.deepEqual(named(cluster), ['secrets shop/a', 'secrets shop/b']);
  assert.deepEqual(watched.findings(), []);
  assert.equal(watched.source.healthy(), true);
  cluster.delete('ingresses', 'shop', 'one');
  await cluster.settle();
  assert.deepEqual(named(cluster), []);
  assert.deepEqual(watched.of('Secret'), []);
});

test('when the right to list comes, one watch takes the place of those by name; when it goes, they come back', async () => {
  const cluster = clusterOf();
  cluster.forbids = noLists;
  for (const name of ['a', 'b']) cluster.put('secrets', 'shop', name, TLS);
  refer(cluster, 'one', 'a');
  refer(cluster, 'two', 'b');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(4);
  watched.changes.length = 0;
  cluster.forbids = () => false;
  await cluster.settle(2);
  assert.deepEqual(named(cluster), []);
  assert.deepEqual(watched.changes, []);
  cluster.forbids = noLists;
  cluster.cut();
  cluster.delete('secrets', 'shop', 'a');
  await cluster.settle(3);
  assert.deepEqual(named(cluster), ['secrets shop/a', 'secrets shop/b']);
  assert.deepEqual(watched.of('Secret'), ['shop/b']);
});

test('a Secret that may not even be read by its name is told with the command that mends it, and the rest is served', async () => {
  const cluster = clusterOf();
  cluster.forbids = ({ plural, name }) => plural === 'secrets' && name !== 'b';
  for (const name of ['a', 'b']) cluster.put('secrets', 'shop', name, TLS);
  refer(cluster, 'one', 'a');
  refer(cluster, 'two', 'b');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(4);
  assert.equal(watched.syncs, 1);
  assert.deepEqual(watched.of('Secret'), ['shop/b']);
  const [finding, ...others] = watched.findings();
  assert.deepEqual(others, []);
  assert.equal(finding?.code, 'WEIR0023');
  assert.deepEqual(finding.object, { kind: 'Secret', namespace: 'shop', name: 'a' });
  assert.match(
    finding.fix,
    /kubectl -n shop create role weir-secrets-a --verb=get,list,watch --resource=secrets --resource-name=a/,
  );
  cluster.forbids = noLists;
  await cluster.settle();
  assert.deepEqual(watched.findings(), []);
  assert.deepEqual(watched.of('Secret'), ['shop/a', 'shop/b']);
});

test('the finding about a Secret goes with the last reference to it', async () => {
  const cluster = clusterOf();
  cluster.forbids = ({ plural }) => plural === 'secrets';
  refer(cluster, 'one', 'a');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(4);
  assert.equal(watched.findings().length, 1);
  cluster.delete('ingresses', 'shop', 'one');
  await cluster.settle();
  assert.deepEqual(watched.findings(), []);
});

test('a fetch that fails is tried again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const cluster = clusterOf();
  cluster.put('secrets', 'shop', 'a', TLS);
  const watched = new WatchedCluster(cluster);
  await cluster.settle(3);
  refer(cluster, 'one', 'a');
  cluster.away = true;
  await cluster.settle(2);
  assert.deepEqual(watched.of('Secret'), []);
  assert.equal(watched.unanswered, 0, 'nobody waits for it any more');
  cluster.away = false;
  t.mock.timers.tick(2000);
  await cluster.settle(2);
  assert.deepEqual(watched.of('Secret'), ['shop/a']);
});

test('names that no Secret can have are not asked for', async () => {
  const cluster = clusterOf();
  cluster.forbids = noLists;
  refer(cluster, 'one', 'a,metadata.namespace!=shop');
  refer(cluster, 'two', '../b');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(4);
  assert.deepEqual(named(cluster), []);
  assert.equal(watched.syncs, 1);
});
