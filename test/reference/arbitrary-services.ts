import fc from 'fast-check';
import type { EndpointSliceManifest, Manifest } from './manifest.ts';

export const NAMESPACES = ['one', 'two'] as const;
export const SERVICES = ['s0', 's1', 's2', 's3'] as const;
const PORTS = [
  { name: 'web', port: 80 },
  { name: 'alt', port: 81 },
] as const;

/** Ready: two endpoints. Draining: the second is ready no more, and the first stops. */
const STATES = ['ready', 'single', 'draining', 'unready', 'empty', 'missing'] as const;
type State = (typeof STATES)[number];

/** Loopback addresses, a pair for each port of each Service. */
export const ADDRESSES: readonly string[] = NAMESPACES.flatMap((_, namespace) =>
  SERVICES.flatMap((_, service) =>
    PORTS.flatMap((_, port) => [0, 1].map((which) => addressOf(namespace, service, port, which))),
  ),
);

function addressOf(namespace: number, service: number, port: number, which: number): string {
  return `127.0.${namespace + 1}.${service * 10 + port * 2 + which + 1}`;
}

/** Services of both namespaces in various states, whose endpoints all listen on `port`. */
export function arbitraryServices(port: number): fc.Arbitrary<readonly Manifest[]> {
  const state = fc.oneof(
    { weight: 6, arbitrary: fc.constant<State>('single') },
    { weight: 4, arbitrary: fc.constantFrom(...STATES) },
  );
  const each = fc.tuple(...NAMESPACES.flatMap(() => SERVICES.map(() => state)));
  return each.map((states) =>
    states.flatMap((one, index) =>
      serviceManifests(Math.floor(index / SERVICES.length), index % SERVICES.length, one, port),
    ),
  );
}

function serviceManifests(namespaceIndex: number, serviceIndex: number, state: State, port: number): Manifest[] {
  if (state === 'missing') return [];
  const namespace = NAMESPACES[namespaceIndex] ?? '';
  const name = SERVICES[serviceIndex] ?? '';
  const service: Manifest = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { ports: PORTS },
  };
  const slices = PORTS.map(
    ({ name: portName }, portIndex): EndpointSliceManifest => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${name}-${portName}`, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: portName, port }],
      endpoints: endpointsOf(state, (which) => addressOf(namespaceIndex, serviceIndex, portIndex, which)),
    }),
  );
  return [service, ...(state === 'empty' ? [] : slices)];
}

function endpointsOf(state: State, address: (which: number) => string): EndpointSliceManifest['endpoints'] {
  const first = [address(0)];
  const second = [address(1)];
  if (state === 'ready') return [{ addresses: first, conditions: { ready: true } }, { addresses: second }];
  if (state === 'single') return [{ addresses: first, conditions: { ready: true } }];
  const unready = { addresses: second, conditions: { ready: false } };
  if (state === 'unready') return [unready];
  return [{ addresses: first, conditions: { ready: false, serving: true, terminating: true } }, unready];
}
