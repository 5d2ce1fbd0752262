/** From the objects that tell where a Service runs to the endpoints of one of its ports. */
import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import type { Endpoint } from '../../model/backend.ts';
import { sortEndpoints } from '../../model/order.ts';
import type { EndpointPort, EndpointSliceObject } from '../../snapshot/kinds/endpoint-slice.ts';
import type { EndpointsObject } from '../../snapshot/kinds/endpoints.ts';
import type { ServiceObject, ServicePort } from '../../snapshot/kinds/service.ts';
import { type ObjectHead, originOf } from '../../snapshot/object-head.ts';
import type { EndpointAddresses } from './endpoint-address.ts';

export interface FoundEndpoints {
  /** In canonical order, each address and port once. */
  readonly endpoints: readonly Endpoint[];
  readonly findings: readonly Finding[];
}

export interface EndpointSources {
  /** In order of their names. */
  readonly slices: readonly EndpointSliceObject[];
  /** Heard only where there is no slice. */
  readonly legacy: EndpointsObject | undefined;
}

export function findEndpoints(
  service: ServiceObject,
  port: ServicePort,
  sources: EndpointSources,
  addresses: EndpointAddresses,
): FoundEndpoints {
  const collector = new Collector(addresses);
  if (sources.slices.length > 0) collectSlices(service, port, sources.slices, collector);
  else if (sources.legacy !== undefined) collectLegacy(port, sources.legacy, collector);
  return { endpoints: collector.endpoints(), findings: collector.findings };
}

function collectSlices(
  service: ServiceObject,
  port: ServicePort,
  slices: readonly EndpointSliceObject[],
  collector: Collector,
): void {
  const primary = service.ipFamilies[0] ?? 'IPv4';
  // A dual-stack pod stands in a slice of each family and must not get twice its share.
  const targets = new Set<string>();
  const inOrder = [
    ...slices.filter(({ addressType }) => addressType === primary),
    ...slices.filter(({ addressType }) => addressType !== primary),
  ];
  for (const slice of inOrder) {
    if (slice.addressType !== 'IPv4' && slice.addressType !== 'IPv6') {
      const message = `The slice's address type is ${JSON.stringify(slice.addressType)}; it is not used.`;
      collector.findings.push(finding(INGRESS_FINDINGS.sliceOfNames, originOf(slice, 'addressType'), message));
      continue;
    }
    const number = portNumber(port, slice.ports);
    if (number === undefined) continue;
    slice.endpoints.forEach((endpoint, index) => {
      if (endpoint.state === 'gone') return;
      if (endpoint.target !== undefined) {
        if (slice.addressType !== primary && targets.has(endpoint.target)) return;
        if (slice.addressType === primary) targets.add(endpoint.target);
      }
      endpoint.addresses.forEach((text, at) => {
        collector.add(text, number, endpoint.state === 'draining', slice, `endpoints[${index}].addresses[${at}]`);
      });
    });
  }
}

function collectLegacy(port: ServicePort, { subsets, ...head }: EndpointsObject, collector: Collector): void {
  subsets.forEach((subset, index) => {
    const number = portNumber(port, subset.ports);
    if (number === undefined) return;
    subset.addresses.forEach((text, at) => {
      collector.add(text, number, false, head, `subsets[${index}].addresses[${at}].ip`);
    });
  });
}

/** Ports are matched by name. A slice's port without number leaves it to the Service. */
function portNumber(port: ServicePort, ports: readonly EndpointPort[]): number | undefined {
  const found = ports.find(({ name, protocol }) => name === port.name && protocol === 'TCP');
  if (found === undefined) return undefined;
  return found.port ?? (typeof port.targetPort === 'number' ? port.targetPort : port.port);
}

class Collector {
  readonly findings: Finding[] = [];
  readonly #addresses: EndpointAddresses;
  readonly #found = new Map<string, Endpoint>();

  constructor(addresses: EndpointAddresses) {
    this.#addresses = addresses;
  }

  add(text: string, port: number, draining: boolean, head: ObjectHead, field: string): void {
    const read = this.#addresses.read(text, port);
    if ('problem' in read) {
      const message = `${JSON.stringify(text)} ${read.problem}; the endpoint is not used.`;
      this.findings.push(finding(read.entry, originOf(head, field), message));
      return;
    }
    const key = `${read.address} ${port}`;
    if (draining && this.#found.has(key)) return;
    this.#found.set(key, { address: read.address, port, weight: 1, state: draining ? 'draining' : 'ready' });
  }

  endpoints(): readonly Endpoint[] {
    return sortEndpoints([...this.#found.values()]);
  }
}
