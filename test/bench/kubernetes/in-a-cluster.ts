/**
 * Prints how weir does with many Ingresses in the real API server that KUBECONFIG names: start, memory, changes, a burst.
 *
 * Usage: KUBECONFIG=FILE test/bench/kubernetes/in-a-cluster.ts     SCALE=small: a quick look
 * weir is `weir run --kubeconfig` on this machine, as is the backend, on the machine's address towards the cluster.
 * What it makes in the cluster is in a namespace of its own and deleted in the end.
 */
import { loadavg } from 'node:os';
import { loadKubeconfig } from '../../../src/kube/kubeconfig/load-kubeconfig.ts';
import { openKubeClient } from '../../../src/kube/open-kube-client.ts';
import { freePorts } from '../../support/scope.ts';
import { backendConf } from '../cpu/backend-conf.ts';
import { startNginx } from '../nginx-process.ts';
import { UndoList } from '../undo-list.ts';
import { addressTowards, ClusterApps } from './cluster-apps.ts';
import { measureCluster } from './measure-cluster.ts';
import { serveOutside } from './served-process.ts';

const SIZES = {
  small: { apps: 200, changes: 20, burst: 50, cycles: 50 },
  full: { apps: 5000, changes: 200, burst: 1000, cycles: 1000 },
} as const;

const kubeconfig = process.env.KUBECONFIG ?? '';
const size = SIZES[process.env.SCALE === 'small' ? 'small' : 'full'];
const beganAt = performance.now();
const say = (line: string) =>
  process.stderr.write(
    `bench: ${((performance.now() - beganAt) / 1000).toFixed(1)} s, load ${loadavg()[0]?.toFixed(1)}: ${line}\n`,
  );

const scope = new UndoList();
const client = openKubeClient(await loadKubeconfig({ path: kubeconfig, environment: process.env }));
try {
  const address = await addressTowards(client.server);
  const [first = 0, other = 0] = await freePorts(2);
  await startNginx(scope, 'backend', first, backendConf([first, other], [address, '127.0.0.1']));
  const apps = new ClusterApps(client, `scale-${Date.now().toString(36)}`);
  await apps.begin();
  scope.after(() => apps.end());
  const backend = { address, ports: [first, other] as const };
  const figures = await measureCluster(apps, backend, () => serveOutside(scope, kubeconfig), size, say);
  process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
} finally {
  await scope.undo();
  await client.close();
}
