import type { Authority } from '../../support/certificates.ts';
import type { HostState, ServiceName } from './host-state.ts';
import type { Random } from './random.ts';

export const CHANGE_KINDS = ['ingress', 'path', 'endpoints', 'weight', 'certificate', 'client-authority'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface Change {
  readonly kind: ChangeKind;
  readonly before: HostState;
  readonly after: HostState;
}

/** One change of one file, which a client can see. */
export async function nextChange(
  states: readonly HostState[],
  backends: readonly string[],
  random: Random,
  authority: Authority,
): Promise<Change> {
  const kind = random.pick(CHANGE_KINDS);
  const served = states.filter((state) => state.served);
  if (kind === 'ingress' || served.length === 0) {
    const before = random.pick(states);
    return { kind: 'ingress', before, after: { ...before, served: !before.served } };
  }
  const before = random.pick(served);
  return { kind, before, after: { ...before, ...(await changed(kind, before, backends, random, authority)) } };
}

async function changed(
  kind: Exclude<ChangeKind, 'ingress'>,
  before: HostState,
  backends: readonly string[],
  random: Random,
  authority: Authority,
): Promise<Partial<HostState>> {
  switch (kind) {
    case 'path':
      if (random.below(3) === 0) return { root: before.root === 'main' ? 'alt' : 'main' };
      return { sub: random.pick(([undefined, 'Prefix', 'Exact'] as const).filter((sub) => sub !== before.sub)) };
    case 'weight':
      return { weight: random.pick([undefined, 0, 50, 100].filter((weight) => weight !== before.weight)) };
    case 'client-authority':
      return {
        clients: random.pick(([undefined, 'own', 'foreign'] as const).filter((clients) => clients !== before.clients)),
      };
    case 'certificate':
      return { certificate: await authority.issue([before.host]) };
    case 'endpoints': {
      const service: ServiceName =
        before.weight === undefined ? random.pick(['main', 'alt']) : random.pick(['main', 'alt', 'canary']);
      const names = otherEndpoints(before.endpoints[service], service, backends, random);
      return { endpoints: { ...before.endpoints, [service]: names } };
    }
  }
}

/** One to three others; sometimes none, which is answered 503. A canary keeps some. */
function otherEndpoints(
  before: readonly string[],
  service: ServiceName,
  backends: readonly string[],
  random: Random,
): readonly string[] {
  for (;;) {
    const least = service === 'canary' || before.length === 0 ? 1 : 0;
    const count = random.below(8) === 0 ? least : 1 + random.below(3);
    const names = new Set<string>();
    while (names.size < count) names.add(random.pick(backends));
    if (names.size !== before.length || !before.every((name) => names.has(name))) return [...names].sort();
  }
}
