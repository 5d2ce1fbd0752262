import type { KubeClient } from '../kube/kube-client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { type KubeResource, resourcePath } from '../kube/kube-resource.ts';
import type { RbacRule } from '../kube/rbac-rule.ts';
import { drained, WriteQueue } from '../kube/write-queue.ts';
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts';
import { Contest } from './contest.ts';
import { orderedAddresses, type PublishedAddress, publishedText } from './published-address.ts';
import { ingressKey, type ServedIngress } from './served-ingress.ts';

/** In every namespace that is served. */
export const INGRESS_STATUS_RIGHTS: readonly RbacRule[] = [
  {
    apiGroups: ['networking.k8s.io'],
    resources: ['ingresses/status'],
    verbs: ['patch'],
    why: 'Writes the address at which an Ingress is served, for `kubectl get ingress` and for what makes DNS records of it. Not needed with --leave-status.',
  },
];

const INGRESSES: KubeResource = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'ingresses',
  kind: 'Ingress',
  namespaced: true,
};
const FIELD_MANAGER = 'weir';
/** Writes under way at once. */
const PARALLEL = 16;
const LONGEST_RETRY = 60_000;
const WITHOUT_RIGHT = 60_000;

/** `conflict`: the object has changed since it was seen; `gone`: there is none any more. */
export type StatusWriteResult = 'written' | 'conflict' | 'gone' | 'forbidden' | 'failed';

export interface IngressStatusWriterOptions {
  readonly client: Pick<KubeClient, 'request'>;
  /** Asked right before each write. */
  readonly mayWrite?: () => boolean;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onResult?: (result: StatusWriteResult) => void;
  /** What keeps status from being written, a sentence; undefined: nothing any more. `subject`: what it is about. */
  readonly onProblem?: (subject: string, problem: Error | undefined) => void;
}

interface Entry {
  ingress: ServedIngress;
  /** What weir wrote last, and the version that this made. */
  wrote?: { readonly published: string; readonly version: string };
  contest?: Contest;
  /** Until when another's status is left there. */
  patience?: () => void;
}

/**
 * Keeps status.loadBalancer of the Ingresses that weir serves as it should be: only while it leads, only where it differs, by
 * server-side apply of that one field. A write names uid and version of the object that was seen, so that an Ingress that was
 * made anew, or has gone to another class meanwhile, is never touched.
 */
export class IngressStatusWriter {
  readonly #options: IngressStatusWriterOptions;
  readonly #clock: Clock;
  readonly #queue: WriteQueue;
  readonly #entries = new Map<string, Entry>();
  readonly #forbidden = new Map<string, number>();
  #addresses: readonly PublishedAddress[] = [];
  /** As text; '' while no address is known. */
  #wanted = '';
  #leading = false;

