import Type, { type Static } from 'typebox';
import type { Backend } from '../model/backend.ts';
import type { Certificate } from '../model/certificate.ts';
import { encodePart } from '../model/codec.ts';
import { Backend as BackendSchema } from '../model/backend.ts';
import { BackendTlsView, backendTlsView } from '../explain/backend-tls-view.ts';
import { ClientCertificatesView, clientCertificatesView } from '../explain/client-certificates-view.ts';
import { Match } from '../model/match.ts';
import { Origin } from '../model/origin.ts';
import type { Route } from '../model/route.ts';
import type { VirtualHost } from '../model/virtual-host.ts';

/** A route as it is shown: secrets in filters are redacted, so filters are plain data here. */
export const RouteView = Type.Object({
  id: Type.String(),
  match: Match,
  filters: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  auth: Type.Optional(Type.String({ description: 'Backend that is asked first whether a request may pass.' })),
  mirrors: Type.Array(Type.String(), { description: 'Backends that get a copy of requests.' }),
  action: Type.Record(Type.String(), Type.Unknown()),
  origin: Origin,
});

export const HostView = Type.Object({
  scope: Type.String(),
  hostname: Type.String(),
  certificates: Type.Array(Type.String(), {
    description: 'Ids; empty: the default certificate, where HTTPS is served.',
  }),
  clientCertificates: Type.Optional(ClientCertificatesView),
  routes: Type.Array(RouteView, { description: 'The first that matches wins.' }),
  origins: Type.Array(Origin),
});
export type HostView = Readonly<Static<typeof HostView>>;

export const BackendView = Type.Interface(
  [Type.Pick(BackendSchema, ['id', 'protocol', 'balancing', 'endpoints', 'origin'])],
  { tls: Type.Optional(BackendTlsView) },
);
export type BackendView = Readonly<Static<typeof BackendView>>;

/** A certificate without any key material. */
export const CertificateView = Type.Object({
  id: Type.String(),
  names: Type.Array(Type.String()),
  keyType: Type.Enum(['rsa', 'ec', 'ed25519']),
  notBefore: Type.String({ description: 'RFC 3339.' }),
  notAfter: Type.String({ description: 'RFC 3339.' }),
  fingerprint: Type.String({ description: 'SHA-256 of the leaf, lower-case hex.' }),
  origin: Origin,
});
export type CertificateView = Readonly<Static<typeof CertificateView>>;

export function hostView(host: VirtualHost): HostView {
  const plain = encodePart('hosts', host, { secrets: 'redact' }) as unknown as { readonly routes: readonly Route[] };
  const policy = host.tls?.clientCertificate;
  return {
    scope: host.scope,
    hostname: host.hostname,
    certificates: host.tls?.certificates ?? [],
    ...(policy === undefined ? {} : { clientCertificates: clientCertificatesView(policy) }),
    routes: plain.routes.map(routeView),
    origins: host.origins,
  };
}

function routeView({ id, match, filters, action, origin }: Route): Static<typeof RouteView> {
  const auth = filters.find((filter) => filter.type === 'external-auth')?.auth.backend;
  const mirrors = filters.flatMap((filter) => (filter.type === 'mirror' ? [filter.backend] : []));
  return { id, match, filters, ...(auth === undefined ? {} : { auth }), mirrors, action, origin };
}

export function backendView({ id, protocol, tls, balancing, endpoints, origin }: Backend): BackendView {
  return { id, protocol, ...(tls === undefined ? {} : { tls: backendTlsView(tls) }), balancing, endpoints, origin };
}

export function certificateView(certificate: Certificate): CertificateView {
  const { id, names, keyType, notBefore, notAfter, fingerprint, origin } = certificate;
  return { id, names, keyType, notBefore, notAfter, fingerprint, origin };
}
