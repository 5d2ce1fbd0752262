import { statSync } from 'node:fs';
import path from 'node:path';
import { type ResourceChange, resourceKey } from '../../snapshot/resource.ts';
import type { SourceSink } from '../source.ts';
import { type HeldEntry, readHeldObjects, writeHeldObjects } from './held-objects-file.ts';
import type { ManifestObject } from './manifest-object.ts';
import { isGone } from './read-file.ts';
import type { Manifest } from './read-manifest.ts';

/** Milliseconds before another try where the file can't be written. */
const RETRY = 5_000;

type HeldManifest = Pick<Manifest, 'complete' | 'resources'>;

export interface HeldObjectsOptions {
  /** Where `held-objects.jsonl` stands; must exist. */
  readonly directory: string;
  /** Told when writing fails, once a failure, and with undefined when it works again. */
  readonly onProblem?: (problem: Error | undefined) => void;
}

/**
 * What stays in force although the manifests don't say it any more, on disk, so that a restart doesn't lose it: the
 * objects of files that are broken, and the last usable version of objects that are of the wrong shape now. Everything
 * else can be read from the manifests again. The file is there only while something is held.
 */
export class HeldObjects {
  readonly #path: string;
  readonly #onProblem: HeldObjectsOptions['onProblem'];
  /** By absolute path: the next weir may be started in another directory. */
  readonly #manifests = new Map<string, HeldManifest>();
  readonly #objects = new Map<string, ManifestObject>();
  /** From the run before, not met in the manifests yet. */
  readonly #unclaimedFiles: Set<string>;
  readonly #unclaimedObjects: Set<string>;
  #dirty = false;
  #writing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #problem: Error | undefined;

  private constructor(options: HeldObjectsOptions, file: string, entries: readonly HeldEntry[]) {
    this.#path = file;
    this.#onProblem = options.onProblem;
    for (const entry of entries) {
      if ('object' in entry) this.#objects.set(resourceKey(entry.object.ref), entry.object);
      else this.#manifests.set(entry.file, entry);
    }
    this.#unclaimedFiles = new Set(this.#manifests.keys());
    this.#unclaimedObjects = new Set(this.#objects.keys());
  }

  /** With what the run before held. A file that is unusable, as a whole or in part, is a `problem`, never an error. */
  static async open(options: HeldObjectsOptions): Promise<{ readonly held: HeldObjects; readonly problem?: string }> {
    const file = path.join(options.directory, 'held-objects.jsonl');
    const { entries, problem } = await readHeldObjects(file);
    const held = new HeldObjects(options, file, entries);
    return { held, ...(problem === undefined ? {} : { problem: `${file}: ${problem}` }) };
  }

  /** Why it can't be saved just now. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** What the run before held of the file, as if it were its last reading. */
  manifest(file: string): Manifest | undefined {
    const held = this.#manifests.get(path.resolve(file));
    if (held === undefined) return undefined;
    return {
      file,
      resources: held.resources.map((resource) => placedIn(file, resource)),
      complete: held.complete,
      findings: [],
      broken: true,
      held: true,
      documents: new Map(),
      endsWithNewline: true,
    };
  }

