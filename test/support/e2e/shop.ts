import { IMAGES } from '../../cluster/images/test-images.ts';
import { type IngressOptions, ingress } from '../manifests.ts';

export interface ShopOptions {
  readonly name: string;
  readonly replicas?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Of the pods' template. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A Deployment of the echo image with a readiness probe, and its Service on port 80. */
export function shop({ name, replicas = 1, env = {}, annotations = {} }: ShopOptions): readonly object[] {
  const labels = { app: name };
  const variables = Object.entries(env).map(([variable, value]) => ({ name: variable, value }));
  const image = process.env.ECHO_IMAGE ?? IMAGES.echo;
  const container = {
    name: 'echo',
    image,
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }, ...variables],
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
  };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: { metadata: { labels, annotations }, spec: { containers: [container] } },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: labels, ports: [{ name: 'web', port: 80, targetPort: 'http' }] },
    },
  ];
}

/** An Ingress that goes where its namespace is, as `kubectl apply -n` decides. */
export function route(options: IngressOptions): object {
  const { metadata, ...rest } = ingress(options);
  const { namespace: _, ...named } = metadata ?? {};
  return { ...rest, metadata: named };
}
