/** Builds and starts the test cluster, and tells how to use it. See docs/guide/test-cluster.md. */
import { ClusterError } from './cluster-error.ts';
import type { ClusterPlan } from './cluster-plan.ts';
import { planFromEnvironment } from './cluster-settings.ts';
import { Progress } from './progress.ts';
import { type ClusterTools, startCluster } from './start-cluster.ts';

if (import.meta.main) {
  try {
    if (process.getuid?.() !== 0) throw new ClusterError('namespaces and control groups need root: run this as root');
    const plan = planFromEnvironment();
    console.log(directions(plan, await startCluster(plan, new Progress())));
  } catch (error) {
    if (!(error instanceof ClusterError) && !(error instanceof RangeError)) throw error;
    console.error(`cluster: ${error.message}`);
    process.exitCode = 1;
  }
}

function directions(plan: ClusterPlan, tools: ClusterTools): string {
  const nodes = plan.nodes.map(({ name, address }) => `${name} ${address}`).join(', ');
  const number = plan.number === 0 ? '' : ` CLUSTER=${plan.number}`;
  return `
The test cluster runs: ${nodes}; pods ${plan.podRange}, Services ${plan.serviceRange}.
This machine reaches all of these addresses; nothing in the cluster reaches anything else.

  export KUBECONFIG=${plan.kubeconfig}
  ${tools.kubectl} get pods -A
  ${tools.helm} list -A

  node_modules/.bin/node test/cluster/load-image.ts FILE.tar   an OCI archive onto every node
  node_modules/.bin/node test/cluster/enter.ts node-1 COMMAND  in a node's network, mounts and host name
  logs: ${plan.directory}/*/*.log
  make cluster-down${number}`;
}
