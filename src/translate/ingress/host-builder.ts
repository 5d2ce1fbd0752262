/**
 * One virtual host from all Ingresses that have a part in it. In order: whose paths count, TLS, canaries, routes, their
 * companions, the default backend. Pure: the same Ingresses, Services and Secrets give the same host.
 */
import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import type { ClientCertificatePolicy } from '../../model/client-certificate.ts';
import type { Filter } from '../../model/filter.ts';
import { sortRoutes } from '../../model/order.ts';
import type { Action, Canary, Route } from '../../model/route.ts';
import type { HostTls, VirtualHost } from '../../model/virtual-host.ts';
import type { IngressBackend } from '../../snapshot/kinds/ingress.ts';
import { trimmed } from '../../lib/trimmed.ts';
import { originOf } from '../../snapshot/object-head.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { BackendUse } from '../services/backend-table.ts';
import { BackendResolver } from './backend-resolver.ts';
import { type BackendTlsOutcome, buildBackendTls } from './backend-tls.ts';
import { type AssignedCanary, assignCanaries, DEFAULT_ROUTE } from './canary-assignment.ts';
import { buildClientCertificates } from './client-certificates.ts';
import { buildHostTls, type CertificateLookup } from './host-tls.ts';
import { type Contributor, contestPaths } from './path-contest.ts';
import { neverMatches, type PathRule } from './path-rule.ts';
import { backendSettings, buildRoute, buildSlashRedirect, type RouteSurroundings } from './route-builder.ts';
import { buildServiceFilters, type ServiceFilters } from './service-filters.ts';
import { compareIngresses, type ServedIngress } from './served-ingress.ts';
import { CLOSED_BY_FAULT } from './settings.ts';

export const INGRESS_SCOPE = 'default';

export interface HostContext {
  readonly snapshot: Snapshot;
  readonly certificate: CertificateLookup;
  readonly hasDefaultCertificate: boolean;
  readonly httpsPort: number;
}

