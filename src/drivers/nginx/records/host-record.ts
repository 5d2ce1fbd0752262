import { finding } from '../../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../../diagnostics/drivers.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import { literalBeginning } from '../../../lib/literal-beginning.ts';
import type { Origin } from '../../../model/origin.ts';
import type { VirtualHost } from '../../../model/virtual-host.ts';
import type { Profile } from '../conf/profile.ts';
import { MAX_RECORD_BYTES, type HostRecord, type PathRecord, type RouteRecord } from '../wire.ts';
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
}

export function renderHost(host: VirtualHost, context: RenderContext): RenderedHost {
  const findings: Finding[] = [];
  const patterns: Pattern[] = [];
  const profiles = new Map<string, Profile>();
  const routes: RouteRecord[] = [];
  const standIns: RouteRecord[] = [];
  const tls = renderHostTls(host);
  findings.push(...tls.findings);
  for (const route of host.routes) {
    const rendered = renderRoute(route, context);
    findings.push(...rendered.findings);
    patterns.push(...rendered.patterns);
    for (const profile of rendered.profiles) {
      const origins = [...(profiles.get(profile.name)?.origins ?? []), ...profile.origins];
      profiles.set(profile.name, { ...profile, origins });
    }
    if (rendered.record === undefined) continue;
    // A stand-in is less exact than the pattern it stands for: it comes only before what is less exact than itself.
    const standInIndex = standIns.findIndex((standIn) => covers(rendered.record?.path, standIn.path));
    if (standInIndex !== -1 && !rendered.standsIn) routes.push(...standIns.splice(standInIndex));
    if (rendered.standsIn) standIns.push(rendered.record);
    else routes.push(rendered.record);
  }
  routes.push(...standIns);
  const record: HostRecord = { routes: tls.closed ? routes.map(closeRoute) : routes };
  let text = JSON.stringify(record);
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES) {
    const message = `The routes of host ${host.hostname} take ${Buffer.byteLength(text)} bytes, more than ${MAX_RECORD_BYTES}. The host answers 503.`;
    findings.push(...host.origins.map((origin) => finding(DRIVER_FINDINGS.recordTooLarge, origin, message)));
    text = JSON.stringify(refusedHost(host.origins[0], 'This host has too many routes.'));
    profiles.clear();
  }
  return { text, findings, profiles, patterns, backends: backendsOf(host) };
}

/** Whether a path is less exact than a stand-in, so that a route for it would take the requests of the stand-in. */
function covers(path: PathRecord | undefined, standIn: PathRecord): boolean {
  if (path?.kind !== 'regex') return standIn.value.startsWith(path?.value ?? '');
  return standIn.value.toLowerCase().startsWith(literalBeginning(path.value).toLowerCase());
}

function closeRoute(route: RouteRecord): RouteRecord {
  const { origin, path, method, headers, query } = route;
  return {
    origin,
    path,
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(query === undefined ? {} : { query }),
    respond: { status: 503, reason: 'Client certificates of this host are not supported.' },
  };
}

/** Answers 503 whatever is asked for. */
export function refusedHost(origin: Origin | undefined, reason: string): HostRecord {
  const object = origin === undefined ? '' : `${origin.object.kind}/${origin.object.namespace}/${origin.object.name}`;
  const respond = { status: 503, reason };
  return { routes: [{ origin: object, path: { kind: 'text-prefix', value: '/' }, respond }] };
}

function renderHostTls(host: VirtualHost): { readonly findings: readonly Finding[]; readonly closed: boolean } {
  const { tls } = host;
  if (tls === undefined) return { findings: [], closed: false };
  const findings: Finding[] = [];
  const closed = tls.clientCertificate !== undefined;
  const left = tls.protocols !== undefined || tls.ciphers !== undefined || tls.preferServerCiphers !== undefined;
  for (const origin of host.origins) {
    if (closed) {
      const message = `nginx can not verify client certificates of host ${host.hostname} yet, so the host answers 503.`;
      findings.push(finding(DRIVER_FINDINGS.clientCertificate, origin, message));
    }
    if (left) {
      const message = `nginx can not set TLS protocols or ciphers of host ${host.hostname} alone yet; it is served without.`;
      findings.push(finding(DRIVER_FINDINGS.settingLeftOut, origin, message));
    }
  }
  return { findings, closed };
}

function backendsOf(host: VirtualHost): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { action } of host.routes) {
    if (action.kind !== 'forward') continue;
    for (const { backend } of action.backends) ids.add(backend);
    for (const { backend } of action.canaries ?? []) ids.add(backend);
  }
  return ids;
}
