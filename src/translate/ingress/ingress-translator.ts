import type { ModelDelta } from '../../model/model.ts';
import type { Backend } from '../../model/backend.ts';
import type { Certificate } from '../../model/certificate.ts';
import { equalParts } from '../../model/equality.ts';
import type { L4Route } from '../../model/l4-route.ts';
import type { Listener } from '../../model/listener.ts';
import type { ObjectRef, Origin } from '../../model/origin.ts';
import { type VirtualHost, virtualHostKey } from '../../model/virtual-host.ts';
import { faultFinding } from '../../diagnostics/fault-finding.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import type { IngressObject } from '../../snapshot/kinds/ingress.ts';
import type { ServiceObject } from '../../snapshot/kinds/service.ts';
import type { NeedChange } from '../../snapshot/needed-keys.ts';
import { type ResourceChange, resourceKey } from '../../snapshot/resource.ts';
import { objectKey, originOf } from '../../snapshot/object-head.ts';
import { ReferenceIndex } from '../../snapshot/reference-index.ts';
import { Snapshot } from '../../snapshot/snapshot.ts';
import { FaultGuard } from '../fault-guard.ts';
import { FindingBook } from '../finding-book.ts';
import { BackendTable } from '../services/backend-table.ts';
import { EndpointAddresses } from '../services/endpoint-address.ts';
import { CertificateTable } from '../tls/certificate-table.ts';
import type { NameAnswer, Translator, TranslatorOptions } from '../translator.ts';
import { parseAnnotations } from './annotations/parse.ts';
import { ClassTable, className } from './class-table.ts';
import { faultyHost, faultyIngress } from './faulty-parts.ts';
import { buildHost, type HostContext, INGRESS_SCOPE } from './host-builder.ts';
import { buildListeners, defaultCertificateFindings } from './listeners.ts';
import { type AnnotationParser, readIngress, type ServedIngress } from './served-ingress.ts';

/** User name of the listeners in the tables of what is used; no host is called so. */
const LISTENERS = 'the listeners';
const NONE: ReadonlySet<string> = new Set();

/** Keys that must be looked at again, by the stage that looks. */
interface Dirt {
  readonly classes: Set<string>;
  readonly ingresses: Set<string>;
  /** Services that routes must be looked up in again; `endpoints`: those whose backends must be made again. */
  readonly services: Set<string>;
  readonly endpoints: Set<string>;
  readonly secrets: Set<string>;
  readonly hosts: Set<string>;
}

/**
 * Translates networking.k8s.io/v1 Ingress.
 *
 * An update goes through the stages in this order: snapshot, secrets, classes, services, ingresses, hosts, listeners,
 * backends, certificates. Each takes the keys that the ones before it found dirty and marks those of later ones.
 */
export class IngressTranslator implements Translator {
  readonly model: {
    readonly listeners: Map<string, Listener>;
    readonly hosts: Map<string, VirtualHost>;
    readonly backends: Map<string, Backend>;
    readonly certificates: Map<string, Certificate>;
    readonly l4Routes: Map<string, L4Route>;
  } = { listeners: new Map(), hosts: new Map(), backends: new Map(), certificates: new Map(), l4Routes: new Map() };
  readonly #options: TranslatorOptions;
  readonly #parseAnnotations: AnnotationParser;
  readonly #snapshot = new Snapshot();
  readonly #book = new FindingBook();
  readonly #guard = new FaultGuard(this.#book);
  readonly #classes: ClassTable;
  readonly #backends: BackendTable;
  readonly #certificates: CertificateTable;
  readonly #ingresses = new Map<string, ServedIngress>();
  /** Ingress → the class it names ('' for none), hosts; host → Services. */
  readonly #classNames = new ReferenceIndex();
  readonly #hosts = new ReferenceIndex();
  readonly #services = new ReferenceIndex();
  readonly #dirt = clean();
  /** Changes that weir failed to take in, to be tried again. */
  readonly #again = new Map<string, ResourceChange>();
  #changedHosts = new Set<string>();
  #listenersDirty = true;
  #withoutAnnotations: ReturnType<AnnotationParser> | undefined;