export interface BuiltHost {
  /** Undefined where there are only canaries. */
  readonly host?: VirtualHost;
  readonly uses: readonly BackendUse[];
  readonly services: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
  /** Ids of the certificates that are shown to its backends. */
  readonly clientCertificates: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

export function buildHost(hostname: string, ingresses: readonly ServedIngress[], context: HostContext): BuiltHost {
  const contributors = [...ingresses].sort(compareIngresses).flatMap((ingress): Contributor[] => {
    const part = ingress.hosts.find((host) => host.hostname === hostname);
    return part === undefined ? [] : [{ ingress, part }];
  });
  const mains = contributors.filter(({ ingress }) => ingress.settings.canary === undefined);
  const canaries = contributors.filter(({ ingress }) => ingress.settings.canary !== undefined);
  const contest = contestPaths(hostname, mains);
  const owners = mains.map(({ ingress }) => ingress);
  const tls = buildHostTls(hostname, owners, context.certificate, context.hasDefaultCertificate);
  const clients = buildClientCertificates(hostname, owners, context.certificate);
  const closedBecause = (ingress: ServedIngress) =>
    clients.refused ?? (clients.overruled.has(ingress.key) ? OVERRULED : closedByItself(ingress));
  const defaults = mains.filter(({ ingress }) => ingress.object.defaultBackend !== undefined);
  const assignment = assignCanaries(hostname, canaries, contest, defaults[0]?.ingress);
  const resolver = new BackendResolver(context.snapshot);
  const surroundings = { hostHasTls: tls.tls !== undefined, httpsPort: context.httpsPort };
  const actions = new ActionBuilder(resolver, context.certificate);

  const routes: Route[] = [];
  for (const [identity, { ingress, rule, match, uncompilable }] of contest.winners) {
    const closed = uncompilable ? 'The path is no valid regular expression' : closedBecause(ingress);
    const action =
      closed === undefined
        ? actions.build(ingress, rule.backend, `${rule.field}.backend`, assignment.assigned.get(identity))
        : closedAction(closed);
    const id = [ingress.key, rule.type, match.value].join(' ');
    const services = actions.services(ingress);
    const basis = { id, ingress, match, field: rule.field, action, services, closed: closed !== undefined };
    const route = buildRoute(basis, surroundings);
    routes.push(route);
    if (wantsSlashRedirect(route, contest.winners, rule)) {
      routes.push(buildSlashRedirect(route, basis, surroundings));
    }
  }
  const findings = [...contest.findings, ...tls.findings, ...clients.findings, ...assignment.findings];
  const fallback = buildDefault(
    hostname,
    defaults,
    routes,
    assignment.assigned.get(DEFAULT_ROUTE),
    actions,
    surroundings,
    closedBecause,
  );
  findings.push(...fallback.findings);
  const outcome = {
    uses: resolver.uses,
    services: resolver.services,
    secrets: new Set([...tls.secrets, ...clients.secrets, ...actions.secrets]),
    clientCertificates: actions.clientCertificates,
  };
  const all = [...findings, ...resolver.findings, ...actions.findings];
  if (mains.length === 0) return { ...outcome, findings: all };
  const host: VirtualHost = {
    scope: INGRESS_SCOPE,
    hostname,
    ...hostTls(tls.tls, clients.policy),
    routes: trimmed(sortRoutes([...routes, ...fallback.routes])),
    origins: trimmed(
      mains.flatMap(({ ingress, part }) =>
        (part.fields.length > 0 ? part.fields : ['spec.defaultBackend']).map((field) =>
          originOf(ingress.object, field),
        ),
      ),
    ),
  };
  return { ...outcome, host, findings: all };
}

/** Only for locations of nginx that are no regular expressions, and unless a path of the host is for that very form. */
function wantsSlashRedirect(
  { match: { path } }: Route,
  winners: ReadonlyMap<string, unknown>,
  rule: PathRule,
): boolean {
  if (neverMatches(rule) !== undefined) return false;
  if (path.value.length < 2 || !path.value.endsWith('/')) return false;
  if (path.kind !== 'exact' && path.kind !== 'text-prefix') return false;
  const form = path.value.slice(0, -1);
  return !['exact', 'prefix', 'text-prefix'].some((kind) => winners.has(`${kind} ${form}`));
}

/** The oldest Ingress' default backend, where no path of the host takes everything. */
function buildDefault(
  hostname: string,
  [owner, ...others]: readonly Contributor[],
  routes: readonly Route[],
  canary: AssignedCanary | undefined,
  actions: ActionBuilder,
  surroundings: RouteSurroundings,
  closedBecause: (ingress: ServedIngress) => string | undefined,
): { readonly routes: readonly Route[]; readonly findings: readonly Finding[] } {
  if (owner === undefined) return { routes: [], findings: [] };
  const field = 'spec.defaultBackend';
  const findings = others.map(({ ingress }) => {
    const message = `The default backend of host ${hostname} is that of Ingress ${owner.ingress.key}, which is older or comes first by name; this one is not served there.`;
    return finding(INGRESS_FINDINGS.pathConflict, originOf(ingress.object, field), message);
  });
  const covered = routes.some(({ match: { path } }) => path.kind !== 'exact' && path.value === '/');
  if (covered) return { routes: [], findings };
  const { ingress } = owner;
  const closed = closedBecause(ingress);
  const action =
    closed === undefined ? actions.build(ingress, ingress.object.defaultBackend!, field, canary) : closedAction(closed);
  const match = { kind: 'text-prefix', value: '/' } as const;
  const services = actions.services(ingress);
  const basis = { id: `${ingress.key} default`, ingress, match, field, action, services, closed: closed !== undefined };
  return { routes: [buildRoute(basis, surroundings)], findings };
}

/** Without a TLS section the certificate is the default one. */
function hostTls(tls: HostTls | undefined, clientCertificate: ClientCertificatePolicy | undefined): { tls?: HostTls } {
  if (clientCertificate === undefined) return tls === undefined ? {} : { tls };
  return { tls: { certificates: [], ...tls, clientCertificate } };
}

const OVERRULED = 'Another Ingress decides which client certificates this host asks for';

/** Why all routes of the Ingress answer 503; undefined where they don't. */
function closedByItself({ settings: { closed } }: ServedIngress): string | undefined {
  if (closed === undefined) return undefined;
  return closed === CLOSED_BY_FAULT
    ? 'weir failed at reading this Ingress'
    : `Annotation ${closed} can not be honoured, so this address is not served`;
}

function closedAction(reason: string): Action {
  return { kind: 'respond', status: 503, reason };
}

class ActionBuilder {
  /** Secrets that were looked at for backends, and those of them whose certificate is shown to one. */
  readonly secrets = new Set<string>();
  readonly clientCertificates = new Set<string>();
  readonly findings: Finding[] = [];
  readonly #resolver: BackendResolver;
  readonly #certificate: CertificateLookup;
  /** By Ingress. */
  readonly #tls = new Map<string, BackendTlsOutcome>();
  readonly #services = new Map<string, ServiceFilters>();

