import Type, { type Static } from 'typebox';
import { Origin } from './origin.ts';
import { WeightedBackend } from './route.ts';

/** What a `tcp`, `udp` or `tls` listener does with a connection. */
export const L4Route = Type.Object({
  id: Type.String({ minLength: 1 }),
  /** Name of the listener. */
  listener: Type.String(),
  /** SNI names (`tls` only); `*.` and `**.` as for virtual hosts; empty: every connection. */
  serverNames: Type.Array(Type.String()),
  /** `passthrough`: TLS is not opened; `terminate`: it is ended here with these certificates; `none`: not TLS. */
  tls: Type.Union([Type.Literal('none'), Type.Literal('passthrough'), Type.Literal('terminate')]),
  certificates: Type.Array(Type.String()),
  backends: Type.Array(WeightedBackend),
  allowSources: Type.Optional(Type.Array(Type.String())),
  denySources: Type.Optional(Type.Array(Type.String())),
  maxConnections: Type.Optional(Type.Integer({ minimum: 1 })),
  timeouts: Type.Optional(
    Type.Object({
      connect: Type.Optional(Type.Number()),
      idle: Type.Optional(Type.Number()),
      /** UDP: seconds without a packet after which a session ends. */
      session: Type.Optional(Type.Number()),
    }),
  ),
  /** UDP: number of answers that end a session. */
  responses: Type.Optional(Type.Integer({ minimum: 0 })),
  created: Type.Optional(Type.String()),
  origin: Origin,
});
export type L4Route = Readonly<Static<typeof L4Route>>;
