import type { KubeObject } from '../kube-object.ts';
import type { ReflectorChange } from '../reflector-sink.ts';
import { compareResourceVersions } from './resource-version.ts';

interface Known {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Which objects a sink has been told of: identity and version only, not the objects. Turns what a server says, in whatever
 * order and however often, into changes that never take an object back to an earlier version.
 */
export class KnownObjects {
  #known = new Map<string, Known>();
  /** While a list comes in: what it has, */
  #seen: Set<string> | undefined;
  /** and at which version something went meanwhile, so that a late word of it doesn't bring it back. */
  readonly #gone = new Map<string, string>();

  get size(): number {
    return this.#known.size;
  }

  /** A whole list follows; again when it begins anew. */
  beginList(): void {
    this.#seen = new Set();
    this.#gone.clear();
  }

  /** The list is whole: what it doesn't have is deleted. */
  endList(): readonly ReflectorChange[] {
    const seen = this.#seen;
    this.#seen = undefined;
    this.#gone.clear();
    if (seen === undefined) return [];
    const deleted: ReflectorChange[] = [];
    for (const [key, known] of this.#known) {
      if (seen.has(key)) continue;
      this.#known.delete(key);
      deleted.push(deletion(key, known));
    }
    return deleted;
  }

  /**
   * The object is there. `after`: the version up to which everything has been told; an object from before it that isn't known can be
   * an old word about a deleted one, or a new one out of order: undefined, only a list can tell.
   */
  put(object: KubeObject, after?: string): readonly ReflectorChange[] | undefined {
    const key = keyOf(object);
    const { uid, resourceVersion } = object.metadata;
    const known = this.#known.get(key);
    const goneAt = this.#gone.get(key);
    if (goneAt !== undefined && atMost(resourceVersion, goneAt)) return [];
    if (known === undefined) {
      if (after !== undefined && atMost(resourceVersion, after)) return undefined;
    } else if (atMost(resourceVersion, known.resourceVersion)) {
      // The same or an old one again. It is there all the same.
      if (known.uid === uid) this.#seen?.add(key);
      return [];
    }
    this.#seen?.add(key);
    this.#known.set(key, { uid, resourceVersion });
    const put: ReflectorChange = { type: 'put', object };
    return known === undefined || known.uid === uid ? [put] : [deletion(key, known), put];
  }

  /** The object is gone. */
  delete(object: KubeObject): readonly ReflectorChange[] {
    const key = keyOf(object);
    const { uid, resourceVersion } = object.metadata;
    const known = this.#known.get(key);
    if (known !== undefined && older(resourceVersion, known.resourceVersion)) return [];
    if (this.#seen !== undefined) this.#gone.set(key, resourceVersion);
    this.#seen?.delete(key);
    if (known === undefined) return [];
    this.#known.delete(key);
    return [known.uid === uid ? { type: 'delete', object } : deletion(key, known)];
  }

  /** The server's versions are no longer those we know (it was restored from a backup), or a sink may have missed some: the next list tells all again. */
  forgetVersions(): void {
    for (const [key, { uid }] of this.#known) this.#known.set(key, { uid, resourceVersion: '' });
  }
}

function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function deletion(key: string, { uid, resourceVersion }: Known): ReflectorChange {
  const slash = key.indexOf('/');
  const namespace = key.slice(0, slash);
  const name = key.slice(slash + 1);
  return {
    type: 'delete',
    object: { metadata: { name, ...(namespace === '' ? {} : { namespace }), uid, resourceVersion } },
  };
}

function atMost(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order <= 0;
}

function older(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order < 0;
}
