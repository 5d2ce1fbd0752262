import { generate } from 'selfsigned';
import type { ManifestFolder } from '../../support/manifest-folder.ts';
import { endpointSlice, ingress, type Manifest, service, tlsSecret } from '../../support/manifests.ts';

export const BACKEND_ADDRESSES = ['127.0.0.1', '127.0.0.2'];

export interface ScaleOptions {
  /** Ingresses, each with a host, a Service and an EndpointSlice of its own. */
  readonly apps: number;
  /** How many of them have TLS with a certificate of their own. */
  readonly certificates: number;
  /** Port of the endpoints at first, and the one that changes bring. */
  readonly ports: { readonly first: number; readonly changed: number };
}

export function hostOf(index: number): string {
  return `app-${index}.scale.test`;
}

/** One file an app, a hundred in a folder, as a repository of a platform team might have them. */
export function fileOf(index: number): string {
  return `team-${Math.floor(index / 100)}/app-${index}.json`;
}

/** Each app has two endpoints, on this port of two loopback addresses. */
export function appManifests(
  index: number,
  port: number,
  certificate?: { certificate: string; key: string },
): Manifest[] {
  const name = `app-${index}`;
  const namespace = `team-${Math.floor(index / 100)}`;
  const manifests: Manifest[] = [
    ingress({
      name,
      namespace,
      host: hostOf(index),
      className: 'weir',
      paths: [{ service: name, port: 'http' }],
      ...(certificate === undefined
        ? {}
        : {
            tls: [{ hosts: [hostOf(index)], secretName: `${name}-tls` }],
            annotations: { 'nginx.ingress.kubernetes.io/ssl-redirect': 'false' },
          }),
    }),
    service({ name, namespace, ports: [{ name: 'http', port: 80, targetPort: 8080 }] }),
    endpointSlice({
      name: `${name}-k4x2p`,
      namespace,
      service: name,
      ports: [{ name: 'http', port }],
      endpoints: BACKEND_ADDRESSES,
    }),
  ];
  if (certificate !== undefined) manifests.push(tlsSecret({ name: `${name}-tls`, namespace, ...certificate }));
  return manifests;
}

/** Writes them all; returns the certificates, by app, so that an app can be written again with the same one. */
export async function writeScaleManifests(
  folder: ManifestFolder,
  options: ScaleOptions,
): Promise<Map<number, { certificate: string; key: string }>> {
  const { apps, certificates, ports } = options;
  const pairs = new Map<number, { certificate: string; key: string }>();
  for (let index = 0; index < apps; index += 1) {
    if (index < certificates) pairs.set(index, await selfSigned(hostOf(index)));
    folder.write(fileOf(index), appManifests(index, ports.first, pairs.get(index)));
  }
  return pairs;
}

async function selfSigned(host: string): Promise<{ certificate: string; key: string }> {
  const made = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
  });
  return { certificate: `${made.cert}\n`, key: made.private };
}
