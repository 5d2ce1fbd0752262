import type { ConfigMap, Endpoints, Secret, Service } from 'kubernetes-types/core/v1.d.ts';
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts';
import type { HTTPIngressPath, Ingress, IngressClass } from 'kubernetes-types/networking/v1.d.ts';
import type { KeyPair } from './certificates.ts';

export type Manifest = Ingress | IngressClass | Service | EndpointSlice | Endpoints | Secret | ConfigMap;

interface Named {
  readonly name: string;
  /** `default` unless given. */
  readonly namespace?: string;
}

export interface PathOptions {
  readonly path?: string;
  readonly pathType?: string;
  readonly service: string;
  /** Number or name; 80 unless given. */
  readonly port?: number | string;
}

export interface IngressOptions extends Named {
  /** Absent: a rule without a host. */
  readonly host?: string;
  readonly paths?: readonly PathOptions[];
  /** Instead of `host` and `paths`. */
  readonly rules?: readonly { readonly host?: string; readonly paths: readonly PathOptions[] }[];
  readonly defaultBackend?: { readonly service: string; readonly port?: number | string };
  readonly tls?: readonly { readonly hosts?: string[]; readonly secretName?: string }[];
  readonly annotations?: Record<string, string>;
  readonly className?: string;
  /** RFC 3339. */
  readonly created?: string;
}

export function ingress(options: IngressOptions): Ingress {
  const { name, namespace = 'default', annotations, className, created, defaultBackend, tls } = options;
  const rules =
    options.rules ??
    (options.paths === undefined
      ? []
      : [{ ...(options.host === undefined ? {} : { host: options.host }), paths: options.paths }]);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace,
      ...(annotations === undefined ? {} : { annotations }),
      ...(created === undefined ? {} : { creationTimestamp: created }),
    },
    spec: {
      ...(className === undefined ? {} : { ingressClassName: className }),
      ...(tls === undefined ? {} : { tls: [...tls] }),
      ...(defaultBackend === undefined ? {} : { defaultBackend: serviceBackend(defaultBackend) }),
      ...(rules.length === 0
        ? {}
        : {
            rules: rules.map(({ host, paths }) => ({
              ...(host === undefined ? {} : { host }),
              http: { paths: paths.map(ingressPath) },
            })),
          }),
    },
  };
}

function ingressPath(options: PathOptions): HTTPIngressPath {
  return { path: options.path ?? '/', pathType: options.pathType ?? 'Prefix', backend: serviceBackend(options) };
}

function serviceBackend({
  service: name,
  port = 80,
}: {
  service: string;
  port?: number | string;
}): HTTPIngressPath['backend'] {
  return { service: { name, port: typeof port === 'number' ? { number: port } : { name: port } } };
}

export function ingressClass(
  name: string,
  controller = 'weir.dev/ingress-controller',
  isDefault = false,
): IngressClass {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: {
      name,
      ...(isDefault ? { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } } : {}),
    },
    spec: { controller },
  };
}

export interface ServicePortOptions {
  readonly name?: string;
  readonly port?: number;
  readonly targetPort?: number | string;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

export interface ServiceOptions extends Named {
  /** One port, 80, unless given. */
  readonly ports?: readonly ServicePortOptions[];
  /** Makes it an ExternalName Service. */
  readonly externalName?: string;
  readonly headless?: boolean;
}

export function service({
  name,
  namespace = 'default',
  ports = [{}],
  externalName,
  headless,
}: ServiceOptions): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: {
      ...(externalName === undefined ? {} : { type: 'ExternalName', externalName }),
      ...(headless === true ? { clusterIP: 'None' } : {}),
      ports: ports.map(({ port = 80, ...rest }) => ({ port, ...rest })),
    },
  };
}

export interface EndpointOptions {
  readonly address: string;
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
  readonly zone?: string;
}

export interface EndpointSliceOptions extends Named {
  /** The Service it belongs to; its own name unless given. */
  readonly service?: string;
  readonly endpoints: readonly (EndpointOptions | string)[];
  /** A number stands for one unnamed port. */
  readonly ports: number | readonly { readonly name?: string; readonly port: number; readonly appProtocol?: string }[];
  readonly addressType?: 'IPv4' | 'IPv6' | 'FQDN';
}

export function endpointSlice(options: EndpointSliceOptions): EndpointSlice {
  const { name, namespace = 'default', endpoints, ports, addressType = 'IPv4' } = options;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': options.service ?? name } },
    addressType,
    ports: typeof ports === 'number' ? [{ name: '', port: ports }] : ports.map((port) => ({ name: '', ...port })),
    endpoints: endpoints.map((endpoint) => {
      const { address, zone, ...conditions } = typeof endpoint === 'string' ? { address: endpoint } : endpoint;
      return {
        addresses: [address],
        conditions: { ready: true, ...conditions },
        ...(zone === undefined ? {} : { zone }),
      };
    }),
  };
}

/** A Service `name` with one port and, for each port number in use, a slice with the endpoints that listen there. */
export function backendService(
  options: Named & {
    readonly endpoints: readonly { readonly address: string; readonly port: number }[];
    readonly port?: number;
  },
): (Service | EndpointSlice)[] {
  const { name, namespace = 'default', endpoints, port = 80 } = options;
  const byPort = Map.groupBy(endpoints, (endpoint) => endpoint.port);
  return [
    service({ name, namespace, ports: [{ port }] }),
    ...[...byPort].map(([number, group], index) =>
      endpointSlice({
        name: `${name}-${index}`,
        namespace,
        service: name,
        ports: number,
        endpoints: group.map(({ address }) => address),
      }),
    ),
  ];
}

export function tlsSecret({ name, namespace = 'default', certificate, key }: Named & KeyPair): Secret {
  return secret({ name, namespace, type: 'kubernetes.io/tls', values: { 'tls.crt': certificate, 'tls.key': key } });
}

export function secret(
  options: Named & { readonly type?: string; readonly values: Readonly<Record<string, string>> },
): Secret {
  const { name, namespace = 'default', type = 'Opaque', values } = options;
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type, data };
}

export function configMap({
  name,
  namespace = 'default',
  data,
}: Named & { readonly data: Record<string, string> }): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}
