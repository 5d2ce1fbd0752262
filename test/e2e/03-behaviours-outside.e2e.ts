import { before } from 'node:test';
import { joinCluster, type Cluster } from '../support/cluster.ts';
import { Entry } from '../support/e2e/entry.ts';
import { ingressBehaviours, prepareBehaviours } from '../support/e2e/ingress-behaviours.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { startWeir } from '../support/weir.ts';

const scope = suiteScope();
const className = 'weir-outside';
let cluster: Cluster;
let namespace: string;
let entry: Entry;

/** weir runs on this machine, which reaches the addresses of pods, and is told of the cluster by a kubeconfig. */
before(async () => {
  cluster = await joinCluster();
  const spec = { controller: 'weir.dev/ingress-controller' };
  const metadata = { name: className };
  await cluster.apply([{ apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata, spec }]);
  scope.after(() => cluster.kubectl(['delete', 'ingressclass', className]).then(() => undefined));
  namespace = await prepareBehaviours(cluster, scope, 'outside');
  const args = ['--kubeconfig', cluster.kubeconfig, '--ingress-class', className, '--leave-status'];
  const { httpPort, httpsPort } = await startWeir(scope, { manifests: [], args });
  entry = new Entry({ address: '127.0.0.1', httpPort, httpsPort }, className);
});

ingressBehaviours(
  () => entry,
  () => ({ cluster, namespace }),
);
