import Type from 'typebox';
import { defineKind, Metadata } from '../kind-reader.ts';
import type { ObjectHead } from '../object-head.ts';

export interface EndpointPort {
  /** '' where it has none. */
  readonly name: string;
  /** Undefined: the slice doesn't restrict ports. */
  readonly port?: number;
  readonly protocol: string;
}

export interface SliceEndpoint {
  readonly addresses: readonly string[];
  /** `draining`: not ready because it is terminating, but still serving. `gone`: gets nothing. */
  readonly state: 'ready' | 'draining' | 'gone';
  /** The pod (or whatever stands behind), so that both families of a dual-stack pod are known as one. */
  readonly target?: string;
}

export interface EndpointSliceObject extends ObjectHead {
  /** Name of the Service, in the slice's namespace; undefined if no label says so. */
  readonly service?: string;
  readonly addressType: string;
  readonly endpoints: readonly SliceEndpoint[];
  readonly ports: readonly EndpointPort[];
}

export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

interface Conditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export const ENDPOINT_SLICE = defineKind({
  schema: Type.Object({
    metadata: Metadata,
    addressType: Type.String(),
    endpoints: Type.Optional(
      Type.Array(
        Type.Object({
          addresses: Type.Array(Type.String()),
          conditions: Type.Optional(
            Type.Object({
              ready: Type.Optional(Type.Boolean()),
              serving: Type.Optional(Type.Boolean()),
              terminating: Type.Optional(Type.Boolean()),
            }),
          ),
          targetRef: Type.Optional(
            Type.Object({
              kind: Type.Optional(Type.String()),
              namespace: Type.Optional(Type.String()),
              name: Type.Optional(Type.String()),
            }),
          ),
        }),
      ),
    ),
    ports: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.Optional(Type.String()),
          port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
          protocol: Type.Optional(Type.String()),
        }),
      ),
    ),
  }),
  keep: (head, body): EndpointSliceObject => {
    const service = body.metadata.labels?.[SERVICE_NAME_LABEL];
    return {
      ...head,
      ...(service === undefined || service === '' ? {} : { service }),
      addressType: body.addressType,
      endpoints: (body.endpoints ?? []).map(({ addresses, conditions, targetRef }) => ({
        addresses: [...addresses],
        state: endpointState(conditions ?? {}),
        ...(targetRef?.name === undefined
          ? {}
          : { target: `${targetRef.kind ?? ''}/${targetRef.namespace ?? ''}/${targetRef.name}` }),
      })),
      ports: (body.ports ?? []).map(({ name = '', port, protocol = 'TCP' }) => ({
        name,
        ...(port === undefined ? {} : { port }),
        protocol,
      })),
    };
  },
});

/**
 * Kubernetes, "EndpointSlice conditions": `ready` that isn't told counts as true; a terminating endpoint is never
 * ready (unless its Service publishes endpoints that aren't) but may still serve.
 */
export function endpointState({ ready, serving, terminating }: Conditions): SliceEndpoint['state'] {
  if (ready !== false) return 'ready';
  return terminating === true && serving === true ? 'draining' : 'gone';
}
