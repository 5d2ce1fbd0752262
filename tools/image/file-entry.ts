/** A file, directory or link of an image, as a tar archive holds it. */
export interface FileEntry {
  /** Without a slash at its beginning or end. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** Permissions, such as 0o755. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  /** Of a file; of everything else empty. */
  readonly content: Uint8Array;
  /** What a link points to. */
  readonly target?: string;
  /** Extended attributes by name. */
  readonly attributes?: Readonly<Record<string, Uint8Array>>;
}
