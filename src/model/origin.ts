import Type, { type Static } from 'typebox';

/** The Kubernetes object that asked for something. `namespace` is '' for cluster-wide kinds. */
export const ObjectRef = Type.Object({
  kind: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
});
export type ObjectRef = Readonly<Static<typeof ObjectRef>>;

/** Where a part of the model comes from, so that a finding, a metric, a log line and `weir explain` can name it. */
export const Origin = Type.Object({
  object: ObjectRef,
  /** Path of the field, as kubectl explain and JSONPath users write it: `spec.rules[0].http.paths[1]`. */
  field: Type.String(),
  /** For manifests: the file, and the line (from 1) on which the object's document starts. */
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer({ minimum: 1 })),
});
export type Origin = Readonly<Static<typeof Origin>>;

/** `Ingress/shop/web spec.rules[0]`: how an origin is written in logs and messages. */
export function originText(origin: Origin): string {
  const { kind, namespace, name } = origin.object;
  const object = namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
  return origin.field === '' ? object : `${object} ${origin.field}`;
}
