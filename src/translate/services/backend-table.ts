import { isIP } from 'node:net';
import { type CatalogueEntry, finding } from '../../diagnostics/catalogue.ts';
import { faultFinding } from '../../diagnostics/fault-finding.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import type { Backend, Endpoint } from '../../model/backend.ts';
import { equalParts } from '../../model/equality.ts';
import { compareOrigins, sortEndpoints } from '../../model/order.ts';
import type { Origin } from '../../model/origin.ts';
import type { ServiceObject } from '../../snapshot/kinds/service.ts';
import { originOf } from '../../snapshot/object-head.ts';
import { ReferenceIndex } from '../../snapshot/reference-index.ts';
import { resourceKey } from '../../snapshot/resource.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { FaultGuard } from '../fault-guard.ts';
import type { FindingBook } from '../finding-book.ts';
import type { NameAnswer } from '../translator.ts';
import type { BackendSpec } from './backend-spec.ts';
import type { EndpointAddresses } from './endpoint-address.ts';
import { followExternalName } from './external-name.ts';
import { findEndpoints } from './service-endpoints.ts';
import { type FoundPort, servicePortByKey } from './service-port.ts';

/** A part of the model that sends requests to a backend. */
export interface BackendUse {
  readonly spec: BackendSpec;
  readonly origin: Origin;
  /** What becomes of the requests while the backend has no endpoints; absent: "the route answers 503". */
  readonly outcome?: string;
  /** What to do where DNS does not know the host, when there is something better to say than in general. */
  readonly unresolvedFix?: string;
}

/** Why a backend has no endpoints. */
interface Trouble {
  readonly entry: CatalogueEntry;
  /** Without its outcome and the full stop. */
  readonly problem: string;
  readonly fix?: string;
}

interface Entry {
  spec: BackendSpec;
  trouble?: Trouble;
}

type Place = Omit<BackendUse, 'spec'> & { readonly id: string };

/** Backends exist while something uses them. Changes gather until `rebuild`. */
export class BackendTable {
  readonly #snapshot: Snapshot;
  readonly #addresses: EndpointAddresses;
  readonly #book: FindingBook;
  readonly #guard: FaultGuard;
  readonly #backends: Map<string, Backend>;
  readonly #entries = new Map<string, Entry>();
  /** User (a host) → backends, and where in the objects it uses them. */
  readonly #used = new ReferenceIndex();
  readonly #places = new Map<string, readonly Place[]>();
  readonly #services = new ReferenceIndex();
  readonly #names = new ReferenceIndex();
  readonly #needed = new Set<string>();
  readonly #answers = new Map<string, NameAnswer>();
  readonly #dirty = new Set<string>();

  /** `backends` is the model's table, which is written here and nowhere else. */
  constructor(
    snapshot: Snapshot,
    addresses: EndpointAddresses,
    book: FindingBook,
    guard: FaultGuard,
    backends: Map<string, Backend>,
  ) {
    this.#snapshot = snapshot;
    this.#addresses = addresses;
    this.#book = book;
    this.#guard = guard;
    this.#backends = backends;
  }

  /** `user` now uses exactly these. */
  use(user: string, uses: readonly BackendUse[]): void {
    const ids = new Set<string>();
    for (const { spec } of uses) {
      ids.add(spec.id);
      const entry = this.#entries.get(spec.id);
      if (entry !== undefined && equalParts(entry.spec, spec)) continue;
      if (entry === undefined) this.#entries.set(spec.id, { spec });
      else entry.spec = spec;
      this.#services.set(spec.id, new Set(spec.services));
      this.#dirty.add(spec.id);
    }
    const before = this.#used.targets(user);
    for (const id of this.#used.set(user, ids)) this.#dirty.add(id);
    if (uses.length === 0) this.#places.delete(user);
    else
      this.#places.set(
        user,
        uses.map(({ spec, ...place }) => ({ id: spec.id, ...place })),
      );
    for (const id of before) if (!ids.has(id)) this.#book.set(subjectOfUse(id, user), []);
    for (const id of ids) this.#reportUse(id, user);
  }

