import Type from 'typebox';
import { defineKind, Metadata } from '../kind-reader.ts';
import type { ObjectHead } from '../object-head.ts';

const PortNumber = Type.Integer({ minimum: 1, maximum: 65535 });

export interface ServicePort {
  /** '' where it has none. */
  readonly name: string;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly protocol: string;
}

export interface ServiceObject extends ObjectHead {
  readonly type: string;
  /** An address; undefined for headless Services and those that have none yet. */
  readonly clusterIP?: string;
  readonly externalName?: string;
  /** The first is the Service's own; endpoints of the other are taken for pods that lack the first. */
  readonly ipFamilies: readonly string[];
  readonly ports: readonly ServicePort[];
}

export const SERVICE = defineKind({
  schema: Type.Object({
    metadata: Metadata,
    spec: Type.Optional(
      Type.Object({
        type: Type.Optional(Type.String()),
        clusterIP: Type.Optional(Type.String()),
        externalName: Type.Optional(Type.String()),
        ipFamilies: Type.Optional(Type.Array(Type.String())),
        ports: Type.Optional(
          Type.Array(
            Type.Object({
              name: Type.Optional(Type.String()),
              port: PortNumber,
              targetPort: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
              protocol: Type.Optional(Type.String()),
            }),
          ),
        ),
      }),
    ),
  }),
  keep: (head, { spec = {} }): ServiceObject => ({
    ...head,
    type: spec.type ?? 'ClusterIP',
    ...(spec.clusterIP === undefined || spec.clusterIP === '' || spec.clusterIP === 'None'
      ? {}
      : { clusterIP: spec.clusterIP }),
    ...(spec.externalName === undefined ? {} : { externalName: spec.externalName }),
    ipFamilies: [...(spec.ipFamilies ?? [])],
    ports: (spec.ports ?? []).map(({ name = '', port, targetPort, protocol = 'TCP' }) => ({
      name,
      port,
      ...(targetPort === undefined ? {} : { targetPort }),
      protocol,
    })),
  }),
});
