import { join } from 'node:path';
import { type Cluster, joinCluster } from '../cluster.ts';
import { eventually } from '../scope.ts';
import { Entry } from './entry.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CHART = join(ROOT, 'deploy/helm/weir');
const ARCHIVE = join(ROOT, 'dist/weir-image.tar');
const ADMIN = ['--admin', 'unix:/var/lib/weir/state/admin.sock'];
const RELEASE = 'weir';

export type Component = 'controller' | 'proxy';

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName: string; readonly containers: readonly { readonly name: string }[] };
  readonly status: {
    readonly podIP: string;
    readonly phase: string;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly restartCount: number; readonly containerID?: string }[];
  };
}

interface Service {
  readonly spec: { readonly clusterIP: string };
  readonly status: {
    readonly loadBalancer: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] };
  };
}

/** weir in the cluster as its users have it: the image of `make package`, installed by helm. */
export class InstalledWeir {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly entry: Entry;
  /** What the Service before the proxies was given by its cloud; where there is none the tests play it. */
  readonly address: string;

  private constructor(cluster: Cluster, namespace: string, entry: Entry, address: string) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.entry = entry;
    this.address = address;
  }

  /** Installs it, or brings what is installed back to these values. It stays installed: the next file goes on with it. */
  static async join(): Promise<InstalledWeir> {
    const cluster = await joinCluster();
    if (cluster.isTestCluster) await cluster.loadImage(ARCHIVE);
    const namespace = 'weir-e2e';
    await upgrade(cluster, namespace);
    const address = await giveAddress(cluster, namespace);
    const { spec } = await cluster.get<Service>(`service/${RELEASE}-proxy`, namespace);
    const reached = cluster.isTestCluster ? spec.clusterIP : address;
    const entry = new Entry({ address: reached, httpPort: 80, httpsPort: 443 }, 'weir');
    return new InstalledWeir(cluster, namespace, entry, address);
  }

  /** `helm upgrade` with the tests' values and these over them, until all pods are as they should be. */
  upgrade(...values: readonly string[]): Promise<void> {
    return upgrade(this.cluster, this.namespace, values);
  }

  /** Those that are not about to end. */
  async pods(component: Component): Promise<readonly Pod[]> {
    const selector = `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/component=${component}`;
    const { items } = await this.cluster.get<{ items: Pod[] }>('pods', this.namespace, '-l', selector);
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** As kubectl takes it. */
  deployment(component: Component): string {
    return `deployment/${RELEASE}-${component}`;
  }

  rolledOut(component: Component): Promise<void> {
    return this.cluster.rolledOut(this.deployment(component), this.namespace);
  }

  /** Runs weir in a pod, against the pod's own admin socket; its stdout. */
  weir(pod: string, command: string, ...args: readonly string[]): Promise<string> {
    return this.cluster.exec(pod, this.namespace, ['/usr/bin/weir', command, ...ADMIN, ...args]);
  }

  /** Name of the controller's pod that leads. */
  async leader(): Promise<string> {
    const lease = await this.cluster.get<{ spec: { holderIdentity?: string } }>(
      `lease/${RELEASE}-leader`,
      this.namespace,
    );
    return lease.spec.holderIdentity?.split('_')[0] ?? '';
  }
}

async function upgrade(cluster: Cluster, namespace: string, values: readonly string[] = []): Promise<void> {
  const image = process.env.WEIR_IMAGE ?? 'localhost/weir:0.1.0';
  const colon = image.lastIndexOf(':');
  const settings = [
    `image.repository=${image.slice(0, colon)}`,
    `image.tag=${image.slice(colon + 1)}`,
    'proxy.resources.requests.cpu=50m',
    'controller.resources.requests.cpu=50m',
    ...values,
  ];
  const set = settings.flatMap((setting) => ['--set', setting]);
  const wait = ['--wait', '--timeout', '120s'];
  await cluster.helm(['upgrade', '--install', RELEASE, CHART, '-n', namespace, '--create-namespace', ...set, ...wait]);
}

/** The test cluster has no cloud that gives load balancers: an address of a documentation range (RFC 5737) stands for one. */
async function giveAddress(cluster: Cluster, namespace: string): Promise<string> {
  const service = `service/${RELEASE}-proxy`;
  if (cluster.isTestCluster) {
    const patch = JSON.stringify({ status: { loadBalancer: { ingress: [{ ip: '192.0.2.80' }] } } });
    await cluster.kubectl(['patch', service, '-n', namespace, '--subresource=status', '--type=merge', '-p', patch]);
  }
  return eventually(
    'the Service before the proxies to have an address',
    async () => {
      const { status } = await cluster.get<Service>(service, namespace);
      const [first] = status.loadBalancer.ingress ?? [];
      return first?.ip ?? first?.hostname;
    },
    { withinMs: 120_000, everyMs: 500 },
  );
}