  constructor(options: TranslatorOptions, parser: AnnotationParser = parseAnnotations) {
    this.#options = options;
    this.#parseAnnotations = parser;
    this.#classes = new ClassTable(this.#snapshot, options);
    this.#backends = new BackendTable(
      this.#snapshot,
      new EndpointAddresses(options.allowLoopbackEndpoints, options.ownListeners),
      this.#book,
      this.#guard,
      this.model.backends,
    );
    this.#certificates = new CertificateTable(this.#snapshot, options.now, this.#book, this.model.certificates);
  }

  update(changes: readonly ResourceChange[]): ModelDelta {
    for (const change of changes) this.#apply(change);
    return this.#translate();
  }

  refuses(ref: ObjectRef): boolean {
    const ingress = `ingress ${objectKey(ref.namespace, ref.name)}`;
    return (
      this.#snapshot.refuses(ref) ||
      this.#guard.isFaulty(`object ${resourceKey(ref)}`) ||
      (ref.kind === 'Ingress' && this.#guard.isFaulty(ingress))
    );
  }

  neededNames(): ReadonlySet<string> {
    return this.#backends.neededNames();
  }

  resolved(name: string, answer: NameAnswer): ModelDelta {
    this.#backends.resolved(name, answer);
    return this.#translate();
  }

  takeSecretNeeds(): readonly NeedChange[] {
    return this.#certificates.takeNeeds();
  }

  tick(): ModelDelta {
    this.#guard.retry();
    this.#certificateUsers(this.#certificates.timePassed());
    return this.#translate();
  }

  findings(): readonly Finding[] {
    return this.#book.all();
  }

  /** An object that can't be taken in leaves the one before it in force. */
  #apply(change: ResourceChange): void {
    const ref = change.type === 'put' ? change.resource.ref : change.ref;
    const place = change.type === 'put' ? change.resource.place : undefined;
    const effect = this.#guard.attempt({
      subject: `object ${resourceKey(ref)}`,
      work: () => this.#snapshot.apply(change),
      standIn: () => undefined,
      findings: (error) => [
        faultFinding(
          { object: ref, field: '', ...(place === undefined ? {} : { file: place.file, line: place.line }) },
          `taking in the ${ref.kind}`,
          error,
          'The version before it stays in force, if there was one',
          { secret: ref.kind === 'Secret' },
        ),
      ],
      mark: () => this.#again.set(resourceKey(ref), change),
    });
    this.#again.delete(resourceKey(ref));
    if (effect === undefined) return;
    const dirt = this.#dirt;
    this.#book.set(`shape ${effect.kind} ${effect.key}`, effect.findings);
    // Whether it is missing or refused is told where it is named.
    if (effect.kind === 'Secret' && effect.after === undefined) dirt.secrets.add(effect.key);
    if (effect.before === effect.after) return;
    switch (effect.kind) {
      case 'Ingress':
        dirt.ingresses.add(effect.key);
        break;
      case 'IngressClass':
        dirt.classes.add((effect.after ?? effect.before)!.ref.name);
        if (effect.before?.isDefault === true || effect.after?.isDefault === true) dirt.classes.add('');
        break;
      case 'Service':
        if (!sameFace(effect.before, effect.after)) dirt.services.add(effect.key);
        dirt.endpoints.add(effect.key);
        break;
      case 'EndpointSlice':
        for (const slice of [effect.before, effect.after]) {
          if (slice?.service !== undefined) dirt.endpoints.add(objectKey(slice.ref.namespace, slice.service));
        }
        break;
      case 'Endpoints':
        dirt.endpoints.add(effect.key);
        break;
      case 'Secret':
        dirt.secrets.add(effect.key);
        break;
    }
  }

  /** What is dirty stays so until it was looked at, also when one of the stages throws. */
  #translate(): ModelDelta {
    const dirt = this.#dirt;
    for (const change of this.#again.values()) this.#apply(change);
    each(dirt.secrets, (key) => this.#certificateUsers(this.#certificates.secretChanged(key)));
    if (dirt.classes.size > 0) this.#guarded('classes', () => this.#book.set('classes', this.#classes.findings()));
    each(dirt.classes, (name) => {
      for (const key of this.#classNames.users(name)) dirt.ingresses.add(key);
    });
    each(dirt.services, (key) => {
      for (const host of this.#services.users(key)) dirt.hosts.add(host);
    });
    each(dirt.endpoints, (key) => this.#backends.markService(key));
    const maybeNothing = dirt.ingresses.size > 0;
    each(dirt.ingresses, (key) => this.#readIngress(key));
    if (maybeNothing) this.#guarded('classes', () => this.#noteNothingServed());
    const context = this.#hostContext();
    each(dirt.hosts, (hostname) => {
      if (this.#buildHost(hostname, context)) this.#changedHosts.add(virtualHostKey(INGRESS_SCOPE, hostname));
    });
    const listeners = this.#listenersDirty ? (this.#guarded('listeners', () => this.#buildListeners()) ?? NONE) : NONE;
    const hosts = this.#changedHosts;
    this.#changedHosts = new Set();
    return {
      listeners,
      hosts,
      backends: this.#backends.rebuild(),
      certificates: this.#certificates.rebuild(),
      l4Routes: NONE,
    };
  }

  #certificateUsers(users: Iterable<string>): void {
    for (const user of users) {
      if (user === LISTENERS) this.#listenersDirty = true;
      else this.#dirt.hosts.add(user);
    }
  }

  #noteNothingServed(): void {
    this.#book.set('nothing served', this.#ingresses.size > 0 ? [] : this.#classes.nothingServed());
  }

  #readIngress(key: string): void {
    const object = this.#snapshot.get('Ingress', key);
    for (const hostname of this.#hosts.targets(key)) this.#dirt.hosts.add(hostname);
    this.#classNames.set(key, object === undefined ? NONE : new Set([className(object)]));
    const ingress = this.#guard.attempt({
      subject: `ingress ${key}`,
      work: () => this.#readServed(key, object),
      standIn: () => this.#ingresses.get(key) ?? (object && faultyIngress(object)),
      findings: (error) => {
        const meanwhile = this.#ingresses.has(key) ? 'Its former version stays in force' : 'Its addresses answer 503';
        return object === undefined
          ? []
          : [faultFinding(originOf(object, ''), 'reading the Ingress', error, `${meanwhile}; all others are served`)];
      },
      mark: () => this.#dirt.ingresses.add(key),
    });
    if (ingress === undefined) this.#ingresses.delete(key);
    else this.#ingresses.set(key, ingress);
    const hostnames = ingress?.hosts.map(({ hostname }) => hostname) ?? [];
    this.#hosts.set(key, new Set(hostnames));
    for (const hostname of hostnames) this.#dirt.hosts.add(hostname);
    const [namespace = '', name = ''] = key.split('/');
    this.#options.onServed?.({ kind: 'Ingress', namespace, name }, ingress && hostnames);
  }

  /** Undefined where it isn't served. */
  #readServed(key: string, object: IngressObject | undefined): ServedIngress | undefined {
    const decision = object === undefined ? undefined : this.#classes.decide(object);
    if (object === undefined || decision?.served !== true) {
      this.#book.set(`ingress ${key}`, decision?.findings ?? []);
      return undefined;
    }
    const { ingress, findings } = readIngress(object, (annotations, origin) =>
      this.#readAnnotations(annotations, origin),
    );
    this.#book.set(`ingress ${key}`, [...decision.findings, ...findings]);
    return ingress;
  }

  /** Most Ingresses have none, and share what that means. */
  #readAnnotations(annotations: Readonly<Record<string, string>>, origin: Origin): ReturnType<AnnotationParser> {
    if (Object.keys(annotations).length > 0) return this.#parseAnnotations(annotations, origin);
    this.#withoutAnnotations ??= this.#parseAnnotations(annotations, origin);
    return this.#withoutAnnotations;
  }

  #hostContext(): HostContext {
    return {
      snapshot: this.#snapshot,
      certificate: (key) => this.#certificates.state(key),
      hasDefaultCertificate: this.#options.defaultCertificate !== undefined,
      httpsPort: this.#options.httpsPort,
    };
  }

  /** Whether the model changed. */
  #buildHost(hostname: string, context: HostContext): boolean {
    const key = virtualHostKey(INGRESS_SCOPE, hostname);
    const ingresses = this.#hosts.users(hostname).flatMap((user) => this.#ingresses.get(user) ?? []);
    const host = this.#guard.attempt({
      subject: `host ${hostname}`,
      work: () => this.#hostOf(hostname, ingresses, context),
      standIn: () =>
        ingresses.length === 0 ? undefined : (this.model.hosts.get(key) ?? faultyHost(hostname, ingresses)),
      findings: (error) => {
        const meanwhile = this.model.hosts.has(key) ? 'It is served as before' : 'It answers 503';
        return ingresses.map(({ object }) =>
          faultFinding(
            originOf(object, 'spec'),
            `making host ${hostname}`,
            error,
            `${meanwhile}; all others are served`,
          ),
        );
      },
      mark: () => this.#dirt.hosts.add(hostname),
    });
    if (host === undefined) return this.model.hosts.delete(key);
    if (equalParts(this.model.hosts.get(key), host)) return false;
    this.model.hosts.set(key, host);
    return true;
  }

  #hostOf(hostname: string, ingresses: readonly ServedIngress[], context: HostContext): VirtualHost | undefined {
    const built = buildHost(hostname, ingresses, context);
    this.#services.set(hostname, built.services);
    this.#backends.use(hostname, built.uses);
    const shown = [...(built.host?.tls?.certificates ?? []), ...built.clientCertificates];
    this.#certificates.use(hostname, built.secrets, new Set(shown));
    this.#book.set(`host ${hostname}`, built.findings);
    return built.host;
  }

  /** For what belongs to no object: where it fails, all stays as it is. */
  #guarded<Result>(subject: 'classes' | 'listeners', work: () => Result): Result | undefined {
    const origin = { object: { kind: 'Configuration', namespace: '', name: 'weir' }, field: subject };
    return this.#guard.attempt({
      subject,
      work,
      standIn: () => undefined,
      findings: (error) => [faultFinding(origin, `making the ${subject}`, error, 'The former ones stay')],
      mark: () => {
        if (subject === 'listeners') this.#listenersDirty = true;
      },
    });
  }

  #buildListeners(): ReadonlySet<string> {
    this.#listenersDirty = false;
    const { defaultCertificate: ref } = this.#options;
    const state = ref === undefined ? undefined : this.#certificates.state(objectKey(ref.namespace, ref.name));
    const used = state?.usable === undefined ? [] : [state.id];
    this.#certificates.use(LISTENERS, new Set(state === undefined ? [] : [state.id]), new Set(used));
    this.#book.set('default certificate', defaultCertificateFindings(this.#options, state));
    const changed = new Set<string>();
    for (const listener of buildListeners(this.#options, used)) {
      if (equalParts(this.model.listeners.get(listener.name), listener)) continue;
      this.model.listeners.set(listener.name, listener);
      changed.add(listener.name);
    }
    return changed;
  }
}

/** Whether nothing differs of what decides which backend a route gets; the rest concerns only the backend itself. */
function sameFace(a: ServiceObject | undefined, b: ServiceObject | undefined): boolean {
  return equalParts(serviceFace(a), serviceFace(b));
}

function serviceFace(service: ServiceObject | undefined): unknown {
  if (service === undefined) return undefined;
  const { type, externalName, clusterIP, ports } = service;
  const faces = ports.map(({ name, port, protocol }) => ({ name, port, protocol }));
  return { type, externalName, hasAddress: clusterIP !== undefined, ports: faces };
}

/** Takes each key out after `look` at it; those that it adds, too. */
function each(keys: Set<string>, look: (key: string) => void): void {
  for (const key of keys) {
    look(key);
    keys.delete(key);
  }
}

function clean(): Dirt {
  return {
    classes: new Set(),
    ingresses: new Set(),
    services: new Set(),
    endpoints: new Set(),
    secrets: new Set(),
    hosts: new Set(),
  };
}
