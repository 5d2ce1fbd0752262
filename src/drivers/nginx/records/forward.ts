import { finding } from '../../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../../diagnostics/drivers.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import type { Backend } from '../../../model/backend.ts';
import type { Origin } from '../../../model/origin.ts';
import type { Action, Canary, WeightedBackend } from '../../../model/route.ts';
import { ACCESS_FILTERS } from '../capabilities.ts';
import type { Profile } from '../conf/profile.ts';
import { upstreamName } from '../conf/upstream-block.ts';
import type { RenderContext } from './render-context.ts';

export type ForwardAction = Extract<Action, { kind: 'forward' }>;

export type BackendNeeds = Pick<Profile, 'protocol' | 'identity' | 'files'>;

export interface ChosenForward {
  readonly action: { readonly backends: readonly WeightedBackend[]; readonly canaries: readonly Canary[] };
  /** What the profile of the route must have so that its backends are reached as they ask. */
  readonly needs: BackendNeeds;
  readonly findings: readonly Finding[];
  readonly closed: boolean;
}

/** h2c is spoken by the same nginx module as gRPC. */
const PROTOCOLS: Readonly<Partial<Record<Backend['protocol'], Profile['protocol']>>> = {
  http: 'http',
  https: 'https',
  h2c: 'grpc',
  grpc: 'grpc',
  grpcs: 'grpcs',
};

/** All backends of a route share one protocol and TLS identity, because a route has one profile: the first backend's. */
export function chooseForward(
  action: ForwardAction,
  { backends: table, certificates, identities }: RenderContext,
  origin: Origin,
): ChosenForward {
  const findings: Finding[] = [];
  const canaries = action.canaries ?? [];
  const ids = new Set([...action.backends, ...canaries].map(({ backend }) => backend));
  let needs: BackendNeeds | undefined;
  let closed = false;
  const different = new Set<string>();
  for (const id of ids) {
    const backend = table.get(id);
    // A backend that isn't there has no endpoints either: the data plane answers 503 for its share.
    if (backend === undefined) continue;
    const protocol = PROTOCOLS[backend.protocol];
    const tls = identities.of(backend, certificates);
    if (protocol === undefined) {
      closed = true;
      const message = `Backend ${id} speaks ${backend.protocol}, which nginx can not speak for a route; the route answers 503.`;
      findings.push(finding(DRIVER_FINDINGS.backendProtocol, origin, message));
    } else if ('refused' in tls) {
      closed = true;
      const message = `TLS towards backend ${id} can not be as asked: ${tls.refused}. The route answers 503.`;
      findings.push(finding(DRIVER_FINDINGS.backendTls, origin, message));
    } else {
      const own = { protocol, ...tls };
      needs ??= own;
      if (upstreamName(own) === upstreamName(needs)) continue;
      different.add(id);
      const what =
        protocol === needs.protocol
          ? 'has other TLS settings than another backend of this route'
          : `speaks ${backend.protocol}, another backend of this route ${needs.protocol}`;
      findings.push(finding(DRIVER_FINDINGS.mixedProtocols, origin, `Backend ${id} ${what}; ${id} is left out.`));
    }
  }
  for (const filter of action.backends.flatMap(({ filters = [] }) => filters)) {
    const restricts = ACCESS_FILTERS.has(filter.type);
    closed ||= restricts;
    const entry = restricts ? DRIVER_FINDINGS.accessRuleClosed : DRIVER_FINDINGS.filterLeftOut;
    const outcome = restricts ? 'the route answers 503' : 'it is served without';
    const message = `nginx can not do the "${filter.type}" filter of a single backend yet; ${outcome}.`;
    findings.push(finding(entry, origin, message));
  }
  return {
    action: {
      backends: action.backends.filter(({ backend }) => !different.has(backend)),
      canaries: canaries.filter(({ backend }) => !different.has(backend)),
    },
    needs: needs ?? { protocol: 'http' },
    findings,
    closed,
  };
}
