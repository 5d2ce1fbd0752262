/** Kubernetes objects as a source delivers them, with as little writing as a test needs. */
import type { Resource, ResourceChange } from '../../src/snapshot/resource.ts';

export interface Named {
  readonly name?: string;
  readonly namespace?: string;
  readonly created?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly file?: string;
}

export function resource(kind: string, named: Named, rest: Readonly<Record<string, unknown>>): Resource {
  const { name = 'web', namespace = kind === 'IngressClass' ? '' : 'shop', created, annotations, labels, file } = named;
  return {
    ref: { kind, namespace, name },
    body: {
      kind,
      metadata: {
        name,
        ...(namespace === '' ? {} : { namespace }),
        ...(created === undefined ? {} : { creationTimestamp: created }),
        ...(annotations === undefined ? {} : { annotations }),
        ...(labels === undefined ? {} : { labels }),
      },
      ...rest,
    },
    ...(file === undefined ? {} : { place: { file, line: 1, document: 0 } }),
  };
}

export function put(...resources: readonly Resource[]): ResourceChange[] {
  return resources.map((item) => ({ type: 'put', resource: item }));
}

export function remove(...resources: readonly Resource[]): ResourceChange[] {
  return resources.map(({ ref }) => ({ type: 'delete', ref }));
}

export interface PathSketch {
  readonly path?: string;
  readonly type?: string;
  /** `web:80` or `web:http` */
  readonly to?: string;
  readonly backend?: unknown;
}

export function ingress(
  named: Named & {
    readonly class?: string;
    /** Host ('' for none) → paths, or one path of type Prefix for each text. */
    readonly hosts?: Readonly<Record<string, readonly (PathSketch | string)[]>>;
    readonly defaultTo?: string;
    readonly tls?: unknown;
  },
): Resource {
  const rules = Object.entries(named.hosts ?? {}).map(([host, paths]) => ({
    ...(host === '' ? {} : { host }),
    http: {
      paths: paths.map((sketch) => {
        const {
          path,
          type = 'Prefix',
          to = 'web:80',
          backend,
        } = typeof sketch === 'string' ? { path: sketch } : sketch;
        return { ...(path === undefined ? {} : { path }), pathType: type, backend: backend ?? backendTo(to) };
      }),
    },
  }));
  return resource('Ingress', named, {
    spec: {
      ...(named.class === undefined ? {} : { ingressClassName: named.class }),
      ...(named.defaultTo === undefined ? {} : { defaultBackend: backendTo(named.defaultTo) }),
      ...(rules.length === 0 ? {} : { rules }),
      ...(named.tls === undefined ? {} : { tls: named.tls }),
    },
  });
}

export function backendTo(text: string): unknown {
  const [name, port = '80'] = text.split(':');
  return { service: { name, port: /^[0-9]+$/.test(port) ? { number: Number(port) } : { name: port } } };
}

export function ingressClass(named: Named & { readonly controller?: string }): Resource {
  return resource('IngressClass', named, { spec: { controller: named.controller ?? 'weir.dev/ingress-controller' } });
}

export function service(named: Named & { readonly spec?: Readonly<Record<string, unknown>> } = {}): Resource {
  return resource('Service', named, { spec: { clusterIP: '10.96.0.1', ports: [{ port: 80 }], ...named.spec } });
}

export interface SliceSketch extends Named {
  readonly of?: string;
  /** Addresses that are ready, or whole endpoints. */
  readonly endpoints?: readonly unknown[];
  readonly ports?: readonly unknown[];
  readonly addressType?: string;
}

export function slice(sketch: SliceSketch = {}): Resource {
  const { of = 'web', endpoints = ['10.0.0.1'], ports = [{ port: 8080 }], addressType = 'IPv4' } = sketch;
  return resource(
    'EndpointSlice',
    { name: `${of}-1`, ...sketch, labels: { 'kubernetes.io/service-name': of } },
    {
      addressType,
      endpoints: endpoints.map((item) => (typeof item === 'string' ? { addresses: [item] } : item)),
      ports,
    },
  );
}

export function tlsSecret(named: Named & { readonly certificate: string; readonly key: string }): Resource {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  return resource('Secret', named, {
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': encode(named.certificate), 'tls.key': encode(named.key) },
  });
}
