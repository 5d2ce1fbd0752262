import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingress, service, slice } from '../../../test/support/resources.ts';
import { StubCluster } from './stub-cluster.fixture.ts';
import { WatchedCluster } from './watched-cluster.fixture.ts';

type Body = Readonly<Record<string, unknown>>;

/** A cluster with the class, and in each namespace an Ingress, its Service and its EndpointSlice. */
function clusterOf(...namespaces: readonly string[]): StubCluster {
  const cluster = new StubCluster();
  cluster.put('ingressclasses', '', 'weir', { spec: { controller: 'weir.dev/ingress-controller' } });
  for (const namespace of namespaces) addSite(cluster, namespace);
  return cluster;
}

function addSite(cluster: StubCluster, namespace: string): void {
  const hosts = { [`${namespace}.example`]: ['/'] };
  cluster.put('ingresses', namespace, 'web', ingress({ namespace, class: 'weir', hosts }).body as Body);
  cluster.put('services', namespace, 'web', service({ namespace }).body as Body);
  cluster.put('endpointslices', namespace, 'web-1', slice({ namespace }).body as Body);
}

test('what the API server holds is delivered, then told to be complete, then followed', async () => {
  const cluster = clusterOf('shop');
  const watched = new WatchedCluster(cluster);
  await cluster.settle();
  assert.equal(watched.syncs, 0, 'Secrets are listed after what refers to them');
  await cluster.settle();
  assert.equal(watched.syncs, 1);
  assert.deepEqual([...watched.translator.model.hosts.keys()].length, 1);
  assert.equal([...watched.translator.model.backends.values()][0]!.endpoints.length, 1);
  assert.equal(watched.source.healthy(), true);
  cluster.delete('ingresses', 'shop', 'web');
  await cluster.settle();
  assert.deepEqual(watched.of('Ingress'), []);
  assert.equal(watched.translator.model.hosts.size, 0);
  assert.deepEqual(watched.findings(), []);
});

test('Endpoints, pods and ConfigMaps are not watched', async () => {
  const cluster = clusterOf('shop');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(2);
  assert.equal(watched.syncs, 1);
  assert.deepEqual(cluster.watched, ['endpointslices *', 'ingressclasses *', 'ingresses *', 'secrets *', 'services *']);
});

test('managed fields and kubectl’s copy of the object are dropped as they arrive', async () => {
  const cluster = clusterOf();
  cluster.put('services', 'shop', 'web', {
    metadata: {
      managedFields: [{ manager: 'kubectl' }],
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' },
    },
  });
  const watched = new WatchedCluster(cluster);
  await cluster.settle(2);
  const { metadata } = watched.objects.get('Service/shop/web') as { metadata: Body };
  assert.deepEqual(metadata['annotations'], { kept: 'yes' });
  assert.equal('managedFields' in metadata, false);
});

test('an API server that goes away takes nothing with it, is told of, and makes the source unhealthy until it is back', async () => {
  const cluster = clusterOf('shop');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(2);
  cluster.away = true;
  cluster.cut();
  await cluster.settle();
  assert.equal(watched.source.healthy(), false);
  assert.match(watched.source.problems().join(), /ECONNREFUSED/);
  assert.deepEqual(
    watched.findings().map(({ code }) => code),
    ['WEIR0022'],
  );
  assert.match(watched.findings()[0]!.message, /https:\/\/stub\.example:6443/);
  assert.deepEqual(watched.of('Ingress'), ['shop/web']);
  cluster.away = false;
  cluster.delete('ingresses', 'shop', 'web');
  await cluster.settle();
  assert.equal(watched.source.healthy(), true);
  assert.deepEqual(watched.source.problems(), []);
  assert.deepEqual(watched.findings(), []);
  assert.deepEqual(watched.of('Ingress'), []);
  assert.equal(watched.syncs, 1);
});

test('an API server that is not there yet is waited for', async () => {
  const cluster = clusterOf('shop');
  cluster.away = true;
  const watched = new WatchedCluster(cluster);
  assert.match(watched.source.problems().join(), /ingressclasses of the cluster are being read/);
  await cluster.settle(5);
  assert.equal(watched.syncs, 0);
  assert.equal(watched.source.healthy(), false);
  cluster.away = false;
  await cluster.settle(2);
  assert.equal(watched.syncs, 1);
});

test('of listed namespaces each is watched, and nothing else', async () => {
  const cluster = clusterOf('shop', 'blog', 'other');
  const watched = new WatchedCluster(cluster, { kind: 'list', names: ['shop', 'blog'] });
  await cluster.settle(2);
  assert.deepEqual(watched.of('Ingress'), ['blog/web', 'shop/web']);
  assert.equal(watched.syncs, 1);
  assert.deepEqual(
    cluster.watched.filter((watch) => watch.startsWith('ingresses')),
    ['ingresses blog', 'ingresses shop'],
  );
});

