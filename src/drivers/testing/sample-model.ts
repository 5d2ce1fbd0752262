import type { Backend } from '../../model/backend.ts';
import type { Certificate } from '../../model/certificate.ts';
import type { Listener } from '../../model/listener.ts';
import { emptyModel, type Model, type ModelDelta } from '../../model/model.ts';
import type { Origin } from '../../model/origin.ts';
import type { Route } from '../../model/route.ts';
import { virtualHostKey, type VirtualHost } from '../../model/virtual-host.ts';

/** Parts of models for tests, with as little as can be said. */
export function sampleOrigin(name: string, field = 'spec.rules[0]'): Origin {
  return { object: { kind: 'Ingress', namespace: 'shop', name }, field };
}

export function sampleBackend(
  id: string,
  endpoints: readonly [string, number][] = [],
  more: Partial<Backend> = {},
): Backend {
  return {
    id,
    protocol: 'http',
    balancing: { kind: 'round-robin' },
    endpoints: endpoints.map(([address, port]) => ({ address, port, weight: 1, state: 'ready' })),
    origin: sampleOrigin(id, 'spec'),
    ...more,
  };
}

export function sampleRoute(path: string, backend: string, more: Partial<Route> = {}): Route {
  return {
    id: path,
    match: { path: { kind: 'prefix', value: path } },
    filters: [],
    action: { kind: 'forward', backends: [{ backend, weight: 1 }] },
    origin: sampleOrigin('web', 'spec.rules[0].http.paths[0]'),
    ...more,
  };
}

export function sampleHost(hostname: string, routes: readonly Route[], more: Partial<VirtualHost> = {}): VirtualHost {
  return { scope: 'default', hostname, routes: [...routes], origins: [sampleOrigin('web')], ...more };
}

export function sampleListener(name: string, port: number, more: Partial<Listener> = {}): Listener {
  const protocol = name.startsWith('https') ? 'https' : 'http';
  return { name, scope: 'default', protocol, addresses: ['127.0.0.1'], port, origin: sampleOrigin(name), ...more };
}

export function sampleModel(parts: {
  readonly listeners?: readonly Listener[];
  readonly hosts?: readonly VirtualHost[];
  readonly backends?: readonly Backend[];
  readonly certificates?: readonly Certificate[];
}): Model {
  const { listeners = [], hosts = [], backends = [], certificates = [] } = parts;
  return {
    ...emptyModel(),
    listeners: new Map(listeners.map((listener) => [listener.name, listener])),
    hosts: new Map(hosts.map((host) => [virtualHostKey(host.scope, host.hostname), host])),
    backends: new Map(backends.map((backend) => [backend.id, backend])),
    certificates: new Map(certificates.map((certificate) => [certificate.id, certificate])),
  };
}

export function sampleDelta(changed: Partial<Record<keyof ModelDelta, readonly string[]>>): ModelDelta {
  return {
    listeners: new Set(changed.listeners),
    hosts: new Set(changed.hosts),
    backends: new Set(changed.backends),
    certificates: new Set(changed.certificates),
    l4Routes: new Set(changed.l4Routes),
  };
}