  /** What the run before held of files below a folder, and nobody has asked for since. */
  unclaimedBelow(folder: string): readonly Manifest[] {
    const whole = path.join(path.resolve(folder), '/');
    const files = [...this.#unclaimedFiles].filter((file) => file.startsWith(whole));
    return files.flatMap((file) => this.manifest(path.join(folder, path.relative(whole, file))) ?? []);
  }

  /** The file was read: holds what stays in force of it, or nothing if it says all that it gives. */
  note({ file, held, complete, resources }: Manifest): void {
    if (!held || resources.length === 0) {
      this.release(file);
      return;
    }
    const key = path.resolve(file);
    this.#unclaimedFiles.delete(key);
    const known = this.#manifests.get(key);
    if (known?.complete === complete && sameObjects(known.resources, resources)) return;
    this.#manifests.set(key, { complete, resources });
    this.#changed();
  }

  /** The file is gone, or good. */
  release(file: string): void {
    const key = path.resolve(file);
    this.#unclaimedFiles.delete(key);
    if (this.#manifests.delete(key)) this.#changed();
  }

  /**
   * Passes changes on and holds the versions before those that the sink refuses. An object whose usable version comes
   * from the run before is delivered in that version first, so that the sink has what it had then.
   *
   * `replaced`: what counted before each put, by `resourceKey`.
   */
  deliver(
    changes: readonly ResourceChange[],
    replaced: ReadonlyMap<string, ManifestObject>,
    sink: Pick<SourceSink, 'changed' | 'refuses'>,
  ): void {
    const earlier: ResourceChange[] = [];
    const usable = new Map<string, ManifestObject>();
    for (const change of changes) {
      if (change.type === 'delete') continue;
      const key = resourceKey(change.resource.ref);
      const held = this.#objects.get(key);
      const before = replaced.get(key);
      if (held !== undefined) {
        usable.set(key, held);
        if (this.#unclaimedObjects.has(key)) earlier.push({ type: 'put', resource: held });
      } else if (before !== undefined && sink.refuses?.(before.ref) === false) usable.set(key, before);
    }
    sink.changed(earlier.length === 0 ? changes : [...earlier, ...changes]);
    for (const change of changes) {
      const ref = change.type === 'put' ? change.resource.ref : change.ref;
      const key = resourceKey(ref);
      // Only now: a sink that throws gets all of it again.
      this.#unclaimedObjects.delete(key);
      const before = usable.get(key);
      if (before !== undefined && sink.refuses?.(ref) === true) this.#holdObject(key, before);
      else this.#releaseObject(key);
    }
  }

  /**
   * The manifests were read: lets go of what the run before held and they don't have any more. `isAwaited`: whether a
   * file, if it is there, has yet to be read (it is being written to, or stands in a folder that can't be read).
   */
  releaseUnclaimed(isAwaited: (file: string) => boolean): void {
    const mayCome = (file: string) => isAwaited(file) && !isMissing(file);
    for (const file of this.#unclaimedFiles) if (!mayCome(file)) this.release(file);
    for (const key of this.#unclaimedObjects) {
      const file = this.#objects.get(key)?.place.file;
      if (file === undefined || !mayCome(file)) this.#releaseObject(key);
    }
  }

  /** Resolves when what is held is on disk, or when writing failed. */
  flush(): Promise<void> {
    return this.#writing ?? Promise.resolve();
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#retry);
  }

  #holdObject(key: string, resource: ManifestObject): void {
    if (this.#objects.get(key) === resource) return;
    this.#objects.set(key, resource);
    this.#changed();
  }

  #releaseObject(key: string): void {
    this.#unclaimedObjects.delete(key);
    if (this.#objects.delete(key)) this.#changed();
  }

  #changed(): void {
    this.#dirty = true;
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    // What changes in the same turn is written once.
    await Promise.resolve();
    try {
      while (this.#dirty) {
        this.#dirty = false;
        await writeHeldObjects(this.#path, this.#entries());
        if (this.#problem !== undefined) this.#onProblem?.(undefined);
        this.#problem = undefined;
      }
    } catch (error) {
      const first = this.#problem === undefined;
      this.#problem = error instanceof Error ? error : new Error(String(error));
      if (first) this.#onProblem?.(this.#problem);
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#changed(), RETRY).unref();
    }
    // Not a microtask later: what changes in between would wait for a write that has ended.
    this.#writing = undefined;
  }

  #entries(): readonly HeldEntry[] {
    return [
      ...[...this.#manifests].map(([file, { complete, resources }]) => ({ file, complete, resources })),
      ...[...this.#objects.values()].map((object) => ({ object })),
    ];
  }
}

function sameObjects(a: readonly ManifestObject[], b: readonly ManifestObject[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  return a.every((object, index) => object === b[index] || object.saysSameAs(b[index]!));
}

function placedIn(file: string, resource: ManifestObject): ManifestObject {
  return resource.at({ ...resource.place, file });
}

/** Whether there is surely no such file: one that can't be looked at may be there. */
function isMissing(file: string): boolean {
  try {
    statSync(file);
    return false;
  } catch (error) {
    return isGone(error);
  }
}
