import { type ClusterPlan, planCluster } from './cluster-plan.ts';
import { ClusterError } from './cluster-error.ts';
import { readState } from './cluster-state.ts';

/** CLUSTER (its number, default 0) and NODES (default 2), from the environment. */
export function planFromEnvironment(env: NodeJS.ProcessEnv = process.env): ClusterPlan {
  return planCluster(integer('CLUSTER', env.CLUSTER, 0), integer('NODES', env.NODES, 2));
}

/** The same with as many nodes as the cluster has that runs under this number, if one does. */
export function planOfRunning(env: NodeJS.ProcessEnv = process.env): ClusterPlan {
  const plan = planFromEnvironment(env);
  const state = readState(plan.stateFile);
  return state === undefined ? plan : planCluster(plan.number, state.nodes);
}

function integer(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined || text === '') return otherwise;
  if (!/^\d$/.test(text)) throw new ClusterError(`${name}=${text}: a digit is wanted`);
  return Number(text);
}
