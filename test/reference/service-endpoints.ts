import type { EndpointSliceManifest, Manifest, ServiceManifest, ServiceReference } from './manifest.ts';

/** `address:port` of each endpoint that requests to the Service may go to; empty where there is none. */
export function serviceEndpoints(
  manifests: readonly Manifest[],
  namespace: string,
  reference: ServiceReference,
): readonly string[] {
  const { name } = reference.service;
  const found = findPort(manifests, namespace, reference);
  if (found === undefined) return [];
  const slices = manifests.filter(
    (manifest): manifest is EndpointSliceManifest =>
      manifest.kind === 'EndpointSlice' &&
      manifest.metadata.namespace === namespace &&
      manifest.metadata.labels?.['kubernetes.io/service-name'] === name,
  );
  const all = slices.flatMap(({ ports, endpoints }) =>
    ports
      .filter((candidate) => candidate.name === (found.name ?? ''))
      .flatMap((candidate) =>
        endpoints.map(({ addresses: [address], conditions = {} }) => ({
          place: `${address}:${candidate.port}`,
          ...conditions,
        })),
      ),
  );
  // A condition that isn't there means that the endpoint is ready (EndpointConditions in the API reference).
  const ready = all.filter((endpoint) => endpoint.ready !== false);
  const draining = all.filter((endpoint) => endpoint.serving === true && endpoint.terminating === true);
  return (ready.length > 0 ? ready : draining).map(({ place }) => place);
}

/** Whether there is a Service with that port. */
export function hasPort(manifests: readonly Manifest[], namespace: string, reference: ServiceReference): boolean {
  return findPort(manifests, namespace, reference) !== undefined;
}

function findPort(manifests: readonly Manifest[], namespace: string, reference: ServiceReference) {
  const { name, port } = reference.service;
  const service = manifests.find(
    (manifest): manifest is ServiceManifest =>
      manifest.kind === 'Service' && manifest.metadata.namespace === namespace && manifest.metadata.name === name,
  );
  return service?.spec.ports.find((candidate) =>
    port.name === undefined ? candidate.port === port.number : candidate.name === port.name,
  );
}
