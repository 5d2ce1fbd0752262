import type { ModelDelta } from '../../model/model.ts';
import type { Backend } from '../../model/backend.ts';
import type { Certificate } from '../../model/certificate.ts';
import { equalParts } from '../../model/equality.ts';
import type { L4Route } from '../../model/l4-route.ts';
import type { Listener } from '../../model/listener.ts';
import type { ObjectRef, Origin } from '../../model/origin.ts';
import { type VirtualHost, virtualHostKey } from '../../model/virtual-host.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import type { ServiceObject } from '../../snapshot/kinds/service.ts';
import type { ResourceChange } from '../../snapshot/resource.ts';
import { objectKey } from '../../snapshot/object-head.ts';
import { ReferenceIndex } from '../../snapshot/reference-index.ts';
import { Snapshot } from '../../snapshot/snapshot.ts';
import { FindingBook } from '../finding-book.ts';
import { BackendTable } from '../services/backend-table.ts';
import { CertificateTable } from '../tls/certificate-table.ts';
import type { NameAnswer, Translator, TranslatorOptions } from '../translator.ts';
import { parseAnnotations } from './annotations/parse.ts';
import { ClassTable, className } from './class-table.ts';
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
  readonly #classes: ClassTable;
  readonly #backends: BackendTable;
  readonly #certificates: CertificateTable;
  readonly #ingresses = new Map<string, ServedIngress>();
  /** Ingress → the class it names ('' for none), hosts; host → Services. */
  readonly #classNames = new ReferenceIndex();
  readonly #hosts = new ReferenceIndex();
  readonly #services = new ReferenceIndex();
  #listenersDirty = true;
  #withoutAnnotations: ReturnType<AnnotationParser> | undefined;

  constructor(options: TranslatorOptions, parser: AnnotationParser = parseAnnotations) {
    this.#options = options;
    this.#parseAnnotations = parser;
    this.#classes = new ClassTable(this.#snapshot, options);
    this.#backends = new BackendTable(this.#snapshot, options.allowLoopbackEndpoints, this.#book, this.model.backends);
    this.#certificates = new CertificateTable(this.#snapshot, options.now, this.#book, this.model.certificates);
  }

  update(changes: readonly ResourceChange[]): ModelDelta {
    const dirt = clean();
    for (const change of changes) this.#apply(change, dirt);
    return this.#translate(dirt);
  }

  refuses(ref: ObjectRef): boolean {
    return this.#snapshot.refuses(ref);
  }

  neededNames(): ReadonlySet<string> {
    return this.#backends.neededNames();
  }

  resolved(name: string, answer: NameAnswer): ModelDelta {
    this.#backends.resolved(name, answer);
    return this.#translate(clean());
  }

  tick(): ModelDelta {
    const dirt = clean();
    this.#certificateUsers(this.#certificates.timePassed(), dirt);
    return this.#translate(dirt);
  }

  findings(): readonly Finding[] {
    return this.#book.all();
  }

  #apply(change: ResourceChange, dirt: Dirt): void {
    const effect = this.#snapshot.apply(change);
    if (effect === undefined) return;
    this.#book.set(`shape ${effect.kind} ${effect.key}`, effect.findings);
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

  #translate(dirt: Dirt): ModelDelta {
    for (const key of dirt.secrets) this.#certificateUsers(this.#certificates.secretChanged(key), dirt);
    if (dirt.classes.size > 0) this.#book.set('classes', this.#classes.findings());
    for (const name of dirt.classes) for (const key of this.#classNames.users(name)) dirt.ingresses.add(key);
    for (const key of dirt.services) {
      for (const host of this.#services.users(key)) dirt.hosts.add(host);
    }
    for (const key of dirt.endpoints) this.#backends.markService(key);
    for (const key of dirt.ingresses) this.#readIngress(key, dirt);
    const hosts = new Set<string>();
    const context = this.#hostContext();
    for (const hostname of dirt.hosts) {
      if (this.#buildHost(hostname, context)) hosts.add(virtualHostKey(INGRESS_SCOPE, hostname));
    }
    return {
      listeners: this.#listenersDirty ? this.#buildListeners() : NONE,
      hosts,
      backends: this.#backends.rebuild(),
      certificates: this.#certificates.rebuild(),
      l4Routes: NONE,
    };
  }

  #certificateUsers(users: Iterable<string>, dirt: Dirt): void {
    for (const user of users) {
      if (user === LISTENERS) this.#listenersDirty = true;
      else dirt.hosts.add(user);
    }
  }

  #readIngress(key: string, dirt: Dirt): void {
    const object = this.#snapshot.get('Ingress', key);
    for (const hostname of this.#hosts.targets(key)) dirt.hosts.add(hostname);
    const decision = object === undefined ? undefined : this.#classes.decide(object);
    this.#classNames.set(key, object === undefined ? NONE : new Set([className(object)]));
    if (object === undefined || decision?.served !== true) {
      this.#ingresses.delete(key);
      this.#hosts.set(key, NONE);
      this.#book.set(`ingress ${key}`, decision?.findings ?? []);
      return;
    }
    const { ingress, findings } = readIngress(object, (annotations, origin) =>
      this.#readAnnotations(annotations, origin),
    );
    this.#ingresses.set(key, ingress);
    const hostnames = ingress.hosts.map(({ hostname }) => hostname);
    this.#hosts.set(key, new Set(hostnames));
    this.#book.set(`ingress ${key}`, [...decision.findings, ...findings]);
    for (const hostname of hostnames) dirt.hosts.add(hostname);
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
    const ingresses = this.#hosts.users(hostname).map((key) => this.#ingresses.get(key)!);
    const built = buildHost(hostname, ingresses, context);
    this.#services.set(hostname, built.services);
    this.#backends.use(hostname, built.uses);
    this.#certificates.use(hostname, built.secrets, new Set(built.host?.tls?.certificates ?? []));
    this.#book.set(`host ${hostname}`, built.findings);
    const key = virtualHostKey(INGRESS_SCOPE, hostname);
    if (built.host === undefined) return this.model.hosts.delete(key);
    if (equalParts(this.model.hosts.get(key), built.host)) return false;
    this.model.hosts.set(key, built.host);
    return true;
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
