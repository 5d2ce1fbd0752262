import { homedir } from 'node:os';
import { join } from 'node:path';

export interface NodePlan {
  /** Its name in Kubernetes, and its host name. */
  readonly name: string;
  readonly address: string;
  /** Of its pods, in CIDR notation. */
  readonly podRange: string;
  /** Everything it writes. */
  readonly directory: string;
  /** In each hierarchy, from its root. */
  readonly cgroup: string;
}

/** Every name, address and path of a cluster. Clusters of different numbers share nothing. */
export interface ClusterPlan {
  readonly number: number;
  readonly name: string;
  readonly directory: string;
  readonly kubeconfig: string;
  readonly stateFile: string;
  /** Held while it is started; beside the directory, which comes and goes. */
  readonly lockFile: string;
  readonly auditLog: string;
  /** Of all its processes, in each hierarchy, from its root. */
  readonly cgroup: string;
  /** Of the machine's own namespace on the cluster's bridge. */
  readonly machine: { readonly interface: string; readonly address: string };
  /** Of the control plane; also the router of the nodes, which knows no way out. */
  readonly controlPlane: { readonly address: string; readonly directory: string };
  readonly nodeRange: string;
  readonly podRange: string;
  readonly serviceRange: string;
  readonly apiServerService: string;
  readonly dnsService: string;
  readonly nodes: readonly NodePlan[];
}

/** `number`: 0 to 9. `nodes`: 1 to 9. */
export function planCluster(number: number, nodes: number, stateHome = defaultStateHome()): ClusterPlan {
  if (!Number.isInteger(number) || number < 0 || number > 9) throw new RangeError('CLUSTER must be 0 to 9');
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > 9) throw new RangeError('NODES must be 1 to 9');
  const name = `weir-cluster-${number}`;
  const directory = join(stateHome, 'weir', name);
  const pods = `10.${240 + number}`;
  const services = `10.${96 + number}`;
  const network = `10.89.${number}`;
  return {
    number,
    name,
    directory,
    kubeconfig: join(directory, 'kubeconfig'),
    stateFile: join(directory, 'state.json'),
    lockFile: `${directory}.lock`,
    auditLog: join(directory, 'control-plane', 'audit.log'),
    cgroup: name,
    machine: { interface: `weir-cluster${number}`, address: `${network}.254` },
    controlPlane: { address: `${network}.1`, directory: join(directory, 'control-plane') },
    nodeRange: `${network}.0/24`,
    podRange: `${pods}.0.0/16`,
    serviceRange: `${services}.0.0/16`,
    apiServerService: `${services}.0.1`,
    dnsService: `${services}.0.10`,
    nodes: Array.from({ length: nodes }, (_, index) => ({
      name: `node-${index + 1}`,
      address: `${network}.${11 + index}`,
      podRange: `${pods}.${index + 1}.0/24`,
      directory: join(directory, `node-${index + 1}`),
      cgroup: `${name}/node-${index + 1}`,
    })),
  };
}

function defaultStateHome(): string {
  return process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state');
}
