import type { KubeClient } from '../../kube/kube-client.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import type { ReflectorChange } from '../../kube/reflector-sink.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { objectKey } from '../../snapshot/object-head.ts';
import type { NeedChange } from '../../snapshot/needed-keys.ts';
import type { ResourceChange } from '../../snapshot/resource.ts';
import { ReportedFindings } from '../files/reported-findings.ts';
import type { Source, SourceActivity, SourceSink } from '../source.ts';
import { ClassStandIns } from './class-stand-ins.ts';
import { DeliveredCheck } from './delivered-check.ts';
import { apiServerUnavailable, missingRight, ownNamespaceOnly, scopeText } from './missing-rights.ts';
import type { NamespaceChoice } from './namespace-choice.ts';
import { NamespaceScope } from './namespace-scope.ts';
import { CONFIRMED, ObjectWatch, type RunningWatch, type StartWatch, type WatchListener } from './object-watch.ts';
import { refOf, resourceOf } from './resource-of.ts';
import { SecretContents } from './secret-contents.ts';
import { WatchCounts } from './watch-counts.ts';
import { WATCHED_KINDS } from './watched-kinds.ts';

export interface KubernetesSourceOptions {
  readonly client: KubeClient;
  readonly startWatch: StartWatch;
  readonly namespaces: NamespaceChoice;
  /** Classes served: where IngressClass objects may not be read, these are taken to be there. */
  readonly ingressClasses: readonly string[];
  /** Begins something else that is followed in the cluster, and whose findings are told with the source's. */
  readonly follow?: (report: (findings: readonly Finding[]) => void) => RunningWatch;
}

/** Most problems that are told at a time. */
const MOST_PROBLEMS = 10;

/**
 * Objects from a Kubernetes API server, watched.
 *
 * `synced` is called when everything was listed that can be: of each namespace what weir may read, and the Secrets that it
 * refers to. Namespaces in which a right is missing are left out and reported, unless that is all of them: then there is
 * nothing to serve, and what an earlier run saved stays in force. An API server that is away takes nothing away.
 */
export class KubernetesSource implements Source, WatchListener {
  readonly name = 'kubernetes';
  readonly #options: KubernetesSourceOptions;
  readonly #counts = new WatchCounts();
  readonly #classes: ObjectWatch;
  readonly #standIns: ClassStandIns;
  /** Tells the namespaces of a selector. */
  readonly #namespaces: ObjectWatch | undefined;
  readonly #scopes = new Map<string, NamespaceScope>();
  readonly #secrets: SecretContents;
  readonly #reported = new ReportedFindings();
  /** Watches that don't get on, for whatever reason. */
  readonly #troubled = new Set<ObjectWatch>();
  readonly #check = new DeliveredCheck();
  #sink: SourceSink | undefined;
  #followed: RunningWatch | undefined;
  /** All namespaces were meant, and only the own may be read: the scope of all goes on trying, with Ingresses alone. */
  #fallen = false;
  #synced = false;
  #stopped = false;

