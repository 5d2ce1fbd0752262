import type { KubeObject } from '../kube/kube-object.ts';
import { publishedText } from './published-address.ts';

/** An Ingress that weir serves, as far as what is written to it depends on it. */
export interface ServedIngress {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Of the object as it was last seen. */
  readonly resourceVersion: string;
  /** What its status.loadBalancer.ingress was then, as `publishedText` writes it. */
  readonly published: string;
}

/** From the object as the API server sends it. */
export function servedIngress({ metadata, status }: KubeObject): ServedIngress {
  const { loadBalancer } = (status ?? {}) as { readonly loadBalancer?: { readonly ingress?: unknown } | null };
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    published: publishedText(loadBalancer?.ingress),
  };
}

export function ingressKey({ namespace, name }: Pick<ServedIngress, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}
