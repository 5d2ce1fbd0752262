import type { ToolResult } from '../cluster/machine/run-tool.ts';
import { tryTool } from '../cluster/machine/run-tool.ts';
import { enterCommand } from '../cluster/machine/daemon.ts';
import { isAlive, signal } from '../cluster/machine/process-identity.ts';
import type { RunningCluster } from '../cluster/running-cluster.ts';
import { eventually, type Scope } from './scope.ts';

/** A part of the test cluster: `kube-apiserver`, `etcd`, `kube-controller-manager`, `node-1 kubelet`, `node-2 kube-proxy`, … */
export type DaemonName = string;

/** What can happen to the test cluster's parts. Each is undone when the test ends. */
export class ClusterFaults {
  readonly #cluster: RunningCluster;

  constructor(cluster: RunningCluster) {
    this.#cluster = cluster;
  }

  /** Ends a daemon and waits until it is gone; connections to it are refused. Call the answer to start it again. */
  async stop(scope: Scope, name: DaemonName, how: NodeJS.Signals = 'SIGKILL'): Promise<() => void> {
    const { spec, space, process } = this.#cluster.daemon(name);
    signal(process, how);
    let stopped = true;
    const start = () => {
      if (stopped) this.#cluster.start(spec, space);
      stopped = false;
    };
    scope.after(start);
    await eventually(`${name} to end`, () => !isAlive(process), { withinMs: 30_000 });
    return start;
  }

  /** Freezes a daemon: connections to it are accepted and nothing is answered. Call the answer to let it go on. */
  freeze(scope: Scope, name: DaemonName): () => void {
    const { process } = this.#cluster.daemon(name);
    signal(process, 'SIGSTOP');
    const goOn = () => {
      signal(process, 'SIGCONT');
    };
    scope.after(goOn);
    return goOn;
  }

  /** Runs a command in the network, mounts and host name of a node, or of `control-plane`. */
  run(where: string, command: readonly string[]): Promise<ToolResult> {
    const [program = '', ...args] = [...enterCommand(this.#cluster.space(where)), ...command];
    return tryTool(program, args);
  }
}
