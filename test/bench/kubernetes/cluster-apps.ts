import { Socket } from 'node:net';
import type { KubeClient } from '../../../src/kube/kube-client.ts';
import { endpointSlice, ingress, ingressClass, type Manifest, service } from '../../support/manifests.ts';

/** Requests of the creator that are under way at once. */
const PARALLEL = 16;

export const CLASS = 'weir-scale';

const PATHS: Readonly<Record<string, string>> = {
  Ingress: '/apis/networking.k8s.io/v1',
  EndpointSlice: '/apis/discovery.k8s.io/v1',
  Service: '/api/v1',
};
const PLURALS: Readonly<Record<string, string>> = {
  Ingress: 'ingresses',
  EndpointSlice: 'endpointslices',
  Service: 'services',
};

export interface AppEndpoints {
  /** Both listen on this address, which isn't a loopback one: an API server takes none. */
  readonly address: string;
  readonly port: number;
}

/** Ingresses with a host, a Service and an EndpointSlice each, in a namespace of their own, made by the API. */
export class ClusterApps {
  readonly namespace: string;
  readonly #client: KubeClient;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
  }

  hostOf(index: number): string {
    return `app-${index}.${this.namespace}.test`;
  }

  async begin(): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } };
    await this.#client.request({ method: 'POST', path: '/api/v1/namespaces', body: namespace });
    await this.#client.request({
      method: 'PATCH',
      path: `/apis/networking.k8s.io/v1/ingressclasses/${CLASS}`,
      query: { fieldManager: 'scale' },
      contentType: 'application/apply-patch+yaml',
      body: ingressClass(CLASS),
    });
  }

  /** Those from one index up to before another. */
  async create(from: number, to: number, endpoints: AppEndpoints): Promise<void> {
    await inParallel(range(from, to), (index) => this.createOne(index, endpoints));
  }

  async createOne(index: number, endpoints: AppEndpoints): Promise<void> {
    for (const manifest of this.#manifests(index, endpoints)) {
      await this.#client.request({ method: 'POST', path: this.#path(manifest.kind ?? ''), body: manifest });
    }
  }

  async delete(from: number, to: number): Promise<void> {
    await inParallel(range(from, to), (index) => this.deleteOne(index));
  }

  async deleteOne(index: number): Promise<void> {
    for (const kind of Object.keys(PATHS)) {
      await this.#client.request({ method: 'DELETE', path: `${this.#path(kind)}/app-${index}` });
    }
  }

  /** Moves the endpoints of one app to another port. */
  async move(index: number, port: number): Promise<void> {
    await this.#client.request({
      method: 'PATCH',
      path: `${this.#path('EndpointSlice')}/app-${index}`,
      contentType: 'application/merge-patch+json',
      body: { ports: [{ name: 'http', port, protocol: 'TCP' }] },
    });
  }

  /** Names of the Ingresses and their addresses, as they come; `changed` says whether what was seen is enough. */
  async follow(enough: (name: string, addresses: readonly string[]) => boolean, signal: AbortSignal): Promise<void> {
    const documents = await this.#client.stream({
      method: 'GET',
      path: this.#path('Ingress'),
      query: { watch: true },
      signal,
    });
    for await (const { object } of documents as AsyncIterable<{ readonly object: WatchedIngress }>) {
      const addresses = object.status?.loadBalancer?.ingress ?? [];
      if (
        enough(
          object.metadata.name,
          addresses.map(({ ip = '' }) => ip),
        )
      )
        return;
    }
    throw new Error('the watch of Ingresses ended before its time');
  }

  /** Deletes all of them and the class, without waiting for the namespace to be gone. */
  async end(): Promise<void> {
    for (const kind of Object.keys(PATHS)) {
      await this.#client.request({ method: 'DELETE', path: this.#path(kind), timeout: 180_000 }).catch(() => undefined);
    }
    await this.#client.request({ method: 'DELETE', path: `/api/v1/namespaces/${this.namespace}` });
    await this.#client.request({ method: 'DELETE', path: `/apis/networking.k8s.io/v1/ingressclasses/${CLASS}` });
  }

  #path(kind: string): string {
    return `${PATHS[kind]}/namespaces/${this.namespace}/${PLURALS[kind]}`;
  }

  #manifests(index: number, { address, port }: AppEndpoints): readonly Manifest[] {
    const name = `app-${index}`;
    const { namespace } = this;
    const slice = endpointSlice({
      name,
      namespace,
      service: name,
      ports: [{ name: 'http', port }],
      endpoints: [address],
    });
    return [
      keptOutOfNodes(slice),
      // Without a ClusterIP: to allot one takes an API server with thousands of Services 70 to 750 ms, and weir doesn't read it.
      applied(
        keptOutOfNodes(
          service({ name, namespace, headless: true, ports: [{ name: 'http', port: 80, targetPort: 8080 }] }),
        ),
      ),
      applied(
        ingress({
          name,
          namespace,
          host: this.hostOf(index),
          className: CLASS,
          paths: [{ service: name, port: 'http' }],
        }),
      ),
    ];
  }
}

interface WatchedIngress {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } };
}

/** This label has kube-proxy leave it alone: thousands of rules on each node would be measured, too. */
function keptOutOfNodes<T extends Manifest>(manifest: T): T {
  const labels = { ...manifest.metadata?.labels, 'service.kubernetes.io/service-proxy-name': 'none' };
  return { ...manifest, metadata: { ...manifest.metadata, labels } };
}

/** As `kubectl apply` leaves it: with a copy of itself. */
function applied<T extends Manifest>(manifest: T): T {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(manifest) };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

/** The machine's address on the way to the API server: one that pods reach as well. */
export function addressTowards(server: string): Promise<string> {
  const { hostname, port } = new URL(server);
  return new Promise((resolve, reject) => {
    const socket = new Socket().once('error', reject);
    socket.connect({ host: hostname, port: Number(port || 443) }, () => {
      resolve(socket.localAddress ?? '');
      socket.destroy();
    });
  });
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

async function inParallel(indexes: readonly number[], work: (index: number) => Promise<void>): Promise<void> {
  const left = indexes.values();
  const worker = async () => {
    for (const index of left) await work(index);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
