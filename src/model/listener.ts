import Type, { type Static } from 'typebox';
import { ClientCertificatePolicy } from './client-certificate.ts';
import { NativeDirectives } from './native-directive.ts';
import { Origin } from './origin.ts';

/**
 * An address and port on which traffic arrives.
 *
 * Requests of an `http` or `https` listener are routed among the virtual hosts of its `scope`. Listeners may share a
 * scope (an Ingress is served on both) or have one each (Gateway listeners with routes of their own).
 */
export const Listener = Type.Object({
  /** Unique in the model. */
  name: Type.String({ minLength: 1 }),
  scope: Type.String({ minLength: 1 }),
  protocol: Type.Union([
    Type.Literal('http'),
    Type.Literal('https'),
    /** TLS that is routed by SNI and either handed on unopened or ended here, then TCP. */
    Type.Literal('tls'),
    Type.Literal('tcp'),
    Type.Literal('udp'),
  ]),
  /** Addresses to bind; empty means all, IPv4 and IPv6. */
  addresses: Type.Array(Type.String()),
  port: Type.Integer({ minimum: 1, maximum: 65535 }),
  /**
   * The names this listener is for, as virtual hosts write them; absent: all. Where several listeners share an address
   * and port, the one with the most specific name that covers the SNI name (TLS) or the Host (requests) takes it, alone:
   * what its scope has no route for is 404, not the next listener's (HTTPListenerIsolation).
   */
  hostname: Type.Optional(Type.String({ minLength: 1 })),
  /**
   * Addresses by which clients should reach it (Gateway `spec.addresses`), wherever they come from; without a value any
   * of that type. `addresses` says what is bound here.
   */
  requestedAddresses: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Union([Type.Literal('ip'), Type.Literal('hostname'), Type.Literal('named')]),
        value: Type.Optional(Type.String()),
      }),
    ),
  ),
  http2: Type.Optional(Type.Boolean()),
  /** Whether connections begin with a PROXY protocol header (v1 or v2). */
  acceptProxyProtocol: Type.Optional(Type.Boolean()),
  /** CIDRs whose X-Forwarded-* headers and PROXY headers are believed. */
  trustedProxies: Type.Optional(Type.Array(Type.String())),
  /** Certificates for connections without a name that is known (TLS listeners). */
  defaultCertificates: Type.Optional(Type.Array(Type.String())),
  /** Frontend client-certificate validation for the whole port (Gateway API `spec.tls.frontend`). */
  clientCertificate: Type.Optional(ClientCertificatePolicy),
  /** Answer 421 to a request whose Host belongs to another listener or TLS policy than the connection's SNI name. */
  detectMisdirectedRequests: Type.Optional(Type.Boolean()),
  /** Labels and annotations that infrastructure made for this listener should carry (Gateway API `spec.infrastructure`). */
  infrastructure: Type.Optional(
    Type.Object({
      labels: Type.Record(Type.String(), Type.String()),
      annotations: Type.Record(Type.String(), Type.String()),
    }),
  ),
  /** Directives beside the servers of this listener (stream-snippet). */
  native: Type.Optional(NativeDirectives),
  origin: Origin,
});
export type Listener = Readonly<Static<typeof Listener>>;