  constructor(options: IngressStatusWriterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#queue = new WriteQueue({
      parallel: PARALLEL,
      clock: this.#clock,
      ...(options.random === undefined ? {} : { random: options.random }),
      write: (key, signal) => this.#write(key, signal),
      onRefused: (key, error, attempt) => this.#refused(key, error, attempt),
      onAway: (error) => options.onProblem?.('the API server', error),
    });
  }

  /** Ingresses whose status is still to be written. */
  get pending(): number {
    return this.#queue.size;
  }

  /** These and no others are served. */
  update(ingresses: readonly ServedIngress[]): void {
    const keys = new Set(ingresses.map(ingressKey));
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#drop(key);
    for (const ingress of ingresses) this.put(ingress);
  }

  /** This one is served, as it was seen just now. */
  put(ingress: ServedIngress): void {
    const key = ingressKey(ingress);
    const before = this.#entries.get(key);
    if (before === undefined || before.ingress.uid !== ingress.uid) {
      before?.patience?.();
      this.#entries.set(key, { ingress });
    } else {
      const { wrote } = before;
      if (ingress.resourceVersion === before.ingress.resourceVersion) return;
      // What is told after weir's own write may have been before it.
      if (wrote !== undefined && isOlder(ingress.resourceVersion, wrote.version)) return;
      const seen = before.ingress.published;
      before.ingress = ingress;
      if (wrote !== undefined && ingress.published !== seen && ingress.published !== wrote.published) {
        this.#overwritten(key, before);
      }
    }
    this.#look(key);
  }

  /** It is not served any more. Its status stays: it may be another's by now. */
  remove(ingress: Pick<ServedIngress, 'namespace' | 'name'>): void {
    this.#drop(ingressKey(ingress));
  }

  /**
   * Where the load balancer is to be found. None means that it isn't known: status stays as it is, since an address that was
   * right is more use than none.
   */
  addresses(addresses: readonly PublishedAddress[]): void {
    const ordered = orderedAddresses(addresses);
    const wanted = publishedText(ordered);
    if (wanted === this.#wanted) return;
    this.#addresses = ordered;
    this.#wanted = wanted;
    this.#lookAtAll();
  }

  /** Whether this process is the one that writes. */
  leading(leading: boolean): void {
    this.#leading = leading;
    if (leading) this.#lookAtAll();
    else this.#clear();
  }

  /** Finishes what is under way or waits, for at most so many milliseconds. Addresses stay in the status. */
  async stop(milliseconds: number): Promise<void> {
    if (this.#leading) await drained(this.#queue, milliseconds, this.#clock);
    this.leading(false);
  }

  #lookAtAll(): void {
    for (const key of this.#entries.keys()) this.#look(key);
  }

  #look(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.patience !== undefined) return;
    if (this.#needsWrite(entry)) this.#queue.add(key);
    else if (this.#queue.has(key)) this.#queue.delete(key);
  }

  #needsWrite({ ingress }: Entry): boolean {
    return this.#leading && this.#wanted !== '' && ingress.published !== this.#wanted;
  }

  #overwritten(key: string, entry: Entry): void {
    entry.contest ??= new Contest();
    const wait = entry.contest.lost(this.#clock.now());
    if (entry.contest.isQuarrel) {
      const message = `another controller writes the status of Ingress ${key}, too: it has ${entry.ingress.published || 'no address'} where weir wrote ${entry.wrote?.published}`;
      this.#options.onProblem?.(
        `Ingress ${key}`,
        new Error(`${message}. Tell one of the two to leave status alone (weir: --leave-status).`),
      );
    }
    if (wait === 0 || entry.patience !== undefined) return;
    this.#queue.delete(key);
    entry.patience = this.#clock.after(wait, () => {
      delete entry.patience;
      this.#look(key);
    });
  }

  async #write(key: string, signal: AbortSignal): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry === undefined || !this.#needsWrite(entry) || this.#options.mayWrite?.() === false) return;
    const { namespace, name, uid, resourceVersion } = entry.ingress;
    const forbidden = this.#forbidden.get(namespace);
    if (forbidden !== undefined && this.#clock.now() < forbidden) throw new StillForbidden();
    const written = this.#wanted;
    const answer = await this.#options.client.request({
      method: 'PATCH',
      path: resourcePath(INGRESSES, namespace, name, 'status'),
      query: { fieldManager: FIELD_MANAGER, force: true },
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name, namespace, uid, resourceVersion },
        status: { loadBalancer: { ingress: this.#addresses } },
      },
      timeout: 10_000,
      signal,
    });
    this.#options.onResult?.('written');
    if (this.#forbidden.delete(namespace)) this.#options.onProblem?.(`namespace ${namespace}`, undefined);
    const version = versionOf(answer) ?? resourceVersion;
    entry.wrote = { published: written, version };
    // The watch may have been faster and told of something newer.
    if (isOlder(version, entry.ingress.resourceVersion)) return;
    entry.ingress = { ...entry.ingress, resourceVersion: version, published: written };
    if (this.#entries.get(key) === entry) this.#look(key);
  }

  #refused(key: string, error: unknown, attempt: number): number | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || error instanceof StillForbidden) return entry && this.#whenAllowed(entry);
    const status = error instanceof KubeError ? error.status : undefined;
    const wait = Math.min(500 * 2 ** Math.min(attempt, 10), LONGEST_RETRY);
    switch (status) {
      case 404:
        this.#options.onResult?.('gone');
        this.#drop(key);
        return undefined;
      case 409:
        // What is there now comes by the watch, and with it the next try; this is only for the case that it doesn't.
        this.#options.onResult?.('conflict');
        return wait;
      case 403:
        this.#options.onResult?.('forbidden');
        return this.#forbid(entry, error as KubeError);
      default:
        this.#options.onResult?.('failed');
        this.#options.onProblem?.(`Ingress ${key}`, error instanceof Error ? error : new Error(String(error)));
        return wait;
    }
  }

  /** One Ingress asks again now and then; the others of its namespace wait with it. */
  #forbid(entry: Entry, error: KubeError): number {
    const { namespace } = entry.ingress;
    if (!this.#forbidden.has(namespace)) {
      this.#options.onProblem?.(
        `namespace ${namespace}`,
        new Error(
          `addresses can't be written to Ingresses in namespace ${namespace}: ${error.message} Allow the verb patch on ingresses/status in the group networking.k8s.io, or say --leave-status.`,
        ),
      );
    }
    this.#forbidden.set(namespace, this.#clock.now() + WITHOUT_RIGHT);
    return WITHOUT_RIGHT;
  }

  #whenAllowed({ ingress: { namespace } }: Entry): number {
    // Spread, so that a few find out for all.
    const spread = (this.#options.random ?? Math.random)() * WITHOUT_RIGHT;
    return Math.max((this.#forbidden.get(namespace) ?? 0) - this.#clock.now(), 0) * 1.4 + spread;
  }

  #drop(key: string): void {
    this.#entries.get(key)?.patience?.();
    this.#entries.delete(key);
    this.#queue.delete(key);
  }

  #clear(): void {
    this.#queue.clear();
    for (const entry of this.#entries.values()) {
      entry.patience?.();
      delete entry.patience;
      // Whoever leads meanwhile writes as well as this one did.
      delete entry.wrote;
      delete entry.contest;
    }
  }
}

/** Nothing was asked: the API server said a moment ago that weir may not. */
class StillForbidden extends Error {}

function versionOf(answer: unknown): string | undefined {
  const { metadata } = (answer ?? {}) as { readonly metadata?: { readonly resourceVersion?: unknown } };
  return typeof metadata?.resourceVersion === 'string' ? metadata.resourceVersion : undefined;
}

/** Versions of one kind are decimal numbers of any length that grow; where they are something else, nothing is older. */
function isOlder(version: string, than: string): boolean {
  if (!/^[0-9]+$/.test(version) || !/^[0-9]+$/.test(than)) return false;
  return version.length < than.length || (version.length === than.length && version < than);
}
