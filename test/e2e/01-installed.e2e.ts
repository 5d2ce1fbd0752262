import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { InstalledWeir } from '../support/e2e/installed-weir.ts';
import { route, shop } from '../support/e2e/shop.ts';
import { eventually } from '../support/scope.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
const host = 'installed.e2e.test';
let weir: InstalledWeir;
let namespace: string;

before(async () => {
  weir = await InstalledWeir.join();
  namespace = await weir.cluster.namespace(scope, 'installed');
  await weir.cluster.apply(shop({ name: 'web', replicas: 2 }), namespace);
  await weir.cluster.rolledOut('deployment/web', namespace);
});

test('an Ingress is answered by each of the pods behind it', async () => {
  const paths = [{ path: '/', service: 'web' }];
  await weir.cluster.apply([route({ name: 'web', className: 'weir', host, paths })], namespace);
  const pods = await weir.cluster.get<{ items: { metadata: { name: string } }[] }>('pods', namespace);
  const seen = new Set<string>();
  await eventually('both pods to answer', async () => {
    const answer = await weir.entry.http(host);
    if (answer.status === 200) seen.add(answer.json<{ backend: string }>().backend);
    return seen.size === 2;
  });
  assert.deepEqual([...seen].sort(), pods.items.map(({ metadata }) => metadata.name).sort());
});

test('kubectl get ingress shows the address of the Service before the proxies', async () => {
  const line = await eventually(
    'the address to be shown',
    async () => {
      const table = await weir.cluster.kubectl(['get', 'ingress', 'web', '-n', namespace, '--no-headers']);
      return table.includes(weir.address) ? table : undefined;
    },
    { everyMs: 300 },
  );
  const [name, className, hosts, address] = line.trim().split(/\s+/);
  assert.deepEqual([name, className, hosts, address], ['web', 'weir', host, weir.address]);
});
