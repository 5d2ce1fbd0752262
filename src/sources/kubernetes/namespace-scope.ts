import { CONFIRMED, ObjectWatch, type StartWatch, type WatchListener } from './object-watch.ts';
import type { WatchCounts } from './watch-counts.ts';
import { NAMESPACED_KINDS, WATCHED_KINDS } from './watched-kinds.ts';

/** The watches of one namespace, or of all. */
export class NamespaceScope {
  /** undefined: all. */
  readonly namespace: string | undefined;
  readonly watches: readonly ObjectWatch[];

  constructor(namespace: string | undefined, listener: WatchListener, counts: WatchCounts) {
    this.namespace = namespace;
    this.watches = NAMESPACED_KINDS.map((kind) => new ObjectWatch(kind, { namespace }, listener, counts));
  }

  /** Decides which namespaces may be read. */
  get ingresses(): ObjectWatch {
    return this.watches.find(({ kind }) => kind === WATCHED_KINDS.Ingress)!;
  }

  get isReady(): boolean {
    return this.watches.every((watch) => watch.isSynced);
  }

  /** It won't be ready unless somebody grants a right. */
  get isRefused(): boolean {
    return this.watches.some((watch) => !watch.isSynced && watch.refusals >= CONFIRMED);
  }

  start(startWatch: StartWatch): void {
    for (const watch of this.watches) watch.start(startWatch);
  }

  stop(): void {
    for (const watch of this.watches) watch.stop();
  }
}
