import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BuildCache } from './build/build-cache.ts';
import { ProgramBuilder } from './build/build-programs.ts';
import { ClusterError } from './cluster-error.ts';
import type { ClusterPlan } from './cluster-plan.ts';
import { readState } from './cluster-state.ts';
import { buildImage } from './images/test-images.ts';
import { awaitDaemon, tail } from './machine/daemon.ts';
import { exclusively } from './machine/exclusively.ts';
import { isAlive } from './machine/process-identity.ts';
import { runTool, tryTool } from './machine/run-tool.ts';
import { makeSpace } from './machine/space.ts';
import { clusterDns } from './parts/cluster-dns.ts';
import { controlPlaneDaemons, type ServerFolders } from './parts/control-plane.ts';
import { type Credentials, makeCredentials } from './parts/credentials.ts';
import { connectSpaces } from './parts/network.ts';
import { nodeDaemons } from './parts/node.ts';
import { inNode } from './parts/node-images.ts';
import type { Progress } from './progress.ts';
import { RunningCluster } from './running-cluster.ts';
import { leftovers, stopCluster } from './stop-cluster.ts';

/** Another one when daemons are to be started otherwise than before. */
const CONFIGURATION = 1;

/** Folders with what a person or a test needs besides the cluster itself. */
export interface ClusterTools {
  readonly kubectl: string;
  readonly helm: string;
}

/**
 * Starts the cluster, or finds the same one running. What an interrupted start left is taken away first. Resolves when
 * every node is Ready and the cluster's DNS answers.
 */
export function startCluster(plan: ClusterPlan, progress: Progress): Promise<ClusterTools> {
  return exclusively(
    plan.lockFile,
    () => startAlone(plan, progress),
    (owner) => progress.say(`process ${owner} is starting ${plan.name}; waiting for it`),
  );
}

async function startAlone(plan: ClusterPlan, progress: Progress): Promise<ClusterTools> {
  const cache = new BuildCache();
  refuseHiddenFolders([plan.directory, cache.directory]);
  const builder = new ProgramBuilder(cache, progress);
  const images = await builder.build('images');
  const servers = { kubernetes: await builder.build('kubernetes'), etcd: await builder.build('etcd') };
  const archives = await Promise.all([
    buildImage(cache, 'pause', join(images, 'pause')),
    buildImage(cache, 'echo', join(images, 'echo')),
  ]);
  const inputs = JSON.stringify([CONFIGURATION, servers]);
  const recipe = createHash('sha256').update(inputs).digest('hex').slice(0, 16);
  const kubectl = join(servers.kubernetes, 'kubectl');

  const running = RunningCluster.find(plan);
  if (running?.state.recipe === recipe && running.state.nodes === plan.nodes.length) {
    progress.say(`${plan.name} runs already`);
  } else {
    await startAfresh(plan, servers, archives, recipe, kubectl, progress);
  }
  const cluster = RunningCluster.find(plan);
  if (cluster === undefined)
    throw new ClusterError(`${plan.name} has ended while it was started; logs: ${plan.directory}`);
  // A test that ended a moment ago may have stopped it and started it again.
  await awaitApiServer(cluster, kubectl);
  for (const archive of archives) await cluster.addImage(archive);
  await addDns(cluster, cache, builder, kubectl, progress);
  return { kubectl, helm: join(await builder.build('helm'), 'helm') };
}

async function startAfresh(
  plan: ClusterPlan,
  servers: ServerFolders,
  archives: readonly string[],
  recipe: string,
  kubectl: string,
  progress: Progress,
): Promise<void> {
  if (leftovers(plan).length > 0) await progress.step('taking away what was there', () => stopCluster(plan));
  mkdirSync(plan.directory, { recursive: true, mode: 0o711 });
  const cluster = RunningCluster.create(plan, recipe);
  await progress.step(`namespaces and network for ${plan.nodes.length} node(s)`, () => makeNetwork(cluster));
  const credentials = await makeCredentials(plan);
  await progress.step('control plane', () => startControlPlane(cluster, servers, credentials, kubectl));
  await progress.step('nodes', async () => {
    await startNodes(cluster, servers, credentials, archives);
    await awaitNodes(plan, kubectl);
  });
  cluster.markRunning();
}

async function addDns(
  cluster: RunningCluster,
  cache: BuildCache,
  builder: ProgramBuilder,
  kubectl: string,
  progress: Progress,
): Promise<void> {
  const { plan } = cluster;
  const rollout = ['rollout', 'status', 'deployment/coredns', '-n', 'kube-system'];
  const present = await tryKubectl(plan, kubectl, [...rollout, '--watch=false']);
  if (present.code === 0 && present.out.includes('successfully')) return;
  const archive = await buildImage(cache, 'coredns', join(await builder.build('coredns'), 'coredns'));
  await progress.step('DNS', async () => {
    await cluster.addImage(archive);
    const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: clusterDns(plan) });
    await runTool(kubectl, [`--kubeconfig=${plan.kubeconfig}`, 'apply', '-f', '-'], { stdin });
    await must(plan, kubectl, [...rollout, '--timeout=120s']);
  });
}

