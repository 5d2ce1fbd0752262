import path from 'node:path';
import { manifestRoots } from './manifest-roots.ts';
import { type Depth, ManifestTree } from './manifest-tree.ts';

/** A folder (or single file) given by the user, and what is known of it. */
export interface ManifestFolder {
  readonly path: string;
  readonly position: number;
  readonly tree: ManifestTree;
  problem: string | undefined;
  /** Looked at once: what it holds was delivered. */
  seen: boolean;
  /** When a file was last found gone. */
  lastGone: number;
  readonly gone: Set<string>;
}

/** The folders given by the user, in the order in which they count, and which file is in which. */
export class ManifestFolders {
  readonly all: readonly ManifestFolder[];
  readonly #byFile = new Map<string, ManifestFolder>();

  /** `changed` gets each path below them that is to be looked at. */
  constructor(folders: readonly string[], changed: (target: string, depth: Depth, moved: boolean) => void) {
    this.all = manifestRoots(folders).map((root, position) => ({
      path: root,
      position,
      tree: new ManifestTree(root, changed),
      problem: undefined,
      seen: false,
      lastGone: 0,
      gone: new Set(),
    }));
  }

  /** The one that a path is in. */
  of(target: string): ManifestFolder | undefined {
    const known = this.#byFile.get(target);
    if (known !== undefined) return known;
    return this.all.find(
      ({ path: root }) => root === target || root === '.' || target.startsWith(path.join(root, '/')),
    );
  }

  /** Remembers where a file is, so that it needn't be looked for. */
  note(file: string, folder: ManifestFolder): void {
    this.#byFile.set(file, folder);
  }

  forget(file: string): void {
    this.#byFile.delete(file);
  }

  /** Whether a file, which may be named from another working directory, would stand in one of them. */
  wouldHold(file: string): boolean {
    const whole = path.resolve(file);
    return this.all.some((root) => {
      const folder = path.resolve(root.path);
      return whole === folder || whole.startsWith(path.join(folder, '/'));
    });
  }

  /** Whether all of them can be read, with all that is below them. */
  areReadable(): boolean {
    return this.all.every(({ problem, tree }) => problem === undefined && tree.unreadable().size === 0);
  }

  /** Why not, a reason each. */
  problems(): readonly string[] {
    return this.all.flatMap((root) => {
      const below = [...root.tree.unreadable()].filter(([folder]) => folder !== root.path);
      return [
        ...(root.problem === undefined ? [] : [`${root.path} can't be read: ${root.problem}`]),
        ...below.map(([folder, reason]) => `${folder} can't be read: ${reason}`),
      ];
    });
  }

  /** Manifests and sub-folders that can't be opened by their names. */
  unnameable(): readonly string[] {
    return this.all.flatMap((root) => [...root.tree.unnameable().keys()]);
  }

  close(): void {
    for (const root of this.all) root.tree.close();
  }
}
