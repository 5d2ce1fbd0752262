import type { KubeResource, ResourceScope } from '../../kube/kube-resource.ts';
import type { ReflectorChange, ReflectorSink, ReflectorState } from '../../kube/reflector-sink.ts';
import { objectKey } from '../../snapshot/object-head.ts';
import type { WatchCounts } from './watch-counts.ts';
import type { WatchedKind } from './watched-kinds.ts';

/** Starts to tell the sink what the API server has, until it is stopped. */
export type StartWatch = (resource: KubeResource, scope: ResourceScope, sink: ReflectorSink) => RunningWatch;
export interface RunningWatch {
  stop(): void;
}

/** Which objects of the kind; selectors of the kind itself are added unless a name is given. */
export interface WatchScope {
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly labelSelector?: string;
}

export interface WatchListener {
  changed(watch: ObjectWatch, changes: readonly ReflectorChange[]): void;
  /** It is synced now, works again, or doesn't. */
  noted(watch: ObjectWatch): void;
}

/**
 * Refusals in a row after which a right counts as missing: an API server that is just starting refuses for a moment, too. Until
 * then, a watch that has told nothing yet begins anew after a second; a reflector by itself waits for a minute.
 */
export const CONFIRMED = 3;
const AGAIN = 1000;

/** One watch: its state, and the names and versions of what it told, without the objects. */
export class ObjectWatch implements ReflectorSink {
  readonly kind: WatchedKind;
  readonly at: WatchScope;
  /** Key (`shop/web`) → resourceVersion. */
  readonly held = new Map<string, string>();
  readonly #listener: WatchListener;
  readonly #counts: WatchCounts;
  #running: RunningWatch | undefined;
  #startWatch: StartWatch | undefined;
  #again: NodeJS.Timeout | undefined;
  #stopped = false;
  #synced = false;
  #refusals = 0;
  #state: ReflectorState = { state: 'listing' };

  constructor(kind: WatchedKind, at: WatchScope, listener: WatchListener, counts: WatchCounts) {
    this.kind = kind;
    this.at = at;
    this.#listener = listener;
    this.#counts = counts;
  }

  get isStarted(): boolean {
    return this.#startWatch !== undefined;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  get isSynced(): boolean {
    return this.#synced;
  }

  /** Why it doesn't get on just now. */
  get trouble(): Error | undefined {
    return this.#state.state === 'waiting' ? this.#state.error : undefined;
  }

  /** How often in a row the API server said that weir has no right; 0 where it has, or isn't known to have none. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Of the reflector's request. */
  get scope(): ResourceScope {
    const { namespace, name } = this.at;
    const { fieldSelector, labelSelector = this.at.labelSelector } = this.kind;
    return {
      ...(namespace === undefined ? {} : { namespace }),
      ...(name !== undefined
        ? { fieldSelector: `metadata.name=${name}` }
        : {
            ...(fieldSelector === undefined ? {} : { fieldSelector }),
            ...(labelSelector === undefined ? {} : { labelSelector }),
          }),
    };
  }

  start(startWatch: StartWatch): void {
    if (this.#startWatch !== undefined || this.#stopped) return;
    this.#startWatch = startWatch;
    this.#begin();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#again);
    this.#running?.stop();
    this.#counts.hold(this.kind, -this.held.size);
    this.held.clear();
  }

  changed(changes: readonly ReflectorChange[]): void {
    if (this.#stopped) return;
    const before = this.held.size;
    for (const { type, object } of changes) {
      const key = objectKey(object.metadata.namespace ?? '', object.metadata.name);
      if (type === 'put') this.held.set(key, object.metadata.resourceVersion);
      else this.held.delete(key);
    }
    this.#counts.hold(this.kind, this.held.size - before);
    this.#listener.changed(this, changes);
  }

  synced(): void {
    if (this.#stopped) return;
    this.#synced = true;
    this.#refusals = 0;
    this.#listener.noted(this);
  }

  state(state: ReflectorState): void {
    if (this.#stopped) return;
    this.#counts.state(this.kind, state);
    // A list under way says nothing about whether the trouble is over.
    if (state.state === 'listing') return;
    this.#refusals = state.state === 'waiting' && state.forbidden ? this.#refusals + 1 : 0;
    this.#state = state;
    if (!this.#synced && this.#refusals > 0 && this.#refusals < CONFIRMED) {
      this.#again ??= setTimeout(() => this.#begin(), AGAIN).unref();
    }
    this.#listener.noted(this);
  }

  #begin(): void {
    this.#again = undefined;
    this.#running?.stop();
    this.#running = this.#startWatch?.(this.kind.resource, this.scope, this);
  }
}
