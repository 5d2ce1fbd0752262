import { X509Certificate } from 'node:crypto';
import type { KeyPair } from '../../support/certificates.ts';

export const SERVICES = ['main', 'alt', 'canary'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** What the manifests say about one host. */
export interface HostState {
  readonly host: string;
  /** Whether there is an Ingress for it. */
  readonly served: boolean;
  /** Where `/` goes. */
  readonly root: 'main' | 'alt';
  /** How `/sub` is matched; it goes to `alt`. Undefined: there is no such path. */
  readonly sub: 'Prefix' | 'Exact' | undefined;
  /** Percent of `/` that goes to `canary`; undefined: there is no canary. */
  readonly weight: number | undefined;
  /** Names of backends. */
  readonly endpoints: Readonly<Record<ServiceName, readonly string[]>>;
  readonly certificate: KeyPair;
  /** Whose certificates clients must show: those of the prober's own authority, of another; undefined: none is asked for. */
  readonly clients: 'own' | 'foreign' | undefined;
}

export const PATHS = ['/', '/sub', '/sub/deeper'] as const;

/** Every answer that is right for a path: names of backends, or a status. `tls`: asked with the prober's certificate. */
export function rightAnswers(state: HostState, path: (typeof PATHS)[number], tls: boolean): ReadonlySet<string> {
  if (!state.served) return new Set(['404']);
  if (state.clients !== undefined && !tls) return new Set(['403']);
  if (state.clients === 'foreign') return new Set(['400']);
  const of = (service: ServiceName) => {
    const names = state.endpoints[service];
    return names.length === 0 ? ['503'] : names;
  };
  const isSub = state.sub !== undefined && (path === '/sub' || (path === '/sub/deeper' && state.sub === 'Prefix'));
  if (isSub) return new Set(of('alt'));
  const { weight = 0 } = state;
  return new Set([...(weight < 100 ? of(state.root) : []), ...(weight > 0 ? of('canary') : [])]);
}

/** SHA-256 fingerprint of the certificate that a handshake with this name must show; undefined: none of the host's own. */
export function rightCertificate(state: HostState): string | undefined {
  return state.served ? fingerprintOf(state.certificate) : undefined;
}

export function fingerprintOf(pair: KeyPair): string {
  return new X509Certificate(pair.certificate).fingerprint256;
}
