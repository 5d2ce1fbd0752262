import type { ObjectRef } from '../model/origin.ts';

/** Where a manifest stands: enough to find a field in it again when a finding must be placed. */
export interface Place {
  readonly file: string;
  /** Line (from 1) on which the document starts. */
  readonly line: number;
  /** Index of the document in the file, and of the item where the document is a List. */
  readonly document: number;
  readonly item?: number;
}

/** A Kubernetes object as a source delivers it: its kind is one that weir reads, nothing else about it is known yet. */
export interface Resource {
  readonly ref: ObjectRef;
  /** The parsed document, unchecked. */
  readonly body: unknown;
  readonly place?: Place;
}

/** Kinds that weir reads, with the API group they must be of. */
export const RESOURCE_KINDS = {
  Ingress: 'networking.k8s.io',
  IngressClass: 'networking.k8s.io',
  Service: '',
  EndpointSlice: 'discovery.k8s.io',
  Endpoints: '',
  Secret: '',
  ConfigMap: '',
  Namespace: '',
} as const;
export type ResourceKind = keyof typeof RESOURCE_KINDS;

export type ResourceChange =
  | { readonly type: 'put'; readonly resource: Resource }
  | { readonly type: 'delete'; readonly ref: ObjectRef };

/** `Ingress/shop/web` */
export function resourceKey(ref: ObjectRef): string {
  return `${ref.kind}/${ref.namespace}/${ref.name}`;
}