  constructor(resolver: BackendResolver, certificate: CertificateLookup) {
    this.#resolver = resolver;
    this.#certificate = certificate;
  }

  /** `field`: the backend's own, as `spec.defaultBackend`. */
  build(ingress: ServedIngress, backend: IngressBackend, field: string, canary: AssignedCanary | undefined): Action {
    const { refused, tls } = this.#tlsOf(ingress);
    const closed = refused ?? this.#servicesOf(ingress).refused;
    if (closed !== undefined) return closedAction(closed);
    const main = this.#resolver.resolve(ingress, backend, field, backendSettings(ingress.settings, tls));
    if ('reason' in main) return { kind: 'respond', status: 503, reason: main.reason };
    const canaries = canary === undefined ? [] : this.#canaries(canary, ingress);
    return {
      kind: 'forward',
      backends: [{ backend: main.id, weight: 1 }],
      ...(canaries.length === 0 ? {} : { canaries }),
    };
  }

  /** Filters for the services that the Ingress names by URL; none where its routes are closed because of one. */
  services(ingress: ServedIngress): readonly Filter[] {
    return closedByItself(ingress) === undefined ? this.#servicesOf(ingress).filters : [];
  }

  #servicesOf(ingress: ServedIngress): ServiceFilters {
    const known = this.#services.get(ingress.key);
    if (known !== undefined) return known;
    const made = buildServiceFilters(ingress, this.#resolver);
    this.#services.set(ingress.key, made);
    return made;
  }

  #tlsOf(ingress: ServedIngress): BackendTlsOutcome {
    const known = this.#tls.get(ingress.key);
    if (known !== undefined) return known;
    const outcome = buildBackendTls(ingress, this.#certificate);
    this.#tls.set(ingress.key, outcome);
    if (outcome.secretKey !== undefined) this.secrets.add(outcome.secretKey);
    if (outcome.tls?.clientCertificate !== undefined) this.clientCertificates.add(outcome.tls.clientCertificate);
    this.findings.push(...outcome.findings);
    return outcome;
  }

  /** A canary speaks the main route's protocol, with its TLS; one that is closed, or has no backend, gets nothing. */
  #canaries({ ingress, backend, field }: AssignedCanary, main: ServedIngress): Canary[] {
    const { canary, closed } = ingress.settings;
    if (canary === undefined || closed !== undefined) return [];
    const at = field === 'spec.defaultBackend' ? field : `${field}.backend`;
    const settings = {
      ...backendSettings(ingress.settings, this.#tlsOf(main).tls),
      protocol: main.settings.backendProtocol,
    };
    const resolved = this.#resolver.resolve(ingress, backend, at, settings);
    if ('reason' in resolved) return [];
    return [{ backend: resolved.id, ...canary, origin: originOf(ingress.object, field) }];
  }
}
