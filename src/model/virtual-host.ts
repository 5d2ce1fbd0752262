import Type, { type Static } from 'typebox';
import { ClientCertificatePolicy } from './client-certificate.ts';
import { NativeDirectives } from './native-directive.ts';
import { Origin } from './origin.ts';
import { Route } from './route.ts';

export const HostTls = Type.Object({
  /** Certificate ids, at most one used per handshake, chosen by the client's signature algorithms. Empty: the listener's default. */
  certificates: Type.Array(Type.String()),
  clientCertificate: Type.Optional(ClientCertificatePolicy),
  protocols: Type.Optional(Type.Array(Type.Union([Type.Literal('TLSv1.2'), Type.Literal('TLSv1.3')]))),
  /** OpenSSL cipher list. */
  ciphers: Type.Optional(Type.String()),
  preferServerCiphers: Type.Optional(Type.Boolean()),
  staple: Type.Optional(Type.Boolean()),
});
export type HostTls = Readonly<Static<typeof HostTls>>;

/** All routes of one host name in one listener scope: the unit that changes atomically. */
export const VirtualHost = Type.Object({
  scope: Type.String({ minLength: 1 }),
  /**
   * `shop.example`: this name. `*.shop.example`: one label more (Ingress). `**.shop.example`: one label or several more
   * (Gateway API). `*`: whatever no other host of the scope takes. Lower case, no port, no trailing dot.
   */
  hostname: Type.String({ minLength: 1 }),
  tls: Type.Optional(HostTls),
  /** Directives of the whole host (server-snippet). */
  native: Type.Optional(NativeDirectives),
  /** In canonical order (order.ts): the first that matches wins. */
  routes: Type.Array(Route),
  origins: Type.Array(Origin),
});
export type VirtualHost = Readonly<Static<typeof VirtualHost>>;

export function virtualHostKey(scope: string, hostname: string): string {
  return `${scope}/${hostname}`;
}