  /** The Service, or what tells of its endpoints, has changed. */
  markService(serviceKey: string): void {
    for (const id of this.#services.users(serviceKey)) this.#dirty.add(id);
  }

  neededNames(): ReadonlySet<string> {
    return this.#needed;
  }

  resolved(name: string, answer: NameAnswer): void {
    if (!this.#needed.has(name)) return;
    this.#answers.set(name, answer);
    for (const id of this.#names.users(name)) this.#dirty.add(id);
  }

  /** Makes the dirty backends again. Returns the ids of those that changed in the model. */
  rebuild(): ReadonlySet<string> {
    const changed = new Set<string>();
    for (const id of this.#dirty) {
      const entry = this.#entries.get(id);
      if (entry === undefined) continue;
      if (this.#store(id, this.#made(entry))) changed.add(id);
    }
    this.#dirty.clear();
    return changed;
  }

  /** The backend before it stays where weir fails, and one without endpoints (503) where there was none. */
  #made(entry: Entry): Backend | undefined {
    const { id, protocol, serviceKey } = entry.spec;
    const [namespace = '', name = ''] = serviceKey.split('/');
    const service = { object: { kind: 'Service', namespace, name }, field: 'spec' };
    const origin = entry.spec.external === undefined ? service : externalOrigin(entry.spec.external);
    return this.#guard.attempt({
      subject: `backend ${id}`,
      work: () => (this.#used.isUsed(id) ? this.#build(entry) : this.#remove(id)),
      standIn: () =>
        this.#backends.get(id) ?? { id, protocol, balancing: { kind: 'round-robin' }, endpoints: [], origin },
      findings: (error) => {
        const service = this.#snapshot.get('Service', serviceKey);
        const at = service === undefined ? origin : originOf(service, 'spec');
        const meanwhile = this.#backends.has(id) ? 'Its endpoints before stay' : 'Its routes answer 503';
        return [faultFinding(at, `making backend ${id}`, error, meanwhile)];
      },
      mark: () => this.#dirty.add(id),
    });
  }

  #store(id: string, after: Backend | undefined): boolean {
    if (after === undefined) return this.#backends.delete(id);
    const before = this.#backends.get(id);
    if (before !== undefined && equalParts(before, after)) return false;
    this.#backends.set(id, after);
    return true;
  }

  #remove(id: string): undefined {
    this.#entries.delete(id);
    this.#services.set(id, new Set());
    this.#book.set(`backend ${id}`, []);
    this.#need(id, undefined);
  }

