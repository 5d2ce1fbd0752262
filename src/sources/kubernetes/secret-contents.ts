/**
 * What the Secrets hold that something refers to, and nothing of the others.
 *
 * Where weir may list Secrets of a scope, one watch tells of all TLS Secrets there; contents of those that nothing refers to
 * are dropped as they arrive, and fetched when a reference appears. What is referred to and is no TLS Secret is watched by its
 * name. Where weir may not list, all that is referred to is watched by name: a right to that name is enough for it.
 */
import type { KubeClient } from '../../kube/kube-client.ts';
import { KubeError } from '../../kube/kube-error.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import { resourcePath } from '../../kube/kube-resource.ts';
import { compareResourceVersions } from '../../kube/reflector/resource-version.ts';
import type { ReflectorChange } from '../../kube/reflector-sink.ts';
import { objectKey } from '../../snapshot/object-head.ts';
import type { NeedChange } from '../../snapshot/needed-keys.ts';
import type { ResourceChange } from '../../snapshot/resource.ts';
import { NeededSecret } from './needed-secret.ts';
import { ObjectWatch, type StartWatch, type WatchListener } from './object-watch.ts';
import { refOf, resourceOf } from './resource-of.ts';
import { TaskQueue } from './task-queue.ts';
import type { WatchCounts } from './watch-counts.ts';
import { WATCHED_KINDS } from './watched-kinds.ts';

const KIND = WATCHED_KINDS.Secret;
/** Requests for single Secrets at a time: more only wait for each other. */
const FETCHES = 16;
/** Milliseconds until a fetch that failed is tried again. */
const AGAIN = 2000;
/** RFC 1123 subdomain, as names of Secrets and namespaces are. */
const NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u;

export interface SecretContentsOptions {
  readonly client: KubeClient;
  readonly startWatch: StartWatch;
  readonly counts: WatchCounts;
  readonly deliver: (changes: readonly ResourceChange[]) => void;
  /** A watch is in another state, or all that was needed has been answered. */
  readonly onNoted: (watch?: ObjectWatch) => void;
}

export class SecretContents implements WatchListener {
  readonly #options: SecretContentsOptions;
  readonly #needs = new Map<string, NeededSecret>();
  /** By namespace; '' for all of them. */
  readonly #scopes = new Map<string, ObjectWatch>();
  readonly #fetches = new TaskQueue(FETCHES);
  #unanswered = 0;
  #stopped = false;

  constructor(options: SecretContentsOptions) {
    this.#options = options;
  }

  /** Whether each Secret that is needed was delivered, or can't be. */
  get isAnswered(): boolean {
    return this.#unanswered === 0;
  }

