import { ClusterError } from '../cluster/cluster-error.ts';
import { planFromEnvironment, planOfRunning } from '../cluster/cluster-settings.ts';
import { loadImage } from '../cluster/load-image.ts';
import { runTool, type ToolOptions, type ToolResult, tryTool } from '../cluster/machine/run-tool.ts';
import { Progress } from '../cluster/progress.ts';
import { RunningCluster } from '../cluster/running-cluster.ts';
import { type ClusterTools, startCluster } from '../cluster/start-cluster.ts';
import { ClusterFaults } from './cluster-faults.ts';
import type { Scope } from './scope.ts';

export interface ClusterNode {
  readonly name: string;
  /** Its InternalIP. */
  readonly address: string;
}

/** A Kubernetes that tests use: the test cluster, or somebody's own. */
export class Cluster {
  readonly kubeconfig: string;
  readonly tools: ClusterTools;
  readonly #own: RunningCluster | undefined;

  constructor(kubeconfig: string, tools: ClusterTools, own?: RunningCluster) {
    this.kubeconfig = kubeconfig;
    this.tools = tools;
    this.#own = own;
  }

  /** Runs kubectl; its stdout. A ClusterError with what it said if it fails. */
  kubectl(args: readonly string[], options: ToolOptions = {}): Promise<string> {
    return runTool(this.tools.kubectl, [`--kubeconfig=${this.kubeconfig}`, ...args], options);
  }

  /** Runs kubectl, whatever its exit code. */
  tryKubectl(args: readonly string[], options: ToolOptions = {}): Promise<ToolResult> {
    return tryTool(this.tools.kubectl, [`--kubeconfig=${this.kubeconfig}`, ...args], options);
  }

  helm(args: readonly string[], options: ToolOptions = {}): Promise<string> {
    return runTool(this.tools.helm, [`--kubeconfig=${this.kubeconfig}`, ...args], options);
  }

  /** Server-side apply. `manifests`: YAML, or objects. Objects without a namespace go into `namespace`. */
  async apply(manifests: string | readonly object[], namespace = 'default'): Promise<void> {
    const items = (objects: readonly object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    const stdin = typeof manifests === 'string' ? manifests : items(manifests);
    await this.kubectl(['apply', '--server-side', '--force-conflicts', '-n', namespace, '-f', '-'], { stdin });
  }

  /** One object or a list, as the API server answers. `what` as kubectl takes it: `pods`, `ingress/shop`. */
  async get<T = unknown>(what: string, namespace = 'default', ...args: string[]): Promise<T> {
    return JSON.parse(await this.kubectl(['get', what, '-n', namespace, '-o', 'json', ...args])) as T;
  }

  /** `condition` as kubectl takes it: `condition=Ready`, `delete`, `jsonpath={.status.phase}=Running`. */
  async waitFor(what: string, condition: string, namespace = 'default', withinS = 120): Promise<void> {
    await this.kubectl(['wait', what, `--for=${condition}`, '-n', namespace, `--timeout=${withinS}s`]);
  }

  /** Until a Deployment or DaemonSet runs as it was last described. */
  async rolledOut(what: string, namespace = 'default', withinS = 120): Promise<void> {
    await this.kubectl(['rollout', 'status', what, '-n', namespace, `--timeout=${withinS}s`]);
  }

  /** Runs a command in a pod's (first or given) container; its stdout. `pod` as kubectl takes it: `deploy/echo`. */
  exec(pod: string, namespace: string, command: readonly string[], container?: string): Promise<string> {
    const where = container === undefined ? [] : ['-c', container];
    return this.kubectl(['exec', pod, '-n', namespace, ...where, '--', ...command]);
  }

  /** A namespace of the test's own, deleted without waiting when the test ends. Its name begins with `prefix`. */
  async namespace(scope: Scope, prefix = 'test', labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const metadata = { generateName: `${prefix}-`, labels };
    const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata });
    const created = await this.kubectl(['create', '-f', '-', '-o', 'jsonpath={.metadata.name}'], { stdin });
    scope.after(async () => {
      await this.tryKubectl(['delete', 'namespace', created, '--wait=false', '--ignore-not-found']);
    });
    // Pods are refused until the namespace has its service account.
    await this.waitFor('serviceaccount/default', 'create', created, 30);
    return created;
  }

  async nodes(): Promise<readonly ClusterNode[]> {
    const { items } = await this.get<NodeList>('nodes');
    return items.map(({ metadata, status }) => ({
      name: metadata.name,
      address: status.addresses.find(({ type }) => type === 'InternalIP')?.address ?? '',
    }));
  }

  /** Imports an OCI archive into every node; the names of its images. */
  loadImage(archive: string): Promise<readonly string[]> {
    return loadImage(this.#test('an image can be loaded'), archive);
  }

  /** What can be done to the test cluster's own daemons. */
  faults(): ClusterFaults {
    return new ClusterFaults(this.#test('daemons can be stopped'));
  }

  /** Whether this is the cluster of test/cluster, which tests may do anything to. */
  get isTestCluster(): boolean {
    return this.#own !== undefined;
  }

  /** Requests of people and of programs under test, a JSON object a line (audit.k8s.io/v1 Event, without bodies). */
  get auditLog(): string {
    return this.#test('there is an audit log').plan.auditLog;
  }

  #test(what: string): RunningCluster {
    if (this.#own !== undefined) return this.#own;
    throw new ClusterError(`${what} in the test cluster only; KUBECONFIG names another one: ${this.kubeconfig}`);
  }
}

interface NodeList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status: { readonly addresses: readonly { readonly type: string; readonly address: string }[] };
  }[];
}

/**
 * The cluster that KUBECONFIG names, with the kubectl and helm that PATH names. Without KUBECONFIG, or when it names
 * the test cluster: that one, started if it doesn't run. It is left running.
 */
export async function joinCluster(env: NodeJS.ProcessEnv = process.env): Promise<Cluster> {
  const given = env.KUBECONFIG;
  if (given !== undefined && given !== '' && given !== planFromEnvironment(env).kubeconfig) {
    return new Cluster(given, { kubectl: 'kubectl', helm: 'helm' });
  }
  const running = RunningCluster.find(planOfRunning(env));
  const plan = running?.plan ?? planFromEnvironment(env);
  const tools = await startCluster(plan, new Progress());
  const cluster = RunningCluster.find(plan);
  if (cluster === undefined)
    throw new ClusterError(`${plan.name} has ended right after its start; logs: ${plan.directory}`);
  return new Cluster(plan.kubeconfig, tools, cluster);
}
