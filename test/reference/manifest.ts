/** Kubernetes objects as they stand in a file, as far as the reference router reads them. */
export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** RFC 3339. */
  readonly creationTimestamp?: string;
}

export interface ServiceReference {
  readonly service: {
    readonly name: string;
    readonly port: { readonly number?: number; readonly name?: string };
  };
}

export interface IngressPath {
  /** Absent: every path. */
  readonly path?: string;
  readonly pathType: string;
  readonly backend: ServiceReference;
}

export interface IngressRule {
  /** Absent: every host that has no rule of its own. */
  readonly host?: string;
  readonly http: { readonly paths: readonly IngressPath[] };
}

export interface IngressManifest {
  readonly apiVersion: string;
  readonly kind: 'Ingress';
  readonly metadata: Metadata;
  readonly spec: {
    readonly ingressClassName?: string;
    readonly defaultBackend?: ServiceReference;
    readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[];
    readonly rules?: readonly IngressRule[];
  };
}

export interface ServiceManifest {
  readonly apiVersion: string;
  readonly kind: 'Service';
  readonly metadata: Metadata;
  readonly spec: { readonly ports: readonly { readonly name?: string; readonly port: number }[] };
}

export interface EndpointSliceManifest {
  readonly apiVersion: string;
  readonly kind: 'EndpointSlice';
  readonly metadata: Metadata;
  readonly addressType: 'IPv4';
  readonly ports: readonly { readonly name: string; readonly port: number }[];
  readonly endpoints: readonly {
    readonly addresses: readonly string[];
    readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
  }[];
}

export type Manifest = IngressManifest | ServiceManifest | EndpointSliceManifest;
