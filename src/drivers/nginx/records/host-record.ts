import { finding } from '../../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../../diagnostics/drivers.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import { literalBeginning } from '../../../lib/literal-beginning.ts';
import type { Origin } from '../../../model/origin.ts';
import type { VirtualHost } from '../../../model/virtual-host.ts';
import type { Profile } from '../conf/profile.ts';
import { MAX_RECORD_BYTES, type HostRecord, type PathRecord, type RouteRecord } from '../wire.ts';
import type { AuthorityText } from './authority-record.ts';
import { closeRoute } from './close-route.ts';
import { fitRoutes, type RoutePiece, type Surplus } from './fit-routes.ts';
import { renderHostTls } from './host-tls.ts';
import type { Pattern } from './pattern.ts';
import type { RenderContext } from './render-context.ts';
import { renderRoute } from './route-record.ts';

export interface RenderedHost {
  readonly text: string;
  readonly findings: readonly Finding[];
  /** By name; the origins are the routes that need it. */
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly patterns: readonly Pattern[];
  /** Ids of all backends that its routes name. */
  readonly backends: ReadonlySet<string>;
  /** Ids of the certificates that weir shows to them. */
  readonly certificates: ReadonlySet<string>;
  /** That its clients' certificates must come from. */
  readonly authority?: AuthorityText;
}

export function renderHost(host: VirtualHost, context: RenderContext): RenderedHost {
  const findings: Finding[] = [];
  const patterns: Pattern[] = [];
  const pieces: RoutePiece[] = [];
  const tls = renderHostTls(host, context.rejectedPatterns);
  findings.push(...tls.findings);
  patterns.push(...tls.patterns);
  for (const route of host.routes) {
    const { record, standsIn, profiles, ...rendered } = renderRoute(route, context);
    findings.push(...rendered.findings);
    patterns.push(...rendered.patterns);
    if (record === undefined) continue;
    pieces.push({
      route,
      record: tls.closed === undefined ? record : closeRoute(record, tls.closed),
      standsIn,
      profiles,
    });
  }
  const fitted = fitRoutes(pieces, MAX_RECORD_BYTES - Buffer.byteLength(JSON.stringify({ routes: [], ...tls.record })));
  findings.push(...surplusFindings(host, fitted.surplus));
  const profiles = new Map<string, Profile>();
  for (const profile of fitted.pieces.flatMap((piece) => piece.profiles)) {
    const known = profiles.get(profile.name);
    if (known === undefined) profiles.set(profile.name, profile);
    else profiles.set(profile.name, { ...profile, origins: [...known.origins, ...profile.origins] });
  }
  const record: HostRecord = { routes: placeStandIns(fitted.pieces), ...tls.record };
  const backends = backendsOf(host);
  const certificates = shownCertificates(backends, context);
  const { authority } = tls;
  return {
    text: JSON.stringify(record),
    findings,
    profiles,
    patterns,
    backends,
    certificates,
    ...(authority === undefined ? {} : { authority }),
  };
}

function surplusFindings(host: VirtualHost, surplus: readonly Surplus[]): readonly Finding[] {
  const text = ({ object }: Origin) => JSON.stringify([object.kind, object.namespace, object.name]);
  const origins = new Map(surplus.length === 0 ? [] : host.origins.map((origin) => [text(origin), origin]));
  return surplus.map(({ origin, closed, routes }) => {
    const message = `The routes of host ${host.hostname} take more than ${MAX_RECORD_BYTES} bytes, and this object is the last or largest to add to them. ${closed} of its ${routes} routes answer 503; the rest of the host is served.`;
    return finding(DRIVER_FINDINGS.recordTooLarge, origins.get(text(origin)) ?? origin, message);
  });
}

/** A stand-in is less exact than what it stands for: it comes only before what is less exact than itself. */
function placeStandIns(pieces: readonly RoutePiece[]): RouteRecord[] {
  const routes: RouteRecord[] = [];
  let waiting: { readonly record: RouteRecord; readonly folded: string }[] = [];
  for (const { record, standsIn } of pieces) {
    if (standsIn) {
      waiting.push({ record, folded: record.path.value.toLowerCase() });
      continue;
    }
    const covers = coverage(record.path);
    const first = waiting.findIndex(({ record: standIn, folded }) => covers(standIn.path.value, folded));
    if (first !== -1) {
      routes.push(...waiting.slice(first).map((standIn) => standIn.record));
      waiting = waiting.slice(0, first);
    }
    routes.push(record);
  }
  return [...routes, ...waiting.map(({ record }) => record)];
}

/** Whether a path is less exact than a stand-in's, also given in lower case, so that it would take its requests. */
function coverage(path: PathRecord): (value: string, folded: string) => boolean {
  if (path.kind === 'exact') return () => false;
  if (path.kind !== 'regex') return (value) => value.startsWith(path.value);
  const beginning = literalBeginning(path.value).toLowerCase();
  return (_, folded) => folded.startsWith(beginning);
}

/** Answers 503 whatever is asked for. */
export function refusedHost(origin: Origin | undefined, reason: string): HostRecord {
  const object = origin === undefined ? '' : `${origin.object.kind}/${origin.object.namespace}/${origin.object.name}`;
  const respond = { status: 503, reason };
  return { routes: [{ origin: object, path: { kind: 'text-prefix', value: '/' }, respond }] };
}

function backendsOf(host: VirtualHost): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { action, filters } of host.routes) {
    for (const filter of filters) {
      if (filter.type === 'external-auth') ids.add(filter.auth.backend);
      else if (filter.type === 'mirror') ids.add(filter.backend);
    }
    if (action.kind !== 'forward') continue;
    for (const { backend } of action.backends) ids.add(backend);
    for (const { backend } of action.canaries ?? []) ids.add(backend);
  }
  return ids;
}

function shownCertificates(ids: ReadonlySet<string>, { backends }: RenderContext): ReadonlySet<string> {
  const certificates = new Set<string>();
  for (const id of ids) {
    const shown = backends.get(id)?.tls?.clientCertificate;
    if (shown !== undefined) certificates.add(shown);
  }
  return certificates.size === 0 ? NONE : certificates;
}

const NONE: ReadonlySet<string> = new Set();