  get watches(): readonly ObjectWatch[] {
    const named = [...this.#needs.values()].flatMap(({ named }) => named ?? []);
    return [...this.#scopes.values(), ...named];
  }

  /** Secrets of this scope (undefined: of all namespaces) will be listed, once `begin` says so; until then what is needed waits. */
  addScope(namespace: string | undefined): void {
    this.#scopes.set(namespace ?? '', new ObjectWatch(KIND, { namespace }, this, this.#options.counts));
  }

  /** After the objects that refer to Secrets are known, so that contents need not be fetched one by one. */
  begin(namespace: string | undefined): void {
    this.#scopes.get(namespace ?? '')?.start(this.#options.startWatch);
  }

  /** Whether it is known how Secrets of this scope can be read. */
  isDecided(namespace: string | undefined): boolean {
    const watch = this.#scopes.get(namespace ?? '');
    return watch === undefined || modeOf(watch) !== 'unknown';
  }

  removeScope(namespace: string | undefined): void {
    const watch = this.#scopes.get(namespace ?? '');
    if (watch === undefined) return;
    this.#scopes.delete(namespace ?? '');
    watch.stop();
    for (const need of this.#needs.values()) this.#look(need);
  }

  need(changes: readonly NeedChange[]): Promise<void> {
    const awaited: Promise<void>[] = [];
    const dropped: string[] = [];
    for (const { key, needed } of changes) {
      if (needed) awaited.push(this.#add(key));
      else if (this.#remove(key)) dropped.push(key);
    }
    if (dropped.length > 0) queueMicrotask(() => this.#drop(dropped));
    return Promise.all(awaited).then(() => undefined);
  }

  stop(): void {
    this.#stopped = true;
    for (const watch of this.#scopes.values()) watch.stop();
    for (const need of this.#needs.values()) need.forget();
  }

  changed(watch: ObjectWatch, changes: readonly ReflectorChange[]): void {
    const delivered: ResourceChange[] = [];
    for (const { type, object } of changes) {
      const need = this.#needs.get(objectKey(object.metadata.namespace ?? '', object.metadata.name));
      if (need === undefined) continue;
      const byName = watch === need.named;
      if (!byName && this.#scopeOf(need) !== watch) continue;
      if (type === 'put') this.#put(need, object as KubeObject, delivered);
      else if (need.delivered !== undefined) {
        need.delivered = undefined;
        delivered.push({ type: 'delete', ref: refOf('Secret', object) });
      }
      if (!byName) this.#look(need);
    }
    this.#deliver(delivered);
    this.#options.onNoted();
  }

  noted(watch: ObjectWatch): void {
    if (watch.at.name === undefined) {
      for (const need of this.#needs.values()) if (this.#scopeOf(need) === watch) this.#look(need);
    } else if (watch.isSynced || watch.refusals > 0) {
      const need = this.#needs.get(objectKey(watch.at.namespace ?? '', watch.at.name));
      if (need?.named === watch) this.#notedByName(need, watch);
    }
    this.#options.onNoted(watch);
  }

  #notedByName(need: NeededSecret, watch: ObjectWatch): void {
    // It went while nobody was allowed to see it.
    if (watch.isSynced && watch.held.size === 0 && need.delivered !== undefined) {
      need.delivered = undefined;
      this.#deliver([{ type: 'delete', ref: refOfKey(need.key) }]);
    }
    this.#answer(need);
  }

  #add(key: string): Promise<void> {
    const need = this.#needs.get(key) ?? new NeededSecret(key);
    if (!this.#needs.has(key)) {
      this.#needs.set(key, need);
      this.#unanswered++;
      this.#look(need);
    }
    return need.answered;
  }

  /** Whether something was delivered that is not to be kept. */
  #remove(key: string): boolean {
    const need = this.#needs.get(key);
    if (need === undefined) return false;
    this.#needs.delete(key);
    this.#answer(need);
    this.#stopNamed(need);
    need.forget();
    return need.delivered !== undefined;
  }

  #drop(keys: readonly string[]): void {
    const unneeded = keys.filter((key) => !this.#needs.has(key));
    this.#deliver(unneeded.map((key) => ({ type: 'delete', ref: refOfKey(key) })));
  }

  /** Brings it about that the Secret is told of in the way that its scope allows. */
  #look(need: NeededSecret): void {
    if (this.#stopped) return;
    // Annotations can name what no API server would ever have, and would call a bad request.
    if (!NAME.test(need.name) || !NAME.test(need.namespace)) {
      this.#answer(need);
      return;
    }
    const scope = this.#scopeOf(need);
    const mode = scope === undefined ? 'names' : modeOf(scope);
    if (mode === 'unknown') return;
    const version = mode === 'scope' ? scope?.held.get(need.key) : undefined;
    if (version === undefined) {
      this.#watchByName(need);
      return;
    }
    this.#stopNamed(need);
    if (need.delivered === undefined || isOlder(need.delivered, version)) void this.#fetch(need);
    else this.#answer(need);
  }

  #scopeOf({ namespace }: NeededSecret): ObjectWatch | undefined {
    const [all, own] = [this.#scopes.get(''), this.#scopes.get(namespace)];
    return own !== undefined && (all === undefined || !all.isSynced) ? own : all;
  }

  #watchByName(need: NeededSecret): void {
    if (need.named !== undefined) return;
    const { namespace, name } = need;
    need.named = new ObjectWatch(KIND, { namespace, name }, this, this.#options.counts);
    need.named.start(this.#options.startWatch);
  }

  #stopNamed(need: NeededSecret): void {
    const { named } = need;
    if (named === undefined) return;
    need.named = undefined;
    named.stop();
    this.#options.onNoted(named);
  }

  async #fetch(need: NeededSecret): Promise<void> {
    if (need.fetching !== undefined) return;
    const abort = new AbortController();
    need.fetching = abort;
    const path = resourcePath(KIND.resource, need.namespace, need.name);
    try {
      const object = await this.#fetches.run(() =>
        this.#options.client.request({ method: 'GET', path, signal: abort.signal }),
      );
      if (abort.signal.aborted) return;
      const delivered: ResourceChange[] = [];
      this.#put(need, object as KubeObject, delivered);
      this.#deliver(delivered);
    } catch (error) {
      if (abort.signal.aborted) return;
      // One that is gone: its watch is about to say so.
      const gone = error instanceof KubeError && error.status === 404;
      if (!gone) need.again = setTimeout(() => this.#look(need), AGAIN).unref();
    } finally {
      if (need.fetching === abort) need.fetching = undefined;
    }
    this.#answer(need);
    this.#options.onNoted();
  }

  #put(need: NeededSecret, object: KubeObject, delivered: ResourceChange[]): void {
    const { resourceVersion } = object.metadata;
    if (need.delivered === undefined || isOlder(need.delivered, resourceVersion)) {
      need.delivered = resourceVersion;
      delivered.push({ type: 'put', resource: resourceOf('Secret', object) });
    }
    this.#answer(need);
  }

  #deliver(changes: readonly ResourceChange[]): void {
    if (changes.length > 0 && !this.#stopped) this.#options.deliver(changes);
  }

  #answer(need: NeededSecret): void {
    if (need.answer()) this.#unanswered--;
  }
}

/** How Secrets of the scope can be read: all in one watch, only by name, or not known yet. */
function modeOf(scope: ObjectWatch): 'scope' | 'names' | 'unknown' {
  if (scope.refusals > 0) return 'names';
  return scope.isSynced ? 'scope' : 'unknown';
}

function refOfKey(key: string) {
  const { namespace, name } = new NeededSecret(key);
  return { kind: 'Secret', namespace, name };
}

/** Versions that can't be compared are taken for newer ones. */
function isOlder(a: string, b: string): boolean {
  return (compareResourceVersions(a, b) ?? -1) < 0;
}
