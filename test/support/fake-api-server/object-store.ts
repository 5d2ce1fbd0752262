import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../../src/kube/kube-object.ts';
import type { KubeResource } from '../../../src/kube/kube-resource.ts';
import { type NewObject, type StoredChange, storedKey } from './stored-object.ts';

interface ResourceShelf {
  readonly objects: Map<string, KubeObject>;
  readonly history: StoredChange[];
  readonly listeners: Set<(change: StoredChange) => void>;
}

type Named = Pick<KubeResource, 'group' | 'plural'>;

/** Objects with versions and a history, as etcd holds them for an API server: one counter for all resources. */
export class ObjectStore {
  readonly #shelves = new Map<string, ResourceShelf>();
  #version = 1;
  #compacted = 0;

  get version(): number {
    return this.#version;
  }

  /** Watches from before this version are too old. */
  get compacted(): number {
    return this.#compacted;
  }

  create(resource: Named, object: NewObject): KubeObject {
    const { objects } = this.shelf(resource);
    const key = storedKey(object);
    if (objects.has(key)) throw new Error(`${resource.plural} ${key} exists`);
    const metadata = { ...object.metadata, uid: randomUUID(), resourceVersion: String(this.#version + 1) };
    return this.#write(resource, key, { ...object, metadata }, undefined);
  }

  /** Replaces what is there; uid and creation stay. */
  update(resource: Named, object: NewObject): KubeObject {
    const key = storedKey(object);
    const before = this.shelf(resource).objects.get(key);
    if (before === undefined) throw new Error(`${resource.plural} ${key} is not there`);
    const metadata = { ...object.metadata, uid: before.metadata.uid, resourceVersion: String(this.#version + 1) };
    return this.#write(resource, key, { ...object, metadata }, before);
  }

  /** Creates or replaces. */
  put(resource: Named, object: NewObject): KubeObject {
    return this.get(resource, storedKey(object)) === undefined
      ? this.create(resource, object)
      : this.update(resource, object);
  }

  delete(resource: Named, key: string): KubeObject {
    const shelf = this.shelf(resource);
    const before = shelf.objects.get(key);
    if (before === undefined) throw new Error(`${resource.plural} ${key} is not there`);
    shelf.objects.delete(key);
    const version = ++this.#version;
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } };
    this.#tell(shelf, { version, type: 'DELETED', object, before });
    return object;
  }

  get(resource: Named, key: string): KubeObject | undefined {
    return this.shelf(resource).objects.get(key);
  }

  list(resource: Named): readonly KubeObject[] {
    return [...this.shelf(resource).objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** What happened after this version. */
  since(resource: Named, version: number): readonly StoredChange[] {
    return this.shelf(resource).history.filter((change) => change.version > version);
  }

  /** Forgets the history up to this version (default: all of it): who watches from before it must list. */
  compact(version = this.#version): void {
    this.#compacted = Math.max(this.#compacted, version);
    for (const { history } of this.#shelves.values()) {
      const first = history.findIndex((change) => change.version > version);
      history.splice(0, first < 0 ? history.length : first);
    }
  }

  /** As restored from a backup: versions are counted from here again; objects that are newer keep their content at this version. */
  rewind(version: number): void {
    this.#version = version;
    this.#compacted = 0;
    for (const { objects, history } of this.#shelves.values()) {
      history.length = 0;
      for (const [key, object] of objects) {
        if (Number(object.metadata.resourceVersion) <= version) continue;
        objects.set(key, { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
      }
    }
  }

  listen(resource: Named, listener: (change: StoredChange) => void): () => void {
    const { listeners } = this.shelf(resource);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  shelf({ group, plural }: Named): ResourceShelf {
    const name = `${group}/${plural}`;
    const shelf = this.#shelves.get(name) ?? { objects: new Map(), history: [], listeners: new Set() };
    this.#shelves.set(name, shelf);
    return shelf;
  }

  #write(resource: Named, key: string, object: KubeObject, before: KubeObject | undefined): KubeObject {
    const shelf = this.shelf(resource);
    const version = ++this.#version;
    shelf.objects.set(key, object);
    this.#tell(shelf, { version, type: before === undefined ? 'ADDED' : 'MODIFIED', object, before });
    return object;
  }

  #tell({ history, listeners }: ResourceShelf, change: StoredChange): void {
    history.push(change);
    for (const listener of listeners) listener(change);
  }
}
