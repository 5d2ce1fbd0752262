import Type from 'typebox';
import { defineKind, Metadata } from '../kind-reader.ts';
import type { ObjectHead } from '../object-head.ts';

export interface IngressClassObject extends ObjectHead {
  readonly controller: string;
  readonly isDefault: boolean;
}

/** The controller that an IngressClass of weir names. */
export const INGRESS_CONTROLLER = 'weir.dev/ingress-controller';
export const DEFAULT_CLASS_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';

export const INGRESS_CLASS = defineKind({
  schema: Type.Object({
    metadata: Metadata,
    spec: Type.Optional(Type.Object({ controller: Type.Optional(Type.String()) })),
  }),
  keep: (head, { metadata, spec }): IngressClassObject => ({
    ...head,
    controller: spec?.controller ?? '',
    isDefault: metadata.annotations?.[DEFAULT_CLASS_ANNOTATION] === 'true',
  }),
});
