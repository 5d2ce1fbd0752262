import Type, { type Static } from 'typebox';
import { ObjectRef, Origin } from './origin.ts';

/** Part of a hash key: text as it stands, or a property of the request. */
export const HashPart = Type.Union([
  Type.Object({ kind: Type.Literal('text'), value: Type.String() }),
  Type.Object({ kind: Type.Literal('path') }),
  /** Path and query as the client sent them. */
  Type.Object({ kind: Type.Literal('uri') }),
  Type.Object({ kind: Type.Literal('host') }),
  Type.Object({ kind: Type.Literal('client-address') }),
  Type.Object({ kind: Type.Literal('header'), name: Type.String() }),
  Type.Object({ kind: Type.Literal('cookie'), name: Type.String() }),
  Type.Object({ kind: Type.Literal('query'), name: Type.String() }),
]);
export type HashPart = Readonly<Static<typeof HashPart>>;

export const Balancing = Type.Union([
  Type.Object({ kind: Type.Literal('round-robin') }),
  Type.Object({ kind: Type.Literal('least-connections') }),
  /** Peak-sensitive moving average of response times, best of two at random. */
  Type.Object({ kind: Type.Literal('ewma') }),
  Type.Object({
    kind: Type.Literal('hash'),
    key: Type.Array(HashPart),
    /** Spread each key over a subset of this many endpoints. */
    subsetSize: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
]);
export type Balancing = Readonly<Static<typeof Balancing>>;

/** How a backend proves who it is, and weir to it. Part of its identity: connections are never shared across. */
export const BackendTls = Type.Object({
  verify: Type.Boolean(),
  /** PEM bundle; `system` for the machine's own authorities. */
  authorities: Type.Optional(Type.Union([Type.String(), Type.Literal('system')])),
  /** The object that holds the bundle; for people. */
  authoritiesFrom: Type.Optional(ObjectRef),
  /** Name sent (SNI), and verified unless `subjectAltNames` are given. */
  serverName: Type.Optional(Type.String()),
  sendServerName: Type.Boolean(),
  /** Any one of these must stand in the backend's certificate, instead of `serverName` (BackendTLSPolicy). */
  subjectAltNames: Type.Optional(
    Type.Array(Type.Object({ type: Type.Union([Type.Literal('dns'), Type.Literal('uri')]), value: Type.String() })),
  ),
  /** Certificate id. */
  clientCertificate: Type.Optional(Type.String()),
  depth: Type.Optional(Type.Integer({ minimum: 0 })),
  protocols: Type.Optional(Type.Array(Type.String())),
  /** OpenSSL cipher list. */
  ciphers: Type.Optional(Type.String()),
});
export type BackendTls = Readonly<Static<typeof BackendTls>>;

export const Endpoint = Type.Object({
  /** A parsed IPv4 or IPv6 address (no brackets). */
  address: Type.String(),
  port: Type.Integer({ minimum: 1, maximum: 65535 }),
  weight: Type.Integer({ minimum: 0, maximum: 65535 }),
  /** `draining`: terminating but still serving: used by its sessions, and by all when nothing else is left. */
  state: Type.Union([Type.Literal('ready'), Type.Literal('draining')]),
  zone: Type.Optional(Type.String()),
});
export type Endpoint = Readonly<Static<typeof Endpoint>>;

/** Asking the endpoints themselves, besides what the cluster says of them. */
export const HealthCheck = Type.Object({
  kind: Type.Union([Type.Literal('tcp'), Type.Literal('http'), Type.Literal('grpc')]),
  path: Type.Optional(Type.String()),
  host: Type.Optional(Type.String()),
  intervalSeconds: Type.Number(),
  timeoutSeconds: Type.Number(),
  healthyAfter: Type.Integer(),
  unhealthyAfter: Type.Integer(),
  expectedStatuses: Type.Optional(Type.Array(Type.Integer())),
});

/** A set of endpoints that serve the same thing in the same way. */
export const Backend = Type.Object({
  /** Unique in the model, readable: `shop/web:http`, with a suffix where the same Service is used in different ways. */
  id: Type.String({ minLength: 1 }),
  protocol: Type.Union([
    Type.Literal('http'),
    Type.Literal('https'),
    Type.Literal('h2c'),
    Type.Literal('grpc'),
    Type.Literal('grpcs'),
    Type.Literal('fastcgi'),
    Type.Literal('tcp'),
    Type.Literal('udp'),
    Type.Literal('tls'),
  ]),
  fastcgi: Type.Optional(
    Type.Object({ index: Type.Optional(Type.String()), parameters: Type.Record(Type.String(), Type.String()) }),
  ),
  /** Protocols to which a request may switch; absent: every one. */
  upgrades: Type.Optional(Type.Array(Type.String())),
  httpVersion: Type.Optional(Type.Union([Type.Literal('1.0'), Type.Literal('1.1')])),
  tls: Type.Optional(BackendTls),
  balancing: Balancing,
  /** In canonical order: by address, then port. */
  endpoints: Type.Array(Endpoint),
  healthCheck: Type.Optional(HealthCheck),
  maxConnectionsPerEndpoint: Type.Optional(Type.Integer({ minimum: 1 })),
  sendProxyProtocol: Type.Optional(Type.Union([Type.Literal('v1'), Type.Literal('v2')])),
  origin: Origin,
});
export type Backend = Readonly<Static<typeof Backend>>;
