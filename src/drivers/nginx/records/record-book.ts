import type { Finding } from '../../../diagnostics/finding.ts';
import type { Backend } from '../../../model/backend.ts';
import { equalParts } from '../../../model/equality.ts';
import { emptyModel, type Model, type ModelDelta } from '../../../model/model.ts';
import type { Profile } from '../conf/profile.ts';
import { AuthorityBook } from './authority-book.ts';
import type { AuthorityText } from './authority-record.ts';
import type { Evaluation } from './evaluation.ts';
import { HostIndex, type HostFacts, leanFacts } from './host-facts.ts';
import { TlsIdentities } from '../profiles/tls-identities.ts';
import { guardedBackend, guardedCertificate, guardedHost } from './guarded-rendering.ts';
import { renderListener } from './listener-record.ts';
import { patternKey, type Pattern } from './pattern.ts';
import { recordId, recordKey, recordKindOf } from './record-key.ts';
import { recordChecksum } from './record-text.ts';
import { ROUTE_DEFAULTS, type RenderContext, type RouteDefaults } from './render-context.ts';
import { defaultServerNames, renderServerName, scopeServerName } from './server-name-record.ts';

/**
 * The records that a model means, as checksums: what a record holds is rendered again when it is sent, so that no
 * second copy of the model (and of no private key) is kept. One changed host costs the rendering of that host.
 */
export class RecordBook {
  readonly defaults: RouteDefaults;
  #model: Model = emptyModel();
  readonly #checksums = new Map<string, string>();
  readonly #facts = new Map<string, HostFacts>();
  /** Of hosts by their keys, of other records by the records': only where there are any. */
  readonly #hostFindings = new Map<string, readonly Finding[]>();
  readonly #findings = new Map<string, readonly Finding[]>();
  readonly #hostsOfBackend = new HostIndex();
  readonly #hostsOfProfile = new HostIndex();
  readonly #hostsOfCertificate = new HostIndex();
  readonly #authorities = new AuthorityBook();
  readonly #identities: TlsIdentities;
  readonly #rejectedPatterns = new Map<string, string>();
  readonly #knownPatterns = new Set<string>();
  #quarantinedProfiles: ReadonlyMap<string, string> = new Map();
  /** Raised by all that an evaluation depends on besides the model. */
  #basis = 0;
  /** Hosts whose record depends on something besides the model that changed. */
  readonly #stale = new Set<string>();

  /** `systemAuthorities`: path of the machine's own bundle of certificate authorities, if it has one. */
  constructor(defaults: RouteDefaults = ROUTE_DEFAULTS, systemAuthorities?: string) {
    this.defaults = defaults;
    this.#identities = new TlsIdentities(systemAuthorities);
  }

  get model(): Model {
    return this.#model;
  }

  /** Wanted records: key and checksum. */
  get checksums(): ReadonlyMap<string, string> {
    return this.#checksums;
  }

