import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from './cluster-error.ts';
import type { ClusterPlan } from './cluster-plan.ts';
import { Cgroups } from './machine/cgroups.ts';
import { identify, signal } from './machine/process-identity.ts';
import { disconnectMachine } from './parts/network.ts';

const PATIENCE_MS = 30_000;

/**
 * Ends every process of a cluster and takes away all it made; nothing to do is fine. The cluster's processes are those
 * in its control groups: whatever it started is there, also when the one that started it has long been killed.
 */
export async function stopCluster(plan: ClusterPlan): Promise<void> {
  const cgroups = new Cgroups(plan.cgroup);
  const deadline = Date.now() + PATIENCE_MS;
  await endProcesses(cgroups, deadline);
  await disconnectMachine(plan);
  let left: readonly string[];
  do {
    // A group takes a moment to be empty after its last process has ended.
    left = cgroups.remove();
    if (left.length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  } while (left.length > 0 && Date.now() < deadline);
  rmSync(plan.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  const found = leftovers(plan);
  if (found.length > 0) throw new ClusterError(`${plan.name} left something behind:\n${found.join('\n')}`);
}

async function endProcesses(cgroups: Cgroups, deadline: number): Promise<void> {
  for (;;) {
    const members = cgroups.members();
    if (members.size === 0) return;
    if (Date.now() > deadline) throw new ClusterError(`these processes don't end: ${[...members].join(' ')}`);
    for (const pid of members) {
      const identity = identify(pid);
      // Still one of ours, and not another that got its id meanwhile.
      if (identity !== undefined && cgroups.members().has(pid)) signal(identity, 'SIGKILL');
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** What there still is of a cluster, a line each: processes, control groups, interfaces, mounts, folders. */
export function leftovers(plan: ClusterPlan): readonly string[] {
  const cgroups = new Cgroups(plan.cgroup);
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return [
    ...[...cgroups.members()].map((pid) => `process ${pid}`),
    ...cgroups.paths().map((path) => `control group ${path}`),
    ...mounts.filter((line) => line.includes(plan.directory)).map((line) => `mount ${line.split(' ')[4]}`),
    ...[join('/sys/class/net', plan.machine.interface), plan.directory].filter((path) => existsSync(path)),
  ];
}