test('a selector’s namespaces come and go with all that is in them', async () => {
  const cluster = clusterOf('shop', 'blog');
  cluster.put('namespaces', '', 'shop');
  const watched = new WatchedCluster(cluster, { kind: 'selector', selector: 'weir=yes' });
  await cluster.settle(3);
  assert.equal(watched.syncs, 1);
  assert.deepEqual(watched.of('Ingress'), ['shop/web']);
  assert.equal(
    [...cluster.watches].find(({ resource }) => resource.plural === 'namespaces')?.scope.labelSelector,
    'weir=yes',
  );
  cluster.put('namespaces', '', 'blog');
  await cluster.settle(2);
  assert.deepEqual(watched.of('Ingress'), ['blog/web', 'shop/web']);
  cluster.delete('namespaces', '', 'shop');
  await cluster.settle();
  assert.deepEqual(watched.of('Ingress'), ['blog/web']);
  assert.deepEqual(watched.of('Service'), ['blog/web']);
  assert.deepEqual(watched.of('EndpointSlice'), ['blog/web-1']);
  assert.equal(
    cluster.watched.some((watch) => watch.includes('shop')),
    false,
  );
});

test('a selector that no namespace has serves nothing, and that is complete', async () => {
  const watched = new WatchedCluster(clusterOf('shop'), { kind: 'selector', selector: 'weir=yes' });
  const cluster = clusterOf('shop');
  const other = new WatchedCluster(cluster, { kind: 'selector', selector: 'weir=yes' });
  await cluster.settle();
  assert.equal(other.syncs, 1);
  assert.equal(watched.syncs, 0);
});

test('with rights for one namespace only that one is served, which is said with the command that widens it', async () => {
  const cluster = clusterOf('weir', 'shop');
  cluster.forbids = ({ namespace }) => namespace !== 'weir';
  const watched = new WatchedCluster(cluster);
  await cluster.settle(2);
  assert.equal(watched.syncs, 0, 'an API server that is just starting refuses for a moment, too');
  await cluster.settle(3);
  assert.equal(watched.syncs, 1);
  assert.deepEqual(watched.of('Ingress'), ['weir/web']);
  const [finding, ...others] = watched.findings().filter(({ code }) => code !== 'WEIR0020');
  assert.deepEqual(others, []);
  assert.equal(finding?.code, 'WEIR0021');
  assert.match(
    finding.message,
    /may not list and watch ingresses\.networking\.k8s\.io in all namespaces; only namespace weir/,
  );
  assert.match(finding.fix, /--watch-namespace weir/);
  assert.match(
    finding.fix,
    /kubectl create clusterrole weir-ingresses --verb=list,watch --resource=ingresses\.networking\.k8s\.io/,
  );
  assert.match(finding.fix, /--serviceaccount=weir:weir/);
  assert.equal(watched.source.healthy(), true);
});

test('when the right for all namespaces comes, all are served, and the own one without a gap', async () => {
  const cluster = clusterOf('weir', 'shop');
  cluster.forbids = ({ namespace }) => namespace !== 'weir';
  const watched = new WatchedCluster(cluster);
  await cluster.settle(5);
  watched.changes.length = 0;
  cluster.forbids = () => false;
  await cluster.settle(3);
  assert.deepEqual(watched.of('Ingress'), ['shop/web', 'weir/web']);
  assert.deepEqual(
    watched.changes.filter(({ type }) => type === 'delete'),
    [],
  );
  assert.deepEqual(watched.findings(), []);
  assert.deepEqual(cluster.watched, ['endpointslices *', 'ingressclasses *', 'ingresses *', 'secrets *', 'services *']);
  cluster.delete('ingresses', 'weir', 'web');
  await cluster.settle();
  assert.deepEqual(watched.of('Ingress'), ['shop/web']);
});

