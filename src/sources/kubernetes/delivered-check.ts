import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../kube/kube-client.ts';
import { KubeError } from '../../kube/kube-error.ts';
import { compareResourceVersions } from '../../kube/reflector/resource-version.ts';
import { listVersions, type ListedVersions } from './list-versions.ts';
import type { ObjectWatch } from './object-watch.ts';
import { TaskQueue } from './task-queue.ts';

/** Lists at a time. */
const LISTS = 4;
/** Milliseconds after which what hasn't come is listed again: it may have been deleted before it was told. */
const LIST_AGAIN = 2000;
/** Milliseconds between tries while the API server doesn't answer. */
const AGAIN = 1000;

/**
 * Waits until watches have told what an API server holds.
 *
 * A watch doesn't say how far it is: it is silent about changes of other resources, and bookmarks come once a minute. So the
 * objects are listed, as the store has them (a list without a version is a quorum read), and compared with what was told.
 */
export class DeliveredCheck {
  readonly #lists = new TaskQueue(LISTS);
  #waiters: (() => void)[] = [];
  #stopped = false;

  /** A watch told something, or is in another state. */
  changed(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  stop(): void {
    this.#stopped = true;
    this.changed();
  }

  /** Resolves when each of the watches has told what is there now; one that the API server refuses isn't waited for. */
  async run(client: KubeClient, watches: readonly ObjectWatch[]): Promise<void> {
    await Promise.all(watches.map((watch) => this.#lists.run(() => this.#one(client, watch))));
  }

  async until(condition: () => boolean): Promise<void> {
    while (!this.#stopped && !condition()) await this.#change();
  }

  async #one(client: KubeClient, watch: ObjectWatch): Promise<void> {
    const over = () => this.#stopped || watch.isStopped;
    while (!over()) {
      try {
        const pending = new PendingVersions(watch.held, await listVersions(client, watch.kind.resource, watch.scope));
        const asked = performance.now();
        const told = () => watch.isSynced && pending.isEmpty(watch.held);
        while (!over() && !told() && performance.now() - asked < LIST_AGAIN) await this.#changeOr(LIST_AGAIN);
        if (told()) return;
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        if (error.status === 403) return;
        await sleep(AGAIN, undefined, { ref: false });
      }
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  async #changeOr(milliseconds: number): Promise<void> {
    const patience = new AbortController();
    const { signal } = patience;
    await Promise.race([this.#change(), sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)]);
    patience.abort();
  }
}

/** What a list showed and wasn't told yet. */
class PendingVersions {
  readonly #listed: ListedVersions;
  readonly #puts: Map<string, string>;
  readonly #deletes: Set<string>;

  constructor(held: ReadonlyMap<string, string>, listed: ListedVersions) {
    this.#listed = listed;
    this.#puts = new Map(listed.objects);
    this.#deletes = new Set([...held.keys()].filter((key) => !listed.objects.has(key)));
  }

  /** Whether all of it has been told by now. */
  isEmpty(held: ReadonlyMap<string, string>): boolean {
    for (const [key, version] of this.#puts) {
      const told = held.get(key);
      if (told !== undefined && (compareResourceVersions(told, version) ?? 0) >= 0) this.#puts.delete(key);
    }
    for (const key of this.#deletes) {
      const told = held.get(key);
      if (told === undefined || (compareResourceVersions(told, this.#listed.version) ?? 1) > 0)
        this.#deletes.delete(key);
    }
    return this.#puts.size === 0 && this.#deletes.size === 0;
  }
}
