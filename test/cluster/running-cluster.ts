import { ClusterError } from './cluster-error.ts';
import type { ClusterPlan } from './cluster-plan.ts';
import { type ClusterState, type RunningDaemon, readState, writeState } from './cluster-state.ts';
import { Cgroups } from './machine/cgroups.ts';
import { type DaemonSpec, startDaemon } from './machine/daemon.ts';
import { isAlive, type ProcessIdentity } from './machine/process-identity.ts';
import { importImage } from './parts/node-images.ts';

const DAEMONS = 'daemons';

/** The processes of a cluster, on record in its state file from their first moment on. */
export class RunningCluster {
  readonly plan: ClusterPlan;
  readonly cgroups: Cgroups;
  #state: ClusterState;

  private constructor(plan: ClusterPlan, state: ClusterState) {
    this.plan = plan;
    this.cgroups = new Cgroups(plan.cgroup);
    this.#state = state;
  }

  /** A new one, with nothing running yet. */
  static create(plan: ClusterPlan, recipe: string): RunningCluster {
    const state: ClusterState = {
      phase: 'starting',
      recipe,
      nodes: plan.nodes.length,
      images: [],
      spaces: {},
      daemons: {},
    };
    const cluster = new RunningCluster(plan, state);
    writeState(plan.stateFile, state);
    for (const path of [`${plan.cgroup}/${DAEMONS}`, ...plan.nodes.map((node) => node.cgroup)])
      cluster.cgroups.make(path);
    return cluster;
  }

  /** The one that the state file tells of, if it was seen to work and all of it still runs. */
  static find(plan: ClusterPlan): RunningCluster | undefined {
    const state = readState(plan.stateFile);
    if (state?.phase !== 'running') return undefined;
    const processes = [...Object.values(state.spaces), ...Object.values(state.daemons).map((daemon) => daemon.process)];
    return processes.every(isAlive) ? new RunningCluster(plan, state) : undefined;
  }

  get state(): ClusterState {
    return this.#state;
  }

  get membersFile(): string {
    return this.cgroups.membersFile(`${this.plan.cgroup}/${DAEMONS}`);
  }

  /** The process that holds the namespaces of `control-plane` or of a node. */
  space(name: string): ProcessIdentity {
    const space = this.#state.spaces[name];
    if (space === undefined) throw new ClusterError(`${this.plan.name} has no namespaces called ${name}`);
    return space;
  }

  addSpace(name: string, identity: ProcessIdentity): void {
    this.#record((state) => ({ spaces: { ...state.spaces, [name]: identity } }));
  }

  /** Starts a daemon in the namespaces of that name. */
  start(spec: DaemonSpec, space: string): ProcessIdentity {
    const process = startDaemon(spec, this.membersFile, this.space(space));
    this.#record((state) => ({ daemons: { ...state.daemons, [spec.name]: { spec, space, process } } }));
    return process;
  }

  daemon(name: string): RunningDaemon {
    this.#state = readState(this.plan.stateFile) ?? this.#state;
    const daemon = this.#state.daemons[name];
    const known = Object.keys(this.#state.daemons).join(', ');
    if (daemon === undefined) throw new ClusterError(`${this.plan.name} has no daemon ${name}; it has ${known}`);
    return daemon;
  }

  /** Gives an archive's images to every node, once. */
  async addImage(archive: string): Promise<void> {
    if (this.#state.images.includes(archive)) return;
    await Promise.all(this.plan.nodes.map((node) => importImage(this.space(node.name), archive)));
    this.#record((state) => ({ images: [...state.images, archive] }));
  }

  markRunning(): void {
    this.#record(() => ({ phase: 'running' }));
  }

  /** Based on what is on record by now: several test programs may use the same cluster, one after the other. */
  #record(change: (state: ClusterState) => Partial<ClusterState>): void {
    const state = readState(this.plan.stateFile) ?? this.#state;
    this.#state = { ...state, ...change(state) };
    writeState(this.plan.stateFile, this.#state);
  }
}
