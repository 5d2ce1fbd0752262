import type { Authority } from '../../support/certificates.ts';
import type { Backend } from '../../support/backends/echo-backend.ts';
import { backendService, ingress, type Manifest, secret, tlsSecret } from '../../support/manifests.ts';
import { type HostState, SERVICES, type ServiceName } from './host-state.ts';

const PREFIX = 'nginx.ingress.kubernetes.io';

/** The files that say a state, by name; no content: no such file. */
export function hostFiles(
  state: HostState,
  backends: ReadonlyMap<string, Backend>,
  authorities: Readonly<Record<'own' | 'foreign', Authority>>,
): ReadonlyMap<string, readonly Manifest[] | undefined> {
  const name = state.host.split('.')[0] ?? '';
  const file = (part: string) => `${name}/${part}.yaml`;
  const service = (part: ServiceName) => {
    const endpoints = state.endpoints[part].map((backend) => backends.get(backend)!);
    return backendService({ name: `${name}-${part}`, endpoints });
  };
  const main = ingress({
    name,
    host: state.host,
    paths: [
      { path: '/', service: `${name}-${state.root}` },
      ...(state.sub === undefined ? [] : [{ path: '/sub', pathType: state.sub, service: `${name}-alt` }]),
    ],
    tls: [{ hosts: [state.host], secretName: `${name}-tls` }],
    annotations: {
      [`${PREFIX}/ssl-redirect`]: 'false',
      ...(state.clients === undefined ? {} : { [`${PREFIX}/auth-tls-secret`]: `default/${name}-clients` }),
    },
  });
  // One Secret, whose content changes.
  const clients = secret({
    name: `${name}-clients`,
    values: { 'ca.crt': authorities[state.clients ?? 'own'].certificate },
  });
  const canary = ingress({
    name: `${name}-canary`,
    host: state.host,
    paths: [{ path: '/', service: `${name}-canary` }],
    annotations: { [`${PREFIX}/canary`]: 'true', [`${PREFIX}/canary-weight`]: String(state.weight) },
  });
  return new Map<string, readonly Manifest[] | undefined>([
    ...SERVICES.map((part) => [file(`service-${part}`), service(part)] as const),
    [file('tls'), [tlsSecret({ name: `${name}-tls`, ...state.certificate })]],
    [file('clients'), [clients]],
    [file('ingress'), state.served ? [main] : undefined],
    [file('canary'), state.weight === undefined ? undefined : [canary]],
  ]);
}
