import { isUtf8 } from 'node:buffer';
import { type Dirent, type FSWatcher, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { watchFolder } from './folder-watch.ts';
import { LinkWatch } from './link-watch.ts';
import { escapedName, isDoubtful, isManifestName, isVisible } from './manifest-name.ts';
import { type FileContent, isGone, readFile, reasonOf, signatureOf } from './read-file.ts';

/** How closely to look at what is known: one entry as told by an event, a directory's own entries, or all below. */
export type Depth = 'entry' | 'entries' | 'everything';

/** What was seen by looking at a path. */
export interface Sight {
  /** Files that are new or may have changed. */
  readonly changed: string[];
  /** Files that were known and aren't there now. They stay known until `drop`. */
  readonly gone: string[];
}

interface Directory {
  inode: string;
  watcher: FSWatcher | undefined;
  /** Name → what was known of it: a file with its signature when last read, or a directory. */
  readonly entries: Map<string, FileEntry | 'directory'>;
}

interface FileEntry {
  signature: string | undefined;
  /** It was modified so shortly before it was read that the clock may not show another write. */
  racy: boolean;
}

/** Coarser than the clock tick of any file system in use. */
const CLOCK_TICK = 20;

/**
 * The manifest files under one root (a folder, or a single file), read and watched. Only looks when told to; tells by
 * `changed` which path to look at.
 */
export class ManifestTree {
  readonly root: string;
  readonly #changed: ((path: string, depth: Depth, moved: boolean) => void) | undefined;
  readonly #directories = new Map<string, Directory>();
  readonly #links: LinkWatch;
  /** Directories that can't be read, and why. */
  readonly #unreadable = new Map<string, string>();
  readonly #unwatched = new Set<string>();
  /** Folder → paths in it, escaped, that can't be opened because their names are not UTF-8. */
  readonly #unnameable = new Map<string, readonly string[]>();
  #single: boolean | undefined;

  /** Without `changed` nothing is watched. `moved`: it is a file that came or went, and nobody was seen to write to it. */
  constructor(root: string, changed?: (path: string, depth: Depth, moved: boolean) => void) {
    this.root = root;
    this.#changed = changed;
    this.#links = new LinkWatch((link) => changed?.(link, 'entry', false));
  }

  /** Sub-folders that can't be read, and why. */
  unreadable(): ReadonlyMap<string, string> {
    return this.#unreadable;
  }

  /** Manifests and sub-folders that can't be opened because their names are not UTF-8: escaped path → folder. */
  unnameable(): ReadonlyMap<string, string> {
    const all = [...this.#unnameable].flatMap(([folder, paths]) =>
      paths.map((file): [string, string] => [file, folder]),
    );
    return new Map(all);
  }

  /** Folders that the system refuses to watch. */
  unwatched(): ReadonlySet<string> {
    return this.#unwatched;
  }

  /** Why the root can't be looked at, or undefined if it can. `moved`: it is another folder than before. */
  probe(): { readonly problem?: string; readonly moved?: boolean } {
    try {
      const stats = statSync(this.root);
      if (!stats.isDirectory() && !stats.isFile()) return { problem: 'it is neither a folder nor a file' };
      this.#single ??= stats.isFile();
      if (this.#single !== stats.isFile()) return { problem: `it was a ${this.#single ? 'file' : 'folder'} before` };
      if (this.#single) return {};
      const known = this.#directories.get(this.root);
      const problem = this.#unreadable.get(this.root);
      return { moved: known?.inode !== inodeOf(stats), ...(problem === undefined ? {} : { problem }) };
    } catch (error) {
      // Whatever comes back in its place must be watched anew.
      for (const directory of this.#directories.values()) directory.inode = '';
      return { problem: reasonOf(error) };
    }
  }

  /** Looks at a path: the root, or one told by `changed`. */
  look(target: string, depth: Depth): Sight {
    const sight: Sight = { changed: [], gone: [] };
    try {
      if (this.#single === true) this.#lookAtSingle(sight, depth);
      else if (target === this.root || (depth !== 'entry' && this.#directories.has(target)))
        this.#list(target, statSync(target), sight, depth);
      else {
        const directory = this.#directories.get(path.dirname(target));
        if (directory !== undefined) this.#lookAt(directory, target, sight, depth);
      }
    } catch (error) {
      // It went away this moment: for the root `probe` tells, for others the event of the folder above.
      if (!isGone(error)) throw error;
    }
    return sight;
  }

  read(file: string): FileContent {
    const content = readFile(file);
    const entry = this.#directories.get(path.dirname(file))?.entries.get(path.basename(file));
    if (typeof entry !== 'object') return content;
    entry.signature = 'signature' in content ? content.signature : undefined;
    entry.racy = content.type === 'text' && Math.abs(Date.now() - content.modified) < CLOCK_TICK;
    return content;
  }

  /** Takes a file below a folder that can't be read for known, as if it had been seen before that. */
  adopt(file: string): void {
    const name = path.basename(file);
    this.#adoptFolder(path.dirname(file)).entries.set(name, { signature: undefined, racy: false });
  }

  /** Forgets a file that is gone. */
  drop(file: string): void {
    this.#links.forget(file);
    this.#directories.get(path.dirname(file))?.entries.delete(path.basename(file));
    this.#prune(path.dirname(file));
  }

  close(): void {
    for (const directory of this.#directories.values()) directory.watcher?.close();
    this.#directories.clear();
    this.#links.close();
  }

  #adoptFolder(folder: string): Directory {
    const known = this.#directories.get(folder);
    if (known !== undefined) return known;
    const directory: Directory = { inode: '', watcher: undefined, entries: new Map() };
    this.#directories.set(folder, directory);
    this.#adoptFolder(path.dirname(folder)).entries.set(path.basename(folder), 'directory');
    return directory;
  }

  /** Forgets a directory that is gone and empty, and those above it that become so. */
  #prune(target: string): void {
    const directory = this.#directories.get(target);
    if (directory?.inode !== '' || directory.entries.size > 0 || target === this.root) return;
    this.#directories.delete(target);
    const above = this.#directories.get(path.dirname(target));
    if (above?.entries.get(path.basename(target)) === 'directory') above.entries.delete(path.basename(target));
    this.#prune(path.dirname(target));
  }

  #lookAtSingle(sight: Sight, depth: Depth): void {
    const parent = path.dirname(this.root);
    const directory = this.#directories.get(parent) ?? { inode: '', watcher: undefined, entries: new Map() };
    this.#directories.set(parent, directory);
    const inode = inodeOf(statSync(parent));
    if (inode !== directory.inode) this.#watch(parent, directory, inode);
    this.#lookAt(directory, this.root, sight, depth);
  }

  #lookAt(directory: Directory, target: string, sight: Sight, depth: Depth, dirent?: Dirent): void {
    const name = path.basename(target);
    const known = directory.entries.get(name);
    let stats: Stats;
    try {
      const link = dirent === undefined ? lstatSync(target).isSymbolicLink() : dirent.isSymbolicLink();
      if (link && this.#changed !== undefined) this.#links.follow(target);
      stats = statSync(target);
    } catch (error) {
      if (isGone(error)) this.#gone(directory, name, target, sight);
      else if (isManifestName(name)) this.#candidate(directory, name, target, sight);
      return;
    }
    if (stats.isDirectory()) {
      if (this.#single === true) return;
      if (typeof known === 'object') {
        // Until it is dropped, the file that stood here is what is known.
        sight.gone.push(target);
        return;
      }
      directory.entries.set(name, 'directory');
      const below = this.#directories.get(target);
      const same = below !== undefined && below.inode === inodeOf(stats) && !this.#unreadable.has(target);
      if ((!same || depth === 'everything') && !this.#isWithinItself(target, stats))
        this.#list(target, stats, sight, depth);
      return;
    }
    if (known === 'directory') this.#gone(directory, name, target, sight);
    if (!stats.isFile() || !(isManifestName(name) || this.#single === true)) return;
    const unchanged = typeof known === 'object' && known.signature === signatureOf(stats) && !known.racy;
    if (depth === 'entry' || !unchanged) this.#candidate(directory, name, target, sight);
  }

  #candidate(directory: Directory, name: string, target: string, sight: Sight): void {
    if (typeof directory.entries.get(name) !== 'object')
      directory.entries.set(name, { signature: undefined, racy: false });
    sight.changed.push(target);
  }

  #gone(directory: Directory, name: string, target: string, sight: Sight): void {
    const known = directory.entries.get(name);
    if (known === undefined) return;
    if (known !== 'directory') {
      sight.gone.push(target);
      return;
    }
    const below = this.#directories.get(target);
    if (below === undefined) return;
    for (const entry of below.entries.keys()) this.#gone(below, entry, path.join(target, entry), sight);
    below.inode = '';
    below.watcher?.close();
    below.watcher = undefined;
    this.#unreadable.delete(target);
    this.#unwatched.delete(target);
    this.#unnameable.delete(target);
    this.#prune(target);
  }

  #list(target: string, stats: Stats, sight: Sight, depth: Depth): void {
    const directory = this.#directories.get(target) ?? { inode: '', watcher: undefined, entries: new Map() };
    this.#directories.set(target, directory);
    const inode = inodeOf(stats);
    // Before it is listed: what comes in between is seen twice rather than never.
    if (inode !== directory.inode || this.#unreadable.has(target) || this.#unwatched.has(target)) {
      this.#watch(target, directory, inode);
    }
    let entries: readonly Dirent[];
    try {
      entries = this.#nameable(target, readdirSync(target, { withFileTypes: true }));
      this.#unreadable.delete(target);
    } catch (error) {
      if (!isGone(error)) this.#unreadable.set(target, reasonOf(error));
      return;
    }
    const below = depth === 'everything' ? depth : 'entries';
    const present = new Set<string>();
    for (const dirent of entries) {
      if (!isVisible(dirent.name)) continue;
      present.add(dirent.name);
      const file = path.join(target, dirent.name);
      if (dirent.isFile() && !directory.entries.has(dirent.name)) {
        if (isManifestName(dirent.name)) this.#candidate(directory, dirent.name, file, sight);
      } else {
        this.#lookAt(directory, file, sight, below, dirent);
      }
    }
    for (const name of directory.entries.keys()) {
      if (!present.has(name)) this.#gone(directory, name, path.join(target, name), sight);
    }
  }

  /** Returns the entries but for those that can't be opened by their names, which are noted. */
  #nameable(target: string, entries: readonly Dirent[]): readonly Dirent[] {
    this.#unnameable.delete(target);
    if (!entries.some(({ name }) => isDoubtful(name))) return entries;
    const named = new Set<string>();
    const unnamed: Dirent<Buffer>[] = [];
    for (const entry of readdirSync(target, { withFileTypes: true, encoding: 'buffer' })) {
      if (isUtf8(entry.name)) named.add(entry.name.toString());
      else unnamed.push(entry);
    }
    const wanted = unnamed.filter((entry) => {
      const name = entry.name.toString();
      return isVisible(name) && (isManifestName(name) || entry.isDirectory());
    });
    if (wanted.length > 0) {
      const paths = wanted.map(({ name }) => path.join(target, escapedName(name)));
      this.#unnameable.set(target, paths);
    }
    return entries.filter(({ name }) => named.has(name));
  }

  /** Whether a symbolic link leads to a folder that it stands in. */
  #isWithinItself(target: string, stats: Stats): boolean {
    const inode = inodeOf(stats);
    for (let at = path.dirname(target); this.#directories.has(at); at = path.dirname(at)) {
      if (this.#directories.get(at)?.inode === inode) return true;
      if (at === this.root) break;
    }
    return false;
  }

  #watch(target: string, directory: Directory, inode: string): void {
    directory.inode = inode;
    directory.watcher?.close();
    directory.watcher = undefined;
    this.#unwatched.delete(target);
    const changed = this.#changed;
    if (changed === undefined) return;
    const watcher = watchFolder(target, (name, moved) => {
      if (this.#single === true) {
        // `..data`: the link that leads to this file may go through it.
        if (name === undefined || name === path.basename(this.root) || name.startsWith('..'))
          changed(this.root, 'entry', moved && name === path.basename(this.root));
      } else if (name === path.basename(target)) {
        // How inotify tells that the directory itself is gone; another may be there by now, even with the same inode.
        directory.inode = '';
        changed(target, target === this.root ? 'entries' : 'entry', false);
        changed(path.join(target, name), 'entry', false);
      } else if (name === undefined || name.startsWith('..')) changed(target, 'entries', false);
      else if (isDoubtful(name)) changed(target, 'entries', false);
      // Files are still to be written in a folder that was just made.
      else if (isVisible(name)) changed(path.join(target, name), 'entry', moved && isManifestName(name));
    });
    if (watcher === 'refused') this.#unwatched.add(target);
    else directory.watcher = watcher;
  }
}

function inodeOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}`;
}