  /** Pure: changes nothing here. `delta` undefined: everything is compared. */
  evaluate(model: Model, delta: ModelDelta | undefined): Evaluation {
    const changes = new Map<string, string | undefined>();
    const hosts = new Map<string, HostFacts | undefined>();
    const findings = new Map<string, readonly Finding[] | undefined>();
    const patterns = new Map<string, Pattern>();
    const want = (key: string, text: string | undefined) => {
      const checksum = text === undefined ? undefined : recordChecksum(text);
      if (checksum !== this.#checksums.get(key)) changes.set(key, checksum);
    };
    /** Where weir failed, what was wanted before stays. */
    const keeps = (key: string, faulty: boolean | undefined) => faulty === true && this.#checksums.has(key);
    for (const id of delta?.certificates ?? union(this.#model.certificates, model.certificates)) {
      const certificate = model.certificates.get(id);
      const made = certificate && guardedCertificate(certificate);
      const key = recordKey('c', id);
      if (!keeps(key, made?.faulty)) want(key, made?.rendered.text);
      findings.set(key, made?.rendered.findings);
    }
    for (const id of delta?.backends ?? union(this.#model.backends, model.backends)) {
      const backend = model.backends.get(id);
      const made = backend && guardedBackend(backend);
      const key = recordKey('b', id);
      if (!keeps(key, made?.faulty)) want(key, made?.rendered.text);
      findings.set(key, made?.rendered.findings);
    }
    const authorities = new Map<string, AuthorityText | undefined>();
    const use = (user: string, authority: AuthorityText | undefined) => {
      if (authority !== undefined || this.#authorities.has(user)) authorities.set(user, authority);
    };
    for (const name of delta?.listeners ?? union(this.#model.listeners, model.listeners)) {
      const listener = model.listeners.get(name);
      const rendered = listener && renderListener(listener);
      const key = recordKey('l', name);
      want(key, rendered && JSON.stringify(rendered.record));
      use(key, rendered?.authority);
    }
    const context = this.#context(model);
    const defaultNames = defaultServerNames(model.listeners.values());
    const scopes = delta === undefined || delta.listeners.size > 0 ? this.#scopes(model) : new Set<string>();
    for (const key of this.#dirtyHosts(model, delta)) {
      const host = model.hosts.get(key);
      const made = host && guardedHost(host, context);
      const rendered = made?.rendered;
      const kept = keeps(recordKey('h', key), made?.faulty) ? this.#facts.get(key) : undefined;
      if (kept === undefined) {
        want(recordKey('h', key), rendered?.text);
        use(recordKey('h', key), rendered?.authority);
      }
      hosts.set(key, made?.faulty === true ? { ...made.rendered, ...kept, ...faultyFacts(made.rendered) } : rendered);
      for (const pattern of rendered?.patterns ?? []) patterns.set(patternKey(pattern), pattern);
      const serverName = host && renderServerName(host);
      if (key.endsWith('/*')) scopes.add(key.slice(0, -2));
      else if (kept === undefined) want(recordKey('s', key), serverName && JSON.stringify(serverName));
    }
    for (const scope of scopes) {
      const host = model.hosts.get(`${scope}/*`);
      const serverName = scopeServerName(host, defaultNames.get(scope));
      want(recordKey('s', `${scope}/*`), serverName && JSON.stringify(serverName));
    }
    for (const [key, checksum] of this.#authorities.changes(authorities)) changes.set(key, checksum);
    return { model, basis: this.#basis, changes, hosts, authorities, findings, patterns: [...patterns.values()] };
  }

  /** Whether the same would come out again, of the same model. */
  isCurrent({ basis }: Evaluation): boolean {
    return basis === this.#basis;
  }

  /** Takes an evaluation over; returns the keys of records that changed. */
  commit({ model, changes, hosts, authorities, findings }: Evaluation): void {
    this.#model = model;
    this.#basis += 1;
    this.#authorities.commit(authorities);
    for (const [key, checksum] of changes) {
      if (checksum === undefined) this.#checksums.delete(key);
      else this.#checksums.set(key, checksum);
    }
    for (const [key, facts] of hosts) {
      const before = this.#facts.get(key);
      this.#hostsOfBackend.replace(key, before?.backends ?? [], facts?.backends ?? []);
      this.#hostsOfProfile.replace(key, before?.profiles.keys() ?? [], facts?.profiles.keys() ?? []);
      this.#hostsOfCertificate.replace(key, before?.certificates ?? [], facts?.certificates ?? []);
      if (facts === undefined) this.#facts.delete(key);
      else this.#facts.set(key, leanFacts(facts));
      setOrDelete(this.#hostFindings, key, facts?.findings);
      if (facts?.faulty === true) this.#stale.add(key);
      else this.#stale.delete(key);
    }
    for (const [key, list] of findings) setOrDelete(this.#findings, key, list);
  }

  /** The text of a wanted record; undefined if there is none. */
  text(key: string): string | undefined {
    const id = recordId(key.slice(2));
    const model = this.#model;
    switch (recordKindOf(key)) {
      case 'c': {
        const certificate = model.certificates.get(id);
        return certificate && guardedCertificate(certificate).rendered.text;
      }
      case 'a':
        return this.#authorities.text(id);
      case 'l': {
        const listener = model.listeners.get(id);
        const rendered = listener && renderListener(listener);
        return rendered && JSON.stringify(rendered.record);
      }
      case 'b': {
        const backend = model.backends.get(id);
        return backend && guardedBackend(backend).rendered.text;
      }
      case 'h': {
        const host = model.hosts.get(id);
        return host && guardedHost(host, this.#context(model)).rendered.text;
      }
      case 's': {
        const host = model.hosts.get(id);
        const record = id.endsWith('/*')
          ? scopeServerName(host, defaultServerNames(model.listeners.values()).get(id.slice(0, -2)))
          : host && renderServerName(host);
        return record && JSON.stringify(record);
      }
      case undefined:
        return undefined;
    }
  }

  /** Names of all profiles that routes need; quarantined ones too. */
  profileNames(): readonly string[] {
    return [...this.#hostsOfProfile.names()];
  }

  /** With up to `MAX_ORIGINS` of the routes that need it. */
  profile(name: string): Profile | undefined {
    let found: Profile | undefined;
    for (const key of this.#hostsOfProfile.hostsOf(name)) {
      const profile = this.#facts.get(key)?.profiles.get(name);
      if (profile === undefined) continue;
      found = found === undefined ? profile : { ...found, origins: [...found.origins, ...profile.origins] };
      if (found.origins.length >= MAX_ORIGINS) break;
    }
    return found;
  }

  hostsOfProfile(name: string): ReadonlySet<string> {
    return this.#hostsOfProfile.hostsOf(name);
  }

  profilesOfHost(host: string): readonly string[] {
    return [...(this.#facts.get(host)?.profiles.keys() ?? [])];
  }

  /** As of the committed model, or as an evaluation would make them. */
  findings(evaluation?: Evaluation): readonly Finding[] {
    const findings: Finding[] = [];
    for (const [key, list] of this.#hostFindings) if (evaluation?.hosts.has(key) !== true) findings.push(...list);
    for (const facts of evaluation?.hosts.values() ?? []) findings.push(...(facts?.findings ?? []));
    for (const [key, list] of this.#findings) if (evaluation?.findings.has(key) !== true) findings.push(...list);
    for (const list of evaluation?.findings.values() ?? []) findings.push(...(list ?? []));
    return findings;
  }

  isKnownPattern(pattern: Pattern): boolean {
    return this.#knownPatterns.has(patternKey(pattern));
  }

  /** What the engine said; undefined: it compiles. */
  judgePattern(pattern: Pattern, error: string | undefined): void {
    const key = patternKey(pattern);
    this.#basis += 1;
    this.#knownPatterns.add(key);
    if (error !== undefined) this.#rejectedPatterns.set(key, error);
  }

  /** Routes that need one of these answer 503 from the next evaluation on, and those that no longer do are served. */
  quarantine(profiles: ReadonlyMap<string, string>): void {
    this.#basis += 1;
    for (const name of union(this.#quarantinedProfiles, profiles)) {
      if (this.#quarantinedProfiles.get(name) === profiles.get(name)) continue;
      for (const host of this.#hostsOfProfile.hostsOf(name)) this.#stale.add(host);
    }
    this.#quarantinedProfiles = profiles;
  }

  #context(model: Model): RenderContext {
    return {
      backends: model.backends,
      certificates: model.certificates,
      identities: this.#identities,
      rejectedPatterns: this.#rejectedPatterns,
      quarantinedProfiles: this.#quarantinedProfiles,
      defaults: this.defaults,
    };
  }

  #dirtyHosts(model: Model, delta: ModelDelta | undefined): Iterable<string> {
    if (delta === undefined) return union(this.#model.hosts, model.hosts);
    const dirty = new Set(delta.hosts);
    for (const id of delta.backends) {
      // Endpoints and weights of a backend are its own record; its protocol and TLS are part of the hosts'.
      if (sameToRoutes(this.#model.backends.get(id), model.backends.get(id))) continue;
      for (const host of this.#hostsOfBackend.hostsOf(id)) dirty.add(host);
    }
    for (const id of delta.certificates) for (const host of this.#hostsOfCertificate.hostsOf(id)) dirty.add(host);
    for (const host of this.#stale) dirty.add(host);
    return dirty;
  }

  #scopes(model: Model): Set<string> {
    const scopes = new Set<string>();
    for (const { listeners } of [this.#model, model]) for (const { scope } of listeners.values()) scopes.add(scope);
    for (const key of this.#checksums.keys()) if (/^s:.*\/\*$/u.test(key)) scopes.add(recordId(key.slice(2, -2)));
    return scopes;
  }
}

const MAX_ORIGINS = 20;

function setOrDelete(map: Map<string, readonly Finding[]>, key: string, list: readonly Finding[] | undefined): void {
  if (list === undefined || list.length === 0) map.delete(key);
  else map.set(key, list);
}

function union(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  return new Set([...a.keys(), ...b.keys()]);
}

/** What is told of a host that weir failed at; the rest is what it was before. */
function faultyFacts({ findings }: HostFacts): Pick<HostFacts, 'findings' | 'faulty'> {
  return { findings, faulty: true };
}

/** Whether nothing differs of what a route's record takes from a backend; one that isn't there counts as plain http. */
function sameToRoutes(a: Backend | undefined, b: Backend | undefined): boolean {
  return (a?.protocol ?? 'http') === (b?.protocol ?? 'http') && equalParts(a?.tls, b?.tls);
}
