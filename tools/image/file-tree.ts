import type { FileEntry } from './file-entry.ts';

/** Where Debian's packages still say /lib and the like, which are links on every installed system. */
const MERGED = ['bin', 'sbin', 'lib', 'lib64'];

/** The files of an image, one for each path, with the directories that lead to them. */
export class FileTree {
  readonly #entries = new Map<string, FileEntry>();
  readonly #mtime: number;

  /** `mtime`, in seconds, for everything that doesn't come with a time of its own. */
  constructor(mtime: number) {
    this.#mtime = mtime;
  }

  /** A later one takes the place of an earlier one. */
  add(entry: FileEntry): void {
    const path = merged(entry.path);
    if (path === '') return;
    this.#directoriesTo(path);
    const target = entry.kind === 'hardlink' && entry.target !== undefined ? { target: merged(entry.target) } : {};
    this.#entries.set(path, { ...entry, path, ...target });
  }

  file(path: string, content: string | Uint8Array, options: Partial<FileEntry> = {}): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.add({ ...this.#plain, path, kind: 'file', mode: 0o644, content: bytes, ...options });
  }

  directory(path: string, options: Partial<FileEntry> = {}): void {
    this.add({ ...this.#plain, path, kind: 'directory', mode: 0o755, content: new Uint8Array(), ...options });
  }

  symlink(path: string, target: string): void {
    this.add({ ...this.#plain, path, kind: 'symlink', mode: 0o777, content: new Uint8Array(), target });
  }

  get(path: string): FileEntry | undefined {
    return this.#entries.get(path);
  }

  /** In the order of their paths, so that a directory comes before what is in it. */
  entries(): readonly FileEntry[] {
    return [...this.#entries.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  get #plain(): Pick<FileEntry, 'uid' | 'gid' | 'mtime'> {
    return { uid: 0, gid: 0, mtime: this.#mtime };
  }

  #directoriesTo(path: string): void {
    const at = path.lastIndexOf('/');
    if (at > 0 && !this.#entries.has(path.slice(0, at))) this.directory(path.slice(0, at));
  }
}

function merged(path: string): string {
  const [first = ''] = path.split('/');
  return MERGED.includes(first) && path.includes('/') ? `usr/${path}` : path;
}