  constructor(options: KubernetesSourceOptions) {
    const { namespaces, client, startWatch, ingressClasses } = options;
    this.#options = options;
    this.#classes = new ObjectWatch(WATCHED_KINDS.IngressClass, {}, this, this.#counts);
    this.#standIns = new ClassStandIns(ingressClasses);
    if (namespaces.kind === 'selector') {
      const at = { labelSelector: namespaces.selector };
      this.#namespaces = new ObjectWatch(WATCHED_KINDS.Namespace, at, this, this.#counts);
    }
    this.#secrets = new SecretContents({
      client,
      startWatch,
      counts: this.#counts,
      deliver: (changes) => this.#deliver(changes),
      onNoted: (watch) => this.#noted(watch),
    });
  }

  /** Resolves at once: an API server that is slow or away is waited for, however long, while the program can be asked and stopped. */
  async start(sink: SourceSink): Promise<void> {
    this.#sink = sink;
    const { namespaces, startWatch, follow } = this.#options;
    this.#followed = follow?.((findings) => this.#report('followed', findings));
    this.#classes.start(startWatch);
    this.#namespaces?.start(startWatch);
    if (namespaces.kind === 'all') this.#addScope(undefined);
    else if (namespaces.kind === 'list') for (const name of namespaces.names) this.#addScope(name);
  }

  healthy(): boolean {
    if (!this.#synced || this.#stopped) return false;
    return ![...this.#troubled].some((watch) => watch.refusals === 0 || this.#isNeeded(watch));
  }

  problems(): readonly string[] {
    const problems = new Set<string>();
    for (const watch of this.#troubled) {
      if (problems.size >= MOST_PROBLEMS) break;
      if (watch.refusals === 0 || this.#isNeeded(watch)) problems.add(watch.trouble!.message);
    }
    if (!this.#synced && problems.size === 0) problems.add(this.#awaited());
    return [...problems];
  }

  need(changes: readonly NeedChange[]): Promise<void> {
    return this.#secrets.need(changes);
  }

  activity(): readonly SourceActivity[] {
    return this.#counts.all();
  }

  /**
   * What the API server answers to lists of this moment has been delivered: each object of them in that version or a later one,
   * and nothing that was deleted before. Resolves only when the API server answers, and what weir may read.
   */
  async settle(): Promise<void> {
    await this.#check.run(this.#options.client, [...this.#watches(), ...this.#secrets.watches]);
    // What came last may have been the first to refer to a Secret.
    await this.#check.until(() => this.#secrets.isAnswered);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#followed?.stop();
    this.#check.stop();
    this.#secrets.stop();
    for (const watch of this.#watches()) watch.stop();
  }

  changed(watch: ObjectWatch, changes: readonly ReflectorChange[]): void {
    if (watch === this.#namespaces) {
      this.#namespacesChanged(changes);
      return;
    }
    const { kind } = watch.kind;
    this.#deliver(
      changes.flatMap(({ type, object }): ResourceChange[] => {
        if (type === 'put') return [{ type, resource: resourceOf(kind, object) }];
        return this.#isHeldElsewhere(watch, object) ? [] : [{ type, ref: refOf(kind, object) }];
      }),
    );
    if (watch === this.#classes) this.#deliver(this.#standIns.changed(watch));
    this.#check.changed();
  }

  noted(watch: ObjectWatch): void {
    this.#noted(watch);
  }

  #noted(watch?: ObjectWatch): void {
    if (this.#stopped) return;
    this.#check.changed();
    if (watch !== undefined) this.#noteTrouble(watch);
    if (watch === this.#classes) this.#deliver(this.#standIns.changed(watch));
    if (watch?.kind.resource.namespaced === true && watch.at.namespace === undefined) this.#lookAtAll();
    for (const scope of this.#scopes.values())
      if (scope.isReady || scope.isRefused) this.#secrets.begin(scope.namespace);
    this.#lookWhetherSynced();
  }

  #noteTrouble(watch: ObjectWatch): void {
    if (watch.isStopped || watch.trouble === undefined) this.#troubled.delete(watch);
    else this.#troubled.add(watch);
    const { plural } = watch.kind.resource;
    // That Secrets are watched by name is a way of reading them, not a fault.
    const byScope = watch.kind === WATCHED_KINDS.Secret && watch.at.name === undefined;
    const wanted = watch.at.name !== undefined || watch.refusals >= CONFIRMED || (watch.isSynced && watch.refusals > 0);
    const told = this.#troubled.has(watch) && watch.refusals > 0 && wanted && !byScope && !this.#isProbe(watch);
    this.#report(`${plural} ${watch.at.namespace ?? ''}/${watch.at.name ?? ''}`, told ? missingRight(watch) : []);
    const away = [...this.#troubled].find(({ refusals }) => refusals === 0);
    this.#report(
      'api server',
      away === undefined ? [] : [apiServerUnavailable(this.#options.client.server, away.trouble!)],
    );
  }

  /** Whether all namespaces may be read decides which are. */
  #lookAtAll(): void {
    const { namespaces } = this.#options;
    const all = this.#scopes.get('');
    if (namespaces.kind !== 'all' || all === undefined) return;
    const { isSynced, refusals } = all.ingresses;
    if (!this.#fallen && !isSynced && refusals >= CONFIRMED) this.#fallBack(all, namespaces.own);
    else if (this.#fallen && all.isReady) this.#rise(namespaces.own);
  }

  #fallBack(all: NamespaceScope, own: string): void {
    this.#fallen = true;
    this.#secrets.removeScope(undefined);
    // What else was begun goes on trying, too, and is complete the sooner when the right comes.
    this.#report('all namespaces', [ownNamespaceOnly(all.ingresses, own)]);
    for (const watch of all.watches) this.#noteTrouble(watch);
    this.#addScope(own);
  }

  /** All may be read now. The own namespace's watches go when the others have told everything. */
  #rise(own: string): void {
    this.#fallen = false;
    this.#report('all namespaces', []);
    this.#secrets.addScope(undefined);
    this.#secrets.begin(undefined);
    this.#removeScope(own);
  }

  #addScope(namespace: string | undefined): void {
    if (this.#scopes.has(namespace ?? '')) return;
    const scope = new NamespaceScope(namespace, this, this.#counts);
    this.#scopes.set(namespace ?? '', scope);
    this.#secrets.addScope(namespace);
    scope.start(this.#options.startWatch);
  }

  #removeScope(namespace: string): void {
    const scope = this.#scopes.get(namespace);
    if (scope === undefined) return;
    this.#scopes.delete(namespace);
    const gone: ResourceChange[] = [];
    for (const watch of scope.watches) {
      for (const key of watch.held.keys()) {
        const name = key.slice(namespace.length + 1);
        if (this.#isHeldElsewhere(watch, { metadata: { name, namespace, uid: '', resourceVersion: '' } })) continue;
        gone.push({ type: 'delete', ref: { kind: watch.kind.kind, namespace, name } });
      }
    }
    scope.stop();
    for (const watch of scope.watches) this.#noteTrouble(watch);
    this.#deliver(gone);
    this.#secrets.removeScope(namespace);
  }

  #namespacesChanged(changes: readonly ReflectorChange[]): void {
    for (const { type, object } of changes) {
      if (type === 'put') this.#addScope(object.metadata.name);
      else this.#removeScope(object.metadata.name);
    }
    this.#noted();
  }

  /** While one scope takes another's place, both tell of the same objects. */
  #isHeldElsewhere(watch: ObjectWatch, object: Pick<KubeObject, 'metadata'>): boolean {
    if (this.#options.namespaces.kind !== 'all') return false;
    const key = objectKey(object.metadata.namespace ?? '', object.metadata.name);
    for (const scope of this.#scopes.values()) {
      if (scope.watches.some((other) => other !== watch && other.kind === watch.kind && other.held.has(key)))
        return true;
    }
    return false;
  }

  /** Tries only whether a right has come that weir does without. */
  #isProbe(watch: ObjectWatch): boolean {
    return (
      this.#fallen && watch.at.namespace === undefined && watch.kind.resource.namespaced && watch.at.name === undefined
    );
  }

  /** Whether its objects are missed while the right to them is. */
  #isNeeded(watch: ObjectWatch): boolean {
    return watch.kind.required && !this.#isProbe(watch);
  }

  #lookWhetherSynced(): void {
    if (this.#synced || this.#sink === undefined || !this.#isComplete()) return;
    this.#synced = true;
    this.#sink.synced();
  }

  #isComplete(): boolean {
    if (!this.#classes.isSynced && this.#classes.refusals === 0) return false;
    if (this.#namespaces?.isSynced === false) return false;
    const scopes = [...this.#scopes.values()].filter(({ ingresses }) => !this.#isProbe(ingresses));
    if (!scopes.every(({ isReady, isRefused }) => isReady || isRefused)) return false;
    if (scopes.length > 0 && !scopes.some(({ isReady }) => isReady)) return false;
    return scopes.every(({ namespace }) => this.#secrets.isDecided(namespace)) && this.#secrets.isAnswered;
  }

  /** What the first view still waits for. */
  #awaited(): string {
    const waiting = this.#watches().find((watch) => !watch.isSynced && watch.refusals === 0 && !this.#isProbe(watch));
    if (waiting === undefined) return 'Secrets are being read';
    return `${waiting.kind.resource.plural} ${scopeText(waiting)} are being read`;
  }

  #watches(): readonly ObjectWatch[] {
    const scopes = [...this.#scopes.values()].flatMap(({ watches }) => watches);
    return [this.#classes, ...(this.#namespaces === undefined ? [] : [this.#namespaces]), ...scopes];
  }

  #deliver(changes: readonly ResourceChange[]): void {
    if (changes.length > 0 && !this.#stopped) this.#sink?.changed(changes);
  }

  #report(subject: string, findings: readonly Finding[]): void {
    if (!this.#stopped && this.#reported.note(subject, findings)) this.#sink?.report(subject, findings);
  }
}
