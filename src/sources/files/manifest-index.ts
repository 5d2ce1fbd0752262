import type { Finding } from '../../diagnostics/finding.ts';
import type { ObjectRef } from '../../model/origin.ts';
import { type ResourceChange, resourceKey } from '../../snapshot/resource.ts';
import type { ManifestObject } from './manifest-object.ts';
import type { Manifest } from './read-manifest.ts';
import { type Repetition, repetitionFindings } from './repetition-findings.ts';

/** What changed since the index was asked last. */
export interface IndexChanges {
  readonly changes: readonly ResourceChange[];
  /** What counted before each put that replaces something, by `resourceKey`. */
  readonly replaced: ReadonlyMap<string, ManifestObject>;
  /** Findings of each file about which they may have changed: complete, and empty where all is well. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
}

/**
 * All objects of all files, and which of several definitions of the same object counts: the first in the order of
 * roots, then of paths, then within the file. Pure memory. One replaced file costs in proportion to itself and to the
 * other definitions of its objects, however many definitions of one object it has.
 */
export class ManifestIndex {
  readonly #rootOf: (file: string) => number;
  readonly #manifests = new Map<string, Manifest>();
  /** A set only for objects defined more than once, in no order. */
  readonly #definitions = new Map<string, ManifestObject | Set<ManifestObject>>();
  /** Which one counts, of those defined more than once; looked for when it is asked for. */
  readonly #first = new Map<string, ManifestObject>();
  /** What counted when `take` was last called, for objects touched since. */
  readonly #before = new Map<string, ManifestObject | undefined>();
  readonly #dirtyFiles = new Set<string>();

  /** `rootOf` gives the position, among the folders given by the user, of the one that a file is in. */
  constructor(rootOf: (file: string) => number) {
    this.#rootOf = rootOf;
  }

  get(file: string): Manifest | undefined {
    return this.#manifests.get(file);
  }

  files(): Iterable<string> {
    return this.#manifests.keys();
  }

  /** The definition that counts. */
  find(ref: ObjectRef): ManifestObject | undefined {
    return this.#firstOf(resourceKey(ref));
  }

  replace(manifest: Manifest): void {
    const previous = this.#manifests.get(manifest.file)?.resources ?? [];
    this.#manifests.set(manifest.file, manifest);
    this.#dirtyFiles.add(manifest.file);
    const remaining = new Set(manifest.resources);
    for (const resource of previous) if (!remaining.has(resource)) this.#remove(resource);
    const present = new Set(previous);
    for (const resource of manifest.resources) if (!present.has(resource)) this.#add(resource);
  }

  remove(file: string): void {
    const manifest = this.#manifests.get(file);
    if (manifest === undefined) return;
    for (const resource of manifest.resources) this.#remove(resource);
    this.#manifests.delete(file);
    this.#dirtyFiles.add(file);
  }

  /** What changed since the last call; deletes first, each group in the order in which it was touched. */
  take(): IndexChanges {
    const deletes: ResourceChange[] = [];
    const puts: ResourceChange[] = [];
    const replaced = new Map<string, ManifestObject>();
    for (const [key, before] of this.#before) {
      const now = this.#firstOf(key);
      // The findings about the others name the one that counts.
      if (now !== before) this.#markAll(key);
      if (now === undefined) {
        if (before !== undefined) deletes.push({ type: 'delete', ref: before.ref });
      } else if (before === undefined || differs(before, now)) {
        puts.push({ type: 'put', resource: now });
        if (before !== undefined) replaced.set(key, before);
      }
    }
    this.#before.clear();
    const findings = new Map<string, readonly Finding[]>();
    for (const file of this.#dirtyFiles) {
      const manifest = this.#manifests.get(file);
      findings.set(file, manifest === undefined ? [] : [...manifest.findings, ...this.#repetitions(manifest)]);
    }
    this.#dirtyFiles.clear();
    return { changes: [...deletes, ...puts], replaced, findings };
  }

  #add(resource: ManifestObject): void {
    const key = this.#touch(resource);
    const known = this.#definitions.get(key);
    if (known === undefined) this.#definitions.set(key, resource);
    else if (known instanceof Set) known.add(resource);
    else this.#definitions.set(key, new Set([known, resource]));
  }

  #remove(resource: ManifestObject): void {
    const key = this.#touch(resource);
    const known = this.#definitions.get(key);
    if (known instanceof Set) {
      known.delete(resource);
      const [last] = known;
      if (known.size === 1 && last !== undefined) this.#definitions.set(key, last);
    } else if (known === resource) this.#definitions.delete(key);
  }

  #touch({ ref }: ManifestObject): string {
    const key = resourceKey(ref);
    if (!this.#before.has(key)) this.#before.set(key, this.#firstOf(key));
    this.#first.delete(key);
    return key;
  }

  #firstOf(key: string): ManifestObject | undefined {
    const known = this.#definitions.get(key);
    if (!(known instanceof Set)) return known;
    let first = this.#first.get(key);
    if (first !== undefined) return first;
    for (const resource of known) if (first === undefined || this.#compare(resource, first) < 0) first = resource;
    if (first !== undefined) this.#first.set(key, first);
    return first;
  }

  #markAll(key: string): void {
    const known = this.#definitions.get(key);
    if (known === undefined) return;
    for (const { place } of known instanceof Set ? known : [known]) this.#dirtyFiles.add(place.file);
  }

  #compare(a: ManifestObject, b: ManifestObject): number {
    const roots = this.#rootOf(a.place.file) - this.#rootOf(b.place.file);
    if (roots !== 0) return roots;
    if (a.place.file !== b.place.file) return a.place.file < b.place.file ? -1 : 1;
    return a.place.document - b.place.document || (a.place.item ?? 0) - (b.place.item ?? 0);
  }

  /** About the definitions in a file that don't count. */
  #repetitions({ resources }: Manifest): Finding[] {
    const repetitions: Repetition[] = [];
    for (const resource of resources) {
      const key = resourceKey(resource.ref);
      if (!(this.#definitions.get(key) instanceof Set)) continue;
      const first = this.#firstOf(key);
      if (first !== undefined && first !== resource) repetitions.push({ resource, first });
    }
    return repetitionFindings(repetitions);
  }
}

/** A resource that only moved within its file is the same; one that now comes from another file has another origin. */
function differs(before: ManifestObject, now: ManifestObject): boolean {
  if (before.place.file !== now.place.file) return true;
  return !before.saysSameAs(now);
}
