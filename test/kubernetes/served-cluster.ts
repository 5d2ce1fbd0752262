import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/kube-object.ts';
import type { Resource } from '../../src/snapshot/resource.ts';
import { FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import type { NewObject } from '../support/fake-api-server/stored-object.ts';
import { ingress, ingressClass, service, slice } from '../support/resources.ts';
import { type Scope, temporaryDirectory } from '../support/scope.ts';

const RESOURCES: Readonly<Record<string, { readonly group: string; readonly plural: string }>> = {
  Ingress: { group: 'networking.k8s.io', plural: 'ingresses' },
  IngressClass: { group: 'networking.k8s.io', plural: 'ingressclasses' },
  Service: { group: '', plural: 'services' },
  EndpointSlice: { group: 'discovery.k8s.io', plural: 'endpointslices' },
  Secret: { group: '', plural: 'secrets' },
  ConfigMap: { group: '', plural: 'configmaps' },
};

/** An API server for `weir run --kubeconfig`, with the class in it. */
export class ServedCluster {
  readonly server: FakeApiServer;
  /** Path. */
  readonly kubeconfig: string;

  private constructor(server: FakeApiServer, kubeconfig: string) {
    this.server = server;
    this.kubeconfig = kubeconfig;
  }

  static async start(scope: Scope): Promise<ServedCluster> {
    const server = await FakeApiServer.start(scope);
    const file = join(temporaryDirectory(scope, 'kubeconfig'), 'config');
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'test',
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'shop' } }],
        clusters: [{ name: 'test', cluster: { server: server.url } }],
        users: [{ name: 'test', user: {} }],
      }),
    );
    const cluster = new ServedCluster(server, file);
    cluster.put(ingressClass({ name: 'weir' }));
    return cluster;
  }

  put(...resources: readonly Resource[]): void {
    for (const { ref, body } of resources) this.server.store.put(RESOURCES[ref.kind]!, body as NewObject);
  }

  delete(...resources: readonly Resource[]): KubeObject[] {
    return resources.map(({ ref }) => this.server.store.delete(RESOURCES[ref.kind]!, `${ref.namespace}/${ref.name}`));
  }
}

/** An Ingress of one host, its Service, and its slice with these endpoints. */
export function site(
  name: string,
  endpoint: { readonly address: string; readonly port: number },
  tls?: string,
): readonly Resource[] {
  const secret = tls === undefined ? {} : { tls: [{ hosts: [`${name}.example`], secretName: tls }] };
  return [
    ingress({ name, class: 'weir', hosts: { [`${name}.example`]: [{ path: '/', to: `${name}:80` }] }, ...secret }),
    service({ name }),
    slice({ of: name, ports: [{ port: endpoint.port }], endpoints: [endpoint.address] }),
  ];
}

/** An address of this machine that is not loopback, which no cluster's endpoint may be. */
export function machineAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}
