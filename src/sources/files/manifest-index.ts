import { isDeepStrictEqual } from 'node:util';
import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { SOURCE_FINDINGS } from '../../diagnostics/sources.ts';
import type { ObjectRef } from '../../model/origin.ts';
import { type Resource, type ResourceChange, resourceKey } from '../../snapshot/resource.ts';
import type { Manifest } from './read-manifest.ts';

/** What changed since the index was asked last. */
export interface IndexChanges {
  readonly changes: readonly ResourceChange[];
  /** What counted before each put that replaces something, by `resourceKey`. */
  readonly replaced: ReadonlyMap<string, Resource>;
  /** Findings of each file about which they may have changed: complete, and empty where all is well. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
}

/**
 * All objects of all files, and which of several definitions of the same object counts: the first in the order of
 * roots, then of paths, then within the file. Pure memory. One replaced file costs in proportion to itself.
 */
export class ManifestIndex {
  readonly #rootOf: (file: string) => number;
  readonly #manifests = new Map<string, Manifest>();
  readonly #first = new Map<string, Resource>();
  /** Definitions after the first, in order; only for objects defined more than once. */
  readonly #further = new Map<string, readonly Resource[]>();
  /** What counted when `take` was last called, for objects touched since. */
  readonly #before = new Map<string, Resource | undefined>();
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
  find(ref: ObjectRef): Resource | undefined {
    return this.#first.get(resourceKey(ref));
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
    const replaced = new Map<string, Resource>();
    for (const [key, before] of this.#before) {
      const now = this.#first.get(key);
      if (now === undefined) {
        if (before !== undefined) deletes.push({ type: 'delete', ref: before.ref });
      } else if (before === undefined || differs(before, now)) {
        puts.push({ type: 'put', resource: now });
        if (before !== undefined) replaced.set(key, before);
      }
    }
    this.#before.clear();
    const findings = new Map<string, readonly Finding[]>();
    const further = this.#furtherByFile();
    for (const file of this.#dirtyFiles) {
      findings.set(file, [...(this.#manifests.get(file)?.findings ?? []), ...(further.get(file) ?? [])]);
    }
    this.#dirtyFiles.clear();
    return { changes: [...deletes, ...puts], replaced, findings };
  }

  #add(resource: Resource): void {
    const key = resourceKey(resource.ref);
    const first = this.#first.get(key);
    this.#touch(key, first);
    if (first === undefined) {
      this.#first.set(key, resource);
      return;
    }
    this.#order(key, [first, ...(this.#further.get(key) ?? []), resource]);
  }

  #remove(resource: Resource): void {
    const key = resourceKey(resource.ref);
    const first = this.#first.get(key);
    if (first === undefined) return;
    this.#touch(key, first);
    const all = [first, ...(this.#further.get(key) ?? [])];
    for (const other of all) this.#markContested(other, all);
    this.#order(
      key,
      all.filter((other) => other !== resource),
    );
  }

  #order(key: string, definitions: readonly Resource[]): void {
    const [first, ...further] = [...definitions].sort((a, b) => this.#compare(a, b));
    if (first === undefined) this.#first.delete(key);
    else this.#first.set(key, first);
    if (further.length === 0) this.#further.delete(key);
    else this.#further.set(key, further);
    for (const other of definitions) this.#markContested(other, definitions);
  }

  #markContested(resource: Resource, all: readonly Resource[]): void {
    if (all.length > 1 && resource.place !== undefined) this.#dirtyFiles.add(resource.place.file);
  }

  #touch(key: string, first: Resource | undefined): void {
    if (!this.#before.has(key)) this.#before.set(key, first);
  }

  #compare(a: Resource, b: Resource): number {
    if (a.place === undefined || b.place === undefined) return 0;
    const roots = this.#rootOf(a.place.file) - this.#rootOf(b.place.file);
    if (roots !== 0) return roots;
    if (a.place.file !== b.place.file) return a.place.file < b.place.file ? -1 : 1;
    return a.place.document - b.place.document || (a.place.item ?? 0) - (b.place.item ?? 0);
  }

  #furtherByFile(): Map<string, Finding[]> {
    const byFile = new Map<string, Finding[]>();
    for (const [key, further] of this.#further) {
      const first = this.#first.get(key)?.place;
      // Cluster-wide kinds have no namespace.
      const name = key.replace('//', '/');
      for (const resource of further) {
        const place = resource.place;
        if (place === undefined || first === undefined || !this.#dirtyFiles.has(place.file)) continue;
        const message = `${name} also stands in ${first.file}:${first.line}, which counts; the one in ${place.file}:${place.line} is left out.`;
        const origin = { object: resource.ref, field: 'metadata.name', file: place.file, line: place.line };
        const others = byFile.get(place.file) ?? [];
        others.push(finding(SOURCE_FINDINGS.definedTwice, origin, message));
        byFile.set(place.file, others);
      }
    }
    return byFile;
  }
}

/** A resource that only moved within its file is the same; one that now comes from another file has another origin. */
function differs(before: Resource, now: Resource): boolean {
  if (before.place?.file !== now.place?.file) return true;
  return before.body !== now.body && !isDeepStrictEqual(before.body, now.body);
}
