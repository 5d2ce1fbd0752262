import type { KubeObject } from '../../kube/kube-object.ts';
import type { ObjectRef } from '../../model/origin.ts';
import type { Resource, ResourceKind } from '../../snapshot/resource.ts';

/** kubectl's own copy of the whole object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The object as the snapshot takes it, without what nobody reads and is often the larger part. */
export function resourceOf(kind: ResourceKind, object: KubeObject): Resource {
  const { managedFields: _, annotations, ...metadata } = object.metadata;
  const kept =
    annotations === undefined || annotations === null ? {} : { annotations: withoutLastApplied(annotations) };
  return { ref: refOf(kind, object), body: { ...object, metadata: { ...metadata, ...kept } } };
}

export function refOf(kind: ResourceKind, { metadata }: Pick<KubeObject, 'metadata'>): ObjectRef {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

function withoutLastApplied(annotations: unknown): unknown {
  if (typeof annotations !== 'object' || annotations === null || !(LAST_APPLIED in annotations)) return annotations;
  const { [LAST_APPLIED]: _, ...rest } = annotations as Readonly<Record<string, unknown>>;
  return rest;
}
