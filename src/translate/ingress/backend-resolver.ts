import { isIP } from 'node:net';
import { type CatalogueEntry, finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import type { IngressBackend } from '../../snapshot/kinds/ingress.ts';
import { objectKey, originOf } from '../../snapshot/object-head.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type BackendSettings, type BackendSpec, backendId } from '../services/backend-spec.ts';
import type { BackendUse } from '../services/backend-table.ts';
import { clusterService, followExternalName } from '../services/external-name.ts';
import { findServicePort, portList } from '../services/service-port.ts';
import { type ServiceUrl, serviceUrlText } from './annotations/values/service-url.ts';
import type { ServedIngress } from './served-ingress.ts';

/** `auth`, or `auth.sso`: how programs in a Pod may call a Service, because the Pod's DNS adds the rest. */
const SHORT_NAME = /^([a-z0-9-]+)(?:\.([a-z0-9-]+))?$/;

/** The backend's id, or for people why there is none. */
export type ResolvedBackend = { readonly id: string } | { readonly reason: string };

type Refuse = (entry: CatalogueEntry, at: string, reason: string, fix?: string) => { readonly reason: string };

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
  resolve(ingress: ServedIngress, backend: IngressBackend, field: string, settings: BackendSettings): ResolvedBackend {
    const refuse = this.#refusing(ingress, 'the route answers 503');
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
    return this.#resolveService(
      ingress,
      { serviceKey: objectKey(ingress.object.ref.namespace, reference.name), port: { name: portName, number } },
      {
        use: `${field}.service`,
        name: `${field}.service.name`,
        port: `${field}.service.port.${number === undefined ? 'name' : 'number'}`,
      },
      settings,
      refuse,
    );
  }

  /**
   * The same for a service that is named by its URL, at `field`; `outcome` is what becomes of a route without it. A name
   * of the cluster's DNS is a Service, also of another namespace: whoever can write a URL can ask it anyway.
   */
  resolveUrl(ingress: ServedIngress, url: ServiceUrl, field: string, outcome: string): ResolvedBackend {
    const { scheme, host, port } = url;
    // As ingress-nginx asks for it: by the name in the URL, which is not verified.
    const named = scheme === 'https' && isIP(host) === 0;
    const settings: BackendSettings = {
      protocol: scheme,
      ...(named ? { tls: { verify: false, serverName: host, sendServerName: true } } : {}),
      serviceUpstream: false,
    };
    const service = clusterService(host);
    if (service !== undefined) {
      return this.#resolveService(
        ingress,
        { serviceKey: objectKey(service.namespace, service.name), port: { name: '', number: port } },
        { use: field, name: field, port: field, outcome },
        settings,
        this.#refusing(ingress, outcome),
      );
    }
    const meant = this.#meantService(ingress, url, field, outcome);
    const id = backendId(host, String(port), settings);
    const external = { host, port };
    const spec: BackendSpec = { ...settings, id, serviceKey: '', portKey: String(port), services: [], external };
    const origin = originOf(ingress.object, field);
    this.uses.push({ spec, origin, outcome, ...(meant === undefined ? {} : { unresolvedFix: meant }) });
    return { id };
  }

  /** "Did you mean …?" where a host that looks like no name of the cluster's DNS is short for a Service that there is. */
  #meantService({ object }: ServedIngress, url: ServiceUrl, field: string, outcome: string): string | undefined {
    const [, name, namespace = object.ref.namespace] = SHORT_NAME.exec(url.host) ?? [];
    if (name === undefined) return undefined;
    const key = objectKey(namespace, name);
    this.services.add(key);
    if (this.#snapshot.get('Service', key) === undefined) return undefined;
    const meant = `Did you mean ${serviceUrlText({ ...url, host: `${name}.${namespace}.svc.cluster.local` })}?`;
    const message = `Host ${url.host} is asked of DNS as it stands, which does not lead to Service ${key}; as long as DNS does not know it, ${outcome}.`;
    this.findings.push(finding(INGRESS_FINDINGS.shortServiceName, originOf(object, field), message, meant));
    return meant;
  }

  #refusing({ object }: ServedIngress, outcome: string): Refuse {
    return (entry, at, reason, fix) => {
      this.findings.push(finding(entry, originOf(object, at), `${reason}; ${outcome}.`, fix));
      return { reason };
    };
  }

  #resolveService(
    { object }: ServedIngress,
    wanted: {
      readonly serviceKey: string;
      readonly port: { readonly name: string; readonly number: number | undefined };
    },
    at: { readonly use: string; readonly name: string; readonly port: string; readonly outcome?: string },
    settings: BackendSettings,
    refuse: Refuse,
  ): ResolvedBackend {
    const { serviceKey } = wanted;
    const { number } = wanted.port;
    this.services.add(serviceKey);
    const service = this.#snapshot.get('Service', serviceKey);
    if (service === undefined) {
      return refuse(INGRESS_FINDINGS.serviceNotFound, at.name, `Service ${serviceKey} does not exist`);
    }
    const port = findServicePort(service, number === undefined ? { name: wanted.port.name } : { number });
    if (port === undefined) {
      const text = number === undefined ? JSON.stringify(wanted.port.name) : String(number);
      return refuse(
        INGRESS_FINDINGS.servicePortNotFound,
        at.port,
        `Service ${serviceKey} has no TCP port ${text}`,
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
        return refuse(INGRESS_FINDINGS.externalNameInvalid, at.name, reason);
      }
    }
    let own = settings;
    if (settings.serviceUpstream && (service.clusterIP === undefined || service.type === 'ExternalName')) {
      own = { ...settings, serviceUpstream: false };
      const message = `Service ${serviceKey} has no address of its own, which service-upstream asks for; its endpoints are used.`;
      this.findings.push(finding(INGRESS_FINDINGS.noServiceAddress, originOf(object, at.use), message));
    }
    const id = backendId(serviceKey, port.key, own);
    const spec: BackendSpec = { ...own, id, serviceKey, portKey: port.key, services };
    const { outcome } = at;
    this.uses.push({ spec, origin: originOf(object, at.use), ...(outcome === undefined ? {} : { outcome }) });
    return { id };
  }
}