/** Nodes have a /var and a /run of their own: what lies there on this machine, they can't see. */
function refuseHiddenFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    if (/^\/(?:var|run)\//.test(folder)) {
      throw new ClusterError(
        `${folder} can't hold the test cluster: set XDG_STATE_HOME and XDG_CACHE_HOME to folders outside of /var and /run`,
      );
    }
  }
}

async function makeNetwork(cluster: RunningCluster): Promise<void> {
  const { plan, membersFile } = cluster;
  const { directory } = plan.controlPlane;
  const controlPlane = await makeSpace({ name: 'control-plane', directory, machine: false }, membersFile);
  cluster.addSpace('control-plane', controlPlane);
  const nodes = [];
  for (const node of plan.nodes) {
    const space = await makeSpace({ name: node.name, directory: node.directory, machine: true }, membersFile);
    cluster.addSpace(node.name, space);
    nodes.push(space);
  }
  await connectSpaces(plan, { controlPlane, nodes });
}

async function startControlPlane(
  cluster: RunningCluster,
  servers: ServerFolders,
  credentials: Credentials,
  kubectl: string,
): Promise<void> {
  const daemons = controlPlaneDaemons(cluster.plan, servers, credentials);
  cluster.start(daemons.etcd, 'control-plane');
  // It waits for etcd by itself.
  cluster.start(daemons.apiServer, 'control-plane');
  await awaitApiServer(cluster, kubectl);
  for (const daemon of daemons.others) cluster.start(daemon, 'control-plane');
}

async function awaitApiServer(cluster: RunningCluster, kubectl: string): Promise<void> {
  const { spec, process } = cluster.daemon('kube-apiserver');
  await awaitDaemon(spec, process, async () => {
    const answer = await tryKubectl(cluster.plan, kubectl, ['get', '--raw', '/readyz', '--request-timeout=5s']);
    return answer.code === 0;
  });
}

/** Every node's images are there before its kubelet is. */
async function startNodes(
  cluster: RunningCluster,
  servers: ServerFolders,
  credentials: Credentials,
  archives: readonly string[],
): Promise<void> {
  const { plan } = cluster;
  const nodes = plan.nodes.map((node) => ({ node, daemons: nodeDaemons(plan, node, servers, credentials) }));
  await Promise.all(
    nodes.map(async ({ node, daemons }) => {
      const containerd = cluster.start(daemons.containerd, node.name);
      const answers = () =>
        inNode(cluster.space(node.name), ['version']).then(
          () => true,
          () => false,
        );
      await awaitDaemon(daemons.containerd, containerd, answers);
    }),
  );
  for (const archive of archives) await cluster.addImage(archive);
  for (const { node, daemons } of nodes) {
    cluster.start(daemons.kubeProxy, node.name);
    cluster.start(daemons.kubelet, node.name);
  }
}

/** Waits until every node is Ready; the error names the daemon that has ended, if one has. */
async function awaitNodes(plan: ClusterPlan, kubectl: string): Promise<void> {
  const deadline = Date.now() + 180_000;
  for (;;) {
    const nodes = await tryKubectl(plan, kubectl, ['get', 'nodes', '-o', 'name']);
    const registered = nodes.out.split('\n').filter((line) => line !== '').length;
    if (registered === plan.nodes.length) break;
    failIfEnded(plan);
    if (Date.now() > deadline) {
      const where = join(plan.directory, 'node-*', 'kubelet.log');
      throw new ClusterError(`${registered} of ${plan.nodes.length} nodes have registered; see ${where}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await must(plan, kubectl, ['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=120s']);
}

async function must(plan: ClusterPlan, kubectl: string, args: readonly string[]): Promise<void> {
  const result = await tryKubectl(plan, kubectl, args);
  if (result.code === 0) return;
  failIfEnded(plan);
  const things = await tryKubectl(plan, kubectl, ['get', 'nodes,pods', '-A', '-o', 'wide']);
  throw new ClusterError(`${result.err.trim()}\n${things.out}logs: ${plan.directory}/*/*.log`);
}

function failIfEnded(plan: ClusterPlan): void {
  for (const { spec, process } of Object.values(readState(plan.stateFile)?.daemons ?? {})) {
    if (!isAlive(process)) {
      throw new ClusterError(`${spec.name} has ended; the end of ${spec.log}:\n${tail(spec.log)}`);
    }
  }
}

function tryKubectl(plan: ClusterPlan, kubectl: string, args: readonly string[]) {
  return tryTool(kubectl, [`--kubeconfig=${plan.kubeconfig}`, ...args]);
}