test('a namespace in which a right is missing is told with verb, resource and fix, and the others are served', async () => {
  const cluster = clusterOf('shop', 'blog');
  cluster.forbids = ({ namespace, plural }) => namespace === 'blog' && plural === 'endpointslices';
  const watched = new WatchedCluster(cluster, { kind: 'list', names: ['shop', 'blog'] });
  await cluster.settle(5);
  assert.equal(watched.syncs, 1);
  const [finding, ...others] = watched.findings();
  assert.deepEqual(others, []);
  assert.equal(finding?.code, 'WEIR0019');
  assert.match(finding.message, /may not list and watch endpointslices\.discovery\.k8s\.io in namespace blog/);
  assert.match(
    finding.fix,
    /kubectl -n blog create role weir-endpointslices --verb=list,watch --resource=endpointslices\.discovery\.k8s\.io/,
  );
  assert.equal(watched.source.healthy(), false);
  assert.match(watched.source.problems().join(), /forbidden/);
  assert.equal(watched.translator.model.hosts.size, 2);
  cluster.forbids = () => false;
  await cluster.settle();
  assert.deepEqual(watched.findings(), []);
  assert.equal(watched.source.healthy(), true);
  assert.deepEqual(watched.of('EndpointSlice'), ['blog/web-1', 'shop/web-1']);
});

test('where a right is missing in every namespace there is no complete view, and what was saved stays', async () => {
  const cluster = clusterOf('shop');
  cluster.forbids = ({ plural }) => plural === 'services';
  const watched = new WatchedCluster(cluster, { kind: 'list', names: ['shop'] });
  await cluster.settle(6);
  assert.equal(watched.syncs, 0);
  assert.deepEqual(
    watched.findings().map(({ code }) => code),
    ['WEIR0019'],
  );
});

test('without the right to IngressClasses the classes are known by name, and that is said', async () => {
  const cluster = clusterOf('shop');
  cluster.forbids = ({ plural }) => plural === 'ingressclasses';
  const watched = new WatchedCluster(cluster);
  await cluster.settle(3);
  assert.equal(watched.syncs, 1);
  assert.equal(watched.translator.model.hosts.size, 1);
  const [finding, ...others] = watched.findings();
  assert.deepEqual(others, []);
  assert.equal(finding?.code, 'WEIR0020');
  assert.match(finding.message, /Classes are known by name alone/);
  assert.equal(watched.source.healthy(), true, 'it is one of the ways in which weir may be installed');
  cluster.forbids = () => false;
  cluster.delete('ingressclasses', '', 'weir');
  await cluster.settle();
  assert.equal(watched.translator.model.hosts.size, 0, 'now it is known that there is no such class');
  assert.deepEqual(watched.of('IngressClass'), []);
});

test('an Ingress whose class has no object is not served, and one of another controller’s class isn’t either', async () => {
  const cluster = clusterOf();
  cluster.put('ingressclasses', '', 'weir', { spec: { controller: 'k8s.io/ingress-nginx' } });
  addSite(cluster, 'shop');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(2);
  assert.equal(watched.translator.model.hosts.size, 0);
  cluster.put('ingressclasses', '', 'weir', { spec: { controller: 'weir.dev/ingress-controller' } });
  await cluster.settle();
  assert.equal(watched.translator.model.hosts.size, 1);
  cluster.delete('ingressclasses', '', 'weir');
  await cluster.settle();
  assert.equal(watched.translator.model.hosts.size, 0);
});

test('what was watched is counted by resource', async () => {
  const cluster = clusterOf('shop', 'blog');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(2);
  const activity = Object.fromEntries(watched.source.activity().map(({ resource: name, ...counts }) => [name, counts]));
  assert.deepEqual(activity['ingresses'], { lists: 1, watches: 1, failures: 0, objects: 2 });
  cluster.away = true;
  cluster.cut();
  await cluster.settle();
  assert.equal(watched.source.activity().find((counts) => counts.resource === 'services')?.failures, 1);
});

test('settling waits until what the API server holds now has been delivered', async () => {
  const cluster = clusterOf('shop', 'blog');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(2);
  await watched.source.settle();
  cluster.put('services', 'shop', 'web', { metadata: { labels: { new: 'yes' } } });
  cluster.delete('ingresses', 'blog', 'web');
  let settled = false;
  const settling = watched.source.settle().then(() => (settled = true));
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(settled, false);
  await cluster.settle();
  await settling;
  assert.deepEqual(watched.of('Ingress'), ['shop/web']);
});

test('after a stop nothing is delivered any more', async () => {
  const cluster = clusterOf('shop');
  const watched = new WatchedCluster(cluster);
  await cluster.settle(2);
  const { sink } = [...cluster.watches].find(({ resource: { plural } }) => plural === 'services')!;
  await watched.source.stop();
  assert.equal(cluster.watches.size, 0);
  watched.changes.length = 0;
  sink.changed([
    { type: 'delete', object: { metadata: { name: 'web', namespace: 'shop', uid: '1', resourceVersion: '9' } } },
  ]);
  assert.deepEqual(watched.changes, []);
  assert.equal(watched.source.healthy(), false);
});
