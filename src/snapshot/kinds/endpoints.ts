import Type from 'typebox';
import { defineKind, Metadata } from '../kind-reader.ts';
import type { ObjectHead } from '../object-head.ts';
import type { EndpointPort } from './endpoint-slice.ts';

export interface EndpointsSubset {
  /** Ready ones only. */
  readonly addresses: readonly string[];
  readonly ports: readonly EndpointPort[];
}

/** The older API, named like its Service. */
export interface EndpointsObject extends ObjectHead {
  readonly subsets: readonly EndpointsSubset[];
}

export const ENDPOINTS = defineKind({
  schema: Type.Object({
    metadata: Metadata,
    subsets: Type.Optional(
      Type.Array(
        Type.Object({
          addresses: Type.Optional(Type.Array(Type.Object({ ip: Type.String() }))),
          ports: Type.Optional(
            Type.Array(
              Type.Object({
                name: Type.Optional(Type.String()),
                port: Type.Integer({ minimum: 1, maximum: 65535 }),
                protocol: Type.Optional(Type.String()),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
  keep: (head, { subsets }): EndpointsObject => ({
    ...head,
    subsets: (subsets ?? []).map(({ addresses, ports }) => ({
      addresses: (addresses ?? []).map(({ ip }) => ip),
      ports: (ports ?? []).map(({ name = '', port, protocol = 'TCP' }) => ({ name, port, protocol })),
    })),
  }),
});
