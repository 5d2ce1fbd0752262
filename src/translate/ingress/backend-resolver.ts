import { type CatalogueEntry, finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import type { IngressBackend } from '../../snapshot/kinds/ingress.ts';
import { objectKey, originOf } from '../../snapshot/object-head.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type BackendSettings, type BackendSpec, backendId } from '../services/backend-spec.ts';
import type { BackendUse } from '../services/backend-table.ts';
import { followExternalName } from '../services/external-name.ts';
import { findServicePort, portList } from '../services/service-port.ts';
import type { ServedIngress } from './served-ingress.ts';

/** Finds the backends of one host's routes, and keeps account of what it looked at. */
export class BackendResolver {
  readonly uses: BackendUse[] = [];
  /** Keys of the Services that the outcome depends on, also those that are missing. */
  readonly services = new Set<string>();
  readonly findings: Finding[] = [];
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** The backend's id, or for people why there is none (then it is reported). `field` is the backend's own. */
  resolve(
    ingress: ServedIngress,
    backend: IngressBackend,
    field: string,
    settings: BackendSettings,
  ): { readonly id: string } | { readonly reason: string } {
    const { object } = ingress;
    const refuse = (entry: CatalogueEntry, at: string, reason: string, fix?: string) => {
      this.findings.push(finding(entry, originOf(object, at), `${reason}; the route answers 503.`, fix));
      return { reason };
    };
    const { service: reference, resource } = backend;
    if (reference === undefined) {
      if (resource === undefined) return refuse(INGRESS_FINDINGS.backendIncomplete, field, 'The backend names nothing');
      const what = `The backend is ${resource.kind} ${resource.name}, and resource backends are not supported`;
      return refuse(INGRESS_FINDINGS.resourceBackend, `${field}.resource`, what);
    }
    const { name: portName = '', number } = reference.port ?? {};
    if ((portName === '') === (number === undefined) || resource !== undefined) {
      const what =
        resource === undefined
          ? 'The port needs a name or a number, one of the two'
          : 'The backend is a Service and a resource at once';
      return refuse(INGRESS_FINDINGS.backendIncomplete, resource === undefined ? `${field}.service.port` : field, what);
    }
    const serviceKey = objectKey(object.ref.namespace, reference.name);
    this.services.add(serviceKey);
    const service = this.#snapshot.get('Service', serviceKey);
    if (service === undefined) {
      return refuse(INGRESS_FINDINGS.serviceNotFound, `${field}.service.name`, `Service ${serviceKey} does not exist`);
    }
    const port = findServicePort(service, number === undefined ? { name: portName } : { number });
    if (port === undefined) {
      const wanted = number === undefined ? JSON.stringify(portName) : String(number);
      const reason = `Service ${serviceKey} has no TCP port ${wanted}`;
      return refuse(
        INGRESS_FINDINGS.servicePortNotFound,
        `${field}.service.port.${number === undefined ? 'name' : 'number'}`,
        reason,
        `Use a port that the Service has (${portList(service)}), or add the port to the Service.`,
      );
    }
    let services: readonly string[] = [serviceKey];
    if (service.type === 'ExternalName') {
      const external = followExternalName(this.#snapshot, service);
      services = external.services;
      for (const key of services) this.services.add(key);
      if (external.name === undefined) {
        const reason = `Service ${serviceKey} has no usable external name: ${external.problem}`;
        return refuse(INGRESS_FINDINGS.externalNameInvalid, `${field}.service.name`, reason);
      }
    }
    let own = settings;
    if (settings.serviceUpstream && (service.clusterIP === undefined || service.type === 'ExternalName')) {
      own = { ...settings, serviceUpstream: false };
      const message = `Service ${serviceKey} has no address of its own, which service-upstream asks for; its endpoints are used.`;
      this.findings.push(finding(INGRESS_FINDINGS.noServiceAddress, originOf(object, `${field}.service`), message));
    }
    const id = backendId(serviceKey, port.key, own);
    const spec: BackendSpec = { ...own, id, serviceKey, portKey: port.key, services };
    this.uses.push({ spec, origin: originOf(object, `${field}.service`) });
    return { id };
  }
}
