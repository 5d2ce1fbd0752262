/**
 * Runs a command in the network, mounts and host name of a node or of the control plane.
 * Usage: enter.ts node-1|control-plane COMMAND [ARG…]
 */
import { spawnSync } from 'node:child_process';
import { ClusterError } from './cluster-error.ts';
import { planOfRunning } from './cluster-settings.ts';
import { enterCommand } from './machine/daemon.ts';
import { RunningCluster } from './running-cluster.ts';

if (import.meta.main) {
  try {
    const [where, ...command] = process.argv.slice(2);
    if (where === undefined || command.length === 0)
      throw new ClusterError('usage: enter.ts node-1|control-plane COMMAND');
    const cluster = RunningCluster.find(planOfRunning());
    if (cluster === undefined) throw new ClusterError('no test cluster runs; start one with: make cluster');
    const [program = '', ...args] = [...enterCommand(cluster.space(where)), ...command];
    process.exitCode = spawnSync(program, args, { stdio: 'inherit' }).status ?? 1;
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    console.error(`enter: ${error.message}`);
    process.exitCode = 1;
  }
}
