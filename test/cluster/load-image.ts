/** Imports OCI archives into every node of the running test cluster. Usage: load-image.ts FILE.tar… */
import { resolve } from 'node:path';
import { ClusterError } from './cluster-error.ts';
import { planOfRunning } from './cluster-settings.ts';
import { importImage } from './parts/node-images.ts';
import { RunningCluster } from './running-cluster.ts';

/** The names of the images, as pods may write them. */
export async function loadImage(cluster: RunningCluster, archive: string): Promise<readonly string[]> {
  const perNode = await Promise.all(
    cluster.plan.nodes.map((node) => importImage(cluster.space(node.name), resolve(archive))),
  );
  return perNode[0] ?? [];
}

if (import.meta.main) {
  try {
    const archives = process.argv.slice(2);
    const cluster = RunningCluster.find(planOfRunning());
    if (archives.length === 0) throw new ClusterError('usage: load-image.ts FILE.tar…');
    if (cluster === undefined) throw new ClusterError('no test cluster runs; start one with: make cluster');
    for (const archive of archives) for (const name of await loadImage(cluster, archive)) console.log(name);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    console.error(`load-image: ${error.message}`);
    process.exitCode = 1;
  }
}