  #build(entry: Entry): Backend {
    const { spec } = entry;
    if (spec.external !== undefined) return this.#buildExternal(entry, spec.external);
    const service = this.#snapshot.get('Service', spec.serviceKey);
    const port = service === undefined ? undefined : servicePortByKey(service, spec.portKey);
    // Whoever uses a backend has found its Service and port, and is made again before it when one of them goes.
    if (service === undefined || port === undefined) throw new Error(`backend ${spec.id} without its Service port`);
    const outcome = this.#endpoints(spec, service, port);
    const field = service.type === 'ExternalName' ? 'spec.externalName' : `spec.ports[${port.index ?? 0}]`;
    return this.#finish(entry, outcome, originOf(service, field));
  }

  /** What is wrong with it is told to whoever names the host: there is no object of its own. */
  #buildExternal(entry: Entry, { host, port }: NonNullable<BackendSpec['external']>): Backend {
    const origin = externalOrigin({ host, port });
    const outcome = this.#namedEndpoints(entry.spec.id, host, port, origin, {
      what: `Host ${host}`,
      fix: 'Correct the host in the URL, or see why DNS does not know it.',
    });
    const { refused } = outcome;
    const trouble = refused === undefined || outcome.trouble === undefined ? outcome.trouble : troubleOf(refused, host);
    return this.#finish(entry, { ...outcome, findings: [], ...(trouble === undefined ? {} : { trouble }) }, origin);
  }

  #finish(entry: Entry, outcome: Outcome, origin: Origin): Backend {
    const { spec } = entry;
    this.#book.set(`backend ${spec.id}`, outcome.findings);
    if (!equalParts(entry.trouble, outcome.trouble)) {
      if (outcome.trouble === undefined) delete entry.trouble;
      else entry.trouble = outcome.trouble;
      for (const user of this.#used.users(spec.id)) this.#reportUse(spec.id, user);
    }
    return {
      id: spec.id,
      protocol: spec.protocol,
      ...(spec.tls === undefined ? {} : { tls: spec.tls }),
      balancing: spec.balancing ?? { kind: 'round-robin' },
      endpoints: [...outcome.endpoints],
      origin,
    };
  }

  #endpoints(spec: BackendSpec, service: ServiceObject, found: FoundPort): Outcome {
    if (service.type === 'ExternalName') return this.#externalEndpoints(spec, service, found);
    this.#need(spec.id, undefined);
    const { port } = found;
    if (spec.serviceUpstream && service.clusterIP !== undefined) {
      return this.#readAddresses([service.clusterIP], port.port, originOf(service, 'spec.clusterIP'));
    }
    const slices = this.#snapshot.slicesOf(spec.serviceKey);
    const legacy = this.#snapshot.get('Endpoints', spec.serviceKey);
    const { endpoints, findings } = findEndpoints(service, port, { slices, legacy }, this.#addresses);
    if (endpoints.length > 0) return { endpoints, findings };
    const problem =
      slices.length === 0 && legacy === undefined
        ? `Service ${spec.serviceKey} has no EndpointSlice`
        : `Service ${spec.serviceKey} has no endpoint that is ready on port ${spec.portKey}`;
    return { endpoints, findings, trouble: { entry: INGRESS_FINDINGS.noEndpoints, problem } };
  }

  #externalEndpoints(spec: BackendSpec, service: ServiceObject, { port }: FoundPort): Outcome {
    const { name, problem } = followExternalName(this.#snapshot, service);
    if (name === undefined) throw new Error(`backend ${spec.id} without a name: ${problem}`);
    const origin = originOf(service, 'spec.externalName');
    return this.#namedEndpoints(spec.id, name, port.port, origin, { what: `External name ${name}` });
  }

  /** `what`: the name as it is called in a finding; `fix`: what to do where DNS doesn't know it, if not the usual. */
  #namedEndpoints(
    id: string,
    name: string,
    port: number,
    origin: Origin,
    { what, fix }: { readonly what: string; readonly fix?: string },
  ): Outcome {
    if (this.#addresses.isAddress(name)) {
      this.#need(id, undefined);
      return this.#readAddresses([name], port, origin);
    }
    this.#need(id, name);
    const answer = this.#answers.get(name);
    // Nobody has asked yet: nothing to complain about.
    if (answer === undefined) return { endpoints: [], findings: [] };
    if ('error' in answer) {
      const problem = `${what} can not be resolved: ${answer.error}`;
      const trouble = {
        entry: INGRESS_FINDINGS.externalNameUnresolved,
        problem,
        ...(fix === undefined ? {} : { fix }),
      };
      return { endpoints: [], findings: [], trouble };
    }
    return this.#readAddresses(answer.addresses, port, origin);
  }

  #readAddresses(texts: readonly string[], port: number, origin: Origin): Outcome {
    const endpoints: Endpoint[] = [];
    const findings: Finding[] = [];
    let refused: Outcome['refused'];
    for (const text of texts) {
      const read = this.#addresses.read(text, port);
      if ('address' in read) {
        endpoints.push({ address: read.address, port, weight: 1, state: 'ready' });
      } else {
        const problem = `${JSON.stringify(text)} ${read.problem}`;
        refused ??= { entry: read.entry, problem };
        findings.push(finding(read.entry, origin, `${problem}; it is not used.`));
      }
    }
    if (endpoints.length > 0) return { endpoints: sortEndpoints(endpoints), findings };
    const { namespace, name } = origin.object;
    const problem = `Service ${namespace}/${name} has no usable address`;
    const trouble = { entry: INGRESS_FINDINGS.noEndpoints, problem };
    return { endpoints, findings, trouble, ...(refused === undefined ? {} : { refused }) };
  }

  #need(id: string, name: string | undefined): void {
    for (const orphan of this.#names.set(id, name === undefined ? new Set() : new Set([name]))) {
      this.#needed.delete(orphan);
      this.#answers.delete(orphan);
    }
    if (name !== undefined) this.#needed.add(name);
  }

  /** One finding for each Ingress, at the first of its fields. */
  #reportUse(id: string, user: string): void {
    const trouble = this.#entries.get(id)?.trouble;
    const findings: Finding[] = [];
    if (trouble !== undefined) {
      const places = (this.#places.get(user) ?? []).filter((place) => place.id === id);
      const objects = new Set<string>();
      for (const { origin, outcome, unresolvedFix } of places.sort((a, b) => compareOrigins(a.origin, b.origin))) {
        const object = resourceKey(origin.object);
        if (objects.has(object)) continue;
        objects.add(object);
        const unresolved = trouble.entry === INGRESS_FINDINGS.externalNameUnresolved;
        const fix = (unresolved ? unresolvedFix : undefined) ?? trouble.fix;
        const message = `${trouble.problem}; ${outcome ?? 'the route answers 503'}.`;
        findings.push(finding(trouble.entry, origin, message, fix));
      }
    }
    this.#book.set(subjectOfUse(id, user), findings);
  }
}

interface Outcome {
  readonly endpoints: readonly Endpoint[];
  readonly findings: readonly Finding[];
  readonly trouble?: Trouble;
  /** The first address that may not be used. */
  readonly refused?: Trouble;
}

/** No object of the cluster: what `weir explain` and the findings of an apply show as its origin. */
function externalOrigin({ host, port }: NonNullable<BackendSpec['external']>): Origin {
  return { object: { kind: 'Host', namespace: '', name: `${host}:${port}` }, field: '' };
}

function troubleOf({ entry, problem }: Trouble, host: string): Trouble {
  const addressed = isIP(host) !== 0;
  return {
    entry,
    problem: addressed ? problem : `Host ${host} can not be asked: ${problem}`,
    fix: `Correct the host or the port in the URL${addressed ? '' : ', or what DNS tells about the host'}.`,
  };
}

function subjectOfUse(id: string, user: string): string {
  return `use ${id} ${user}`;
}
