import { ClusterError } from '../cluster-error.ts';
import type { ClusterPlan, NodePlan } from '../cluster-plan.ts';
import { enterCommand } from '../machine/daemon.ts';
import type { ProcessIdentity } from '../machine/process-identity.ts';
import { runTool, tryTool } from '../machine/run-tool.ts';

const BRIDGE = 'br0';

export interface Spaces {
  readonly controlPlane: ProcessIdentity;
  /** In the order of the plan. */
  readonly nodes: readonly ProcessIdentity[];
}

/**
 * A bridge in the control plane's namespace, with a cable to each node and one to the machine's own namespace, so that
 * programs there reach nodes, pods and Services as a client outside the cluster does. No namespace of the cluster has
 * a route to anything else: what is not for the cluster is answered with "unreachable" by the control plane.
 */
export async function connectSpaces(plan: ClusterPlan, spaces: Spaces): Promise<void> {
  await refuseTakenRanges(plan);
  const [firstNode] = plan.nodes;
  if (firstNode === undefined) throw new ClusterError('a cluster has a node');
  const { controlPlane, nodes } = spaces;

  await ip(controlPlane, ['link', 'add', BRIDGE, 'type', 'bridge']);
  await ip(controlPlane, ['address', 'add', `${plan.controlPlane.address}/24`, 'dev', BRIDGE]);
  await ip(controlPlane, ['link', 'set', BRIDGE, 'up']);
  await ip(controlPlane, ['route', 'add', 'unreachable', 'default']);

  const outside = plan.machine.interface;
  await runTool('ip', ['link', 'add', outside, 'type', 'veth', 'peer', 'name', 'machine', 'netns', id(controlPlane)]);
  await ip(controlPlane, ['link', 'set', 'machine', 'master', BRIDGE, 'up']);
  await runTool('ip', ['address', 'add', `${plan.machine.address}/24`, 'dev', outside]);
  await runTool('ip', ['link', 'set', outside, 'up']);

  for (const [index, node] of plan.nodes.entries()) {
    const space = nodes[index];
    if (space === undefined) throw new ClusterError(`${node.name} has no namespace`);
    await ip(controlPlane, ['link', 'add', node.name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', id(space)]);
    await ip(controlPlane, ['link', 'set', node.name, 'master', BRIDGE, 'up']);
    await ip(space, ['address', 'add', `${node.address}/24`, 'dev', 'eth0']);
    await ip(space, ['link', 'set', 'eth0', 'up']);
    // A ClusterIP needs a route before kube-proxy can turn it into a pod's address.
    await ip(space, ['route', 'add', 'default', 'via', plan.controlPlane.address]);
  }

  for (const [index, space] of nodes.entries()) {
    for (const other of plan.nodes) if (other !== plan.nodes[index]) await ip(space, routeToPods(other));
  }
  for (const node of plan.nodes) {
    await ip(controlPlane, routeToPods(node));
    await runTool('ip', routeToPods(node));
  }
  // The first node's kube-proxy serves those who are no nodes themselves: the API server's webhooks, and clients outside.
  const services = ['route', 'add', plan.serviceRange, 'via', firstNode.address];
  await ip(controlPlane, services);
  await runTool('ip', services);
}

function routeToPods(node: NodePlan): string[] {
  return ['route', 'add', node.podRange, 'via', node.address];
}

/** Somebody's own network must not vanish behind the cluster's. */
async function refuseTakenRanges(plan: ClusterPlan): Promise<void> {
  const routes = (await runTool('ip', ['-4', 'route', 'show'])).split('\n').map((line) => line.split(' ')[0] ?? '');
  for (const range of [plan.nodeRange, plan.podRange, plan.serviceRange]) {
    const taken = routes.find((route) => overlaps(route, range));
    if (taken !== undefined) {
      throw new ClusterError(
        `this machine has a route to ${taken}, which overlaps the test cluster's ${range}; take another cluster number: CLUSTER=${(plan.number + 1) % 10}`,
      );
    }
  }
}

export function overlaps(one: string, other: string): boolean {
  const [a, b] = [parseRange(one), parseRange(other)];
  if (a === undefined || b === undefined) return false;
  const bits = Math.min(a.bits, b.bits);
  return bits > 0 && a.address >>> (32 - bits) === b.address >>> (32 - bits);
}

function parseRange(text: string): { address: number; bits: number } | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)(?:\/(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = match.slice(1, 5).map(Number);
  return { address: ((a << 24) | (b << 16) | (c << 8) | d) >>> 0, bits: Number(match[5] ?? 32) };
}

/** Takes the machine's end of the cable away, and with it every route to the cluster. */
export async function disconnectMachine(plan: ClusterPlan): Promise<void> {
  await tryTool('ip', ['link', 'delete', plan.machine.interface]);
}

async function ip(space: ProcessIdentity, args: readonly string[]): Promise<void> {
  const [command = '', ...rest] = [...enterCommand(space), 'ip', ...args];
  await runTool(command, rest);
}

function id(space: ProcessIdentity): string {
  return String(space.pid);
}
