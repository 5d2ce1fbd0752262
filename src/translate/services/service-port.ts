import type { ServiceObject, ServicePort } from '../../snapshot/kinds/service.ts';

export interface PortReference {
  readonly name?: string;
  readonly number?: number;
}

export interface FoundPort {
  /** The same for every way of naming the port: its name, or its number where it has none that Kubernetes would take. */
  readonly key: string;
  readonly port: ServicePort;
  /** In the Service's list; undefined for a port of an external name, which needs not be listed. */
  readonly index?: number;
}

/** The TCP port of the Service that the reference means. A port of an external name may be any number. */
export function findServicePort(service: ServiceObject, wanted: PortReference): FoundPort | undefined {
  const index = service.ports.findIndex(
    ({ name, port, protocol }) =>
      protocol === 'TCP' &&
      (wanted.number === undefined ? name !== '' && name === wanted.name : port === wanted.number),
  );
  const port = service.ports[index];
  if (service.type === 'ExternalName') {
    const number = wanted.number ?? port?.port;
    if (number === undefined) return undefined;
    const external = { name: '', port: number, protocol: 'TCP' };
    return { key: String(number), port: external, ...(index < 0 ? {} : { index }) };
  }
  if (port === undefined) return undefined;
  return { key: PORT_NAME.test(port.name) ? port.name : String(port.port), port, index };
}

/** What an API server lets pass. Manifests may say anything: that must not become part of a backend's id. */
const PORT_NAME = /^(?=.{1,63}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** The port that `FoundPort.key` was made from. */
export function servicePortByKey(service: ServiceObject, key: string): FoundPort | undefined {
  return (
    findServicePort(service, { name: key }) ??
    (/^[0-9]+$/.test(key) ? findServicePort(service, { number: Number(key) }) : undefined)
  );
}

/** `http (80), 8443`: for messages. */
export function portList(service: ServiceObject): string {
  if (service.ports.length === 0) return 'none';
  return service.ports
    .map(
      ({ name, port, protocol }) =>
        `${name === '' ? port : `${name} (${port})`}${protocol === 'TCP' ? '' : `/${protocol}`}`,
    )
    .join(', ');
}
