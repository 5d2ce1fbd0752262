import type { FileEntry } from './file-entry.ts';

const BLOCK = 512;
const KINDS: Readonly<Record<string, FileEntry['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'directory',
};

/** Entries of an archive as dpkg-deb writes it (GNU tar with its long names). Throws at anything else, such as a device. */
export function readTar(archive: Buffer): FileEntry[] {
  const entries: FileEntry[] = [];
  let longPath: string | undefined;
  let longTarget: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const size = octal(header, 124, 12);
    const content = archive.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'L') longPath = text(content);
    else if (type === 'K') longTarget = text(content);
    else {
      const kind = KINDS[type];
      const name = longPath ?? text(header.subarray(0, 100));
      if (kind === undefined) throw new Error(`${name} in a package is of tar type ${type}, which no image needs.`);
      const target = longTarget ?? text(header.subarray(157, 257));
      entries.push({
        path: clean(name),
        kind,
        mode: octal(header, 100, 8) & 0o7777,
        uid: octal(header, 108, 8),
        gid: octal(header, 116, 8),
        mtime: octal(header, 136, 12),
        content,
        ...(kind === 'symlink' ? { target } : kind === 'hardlink' ? { target: clean(target) } : {}),
      });
      longPath = longTarget = undefined;
    }
  }
  return entries;
}

function octal(header: Buffer, at: number, length: number): number {
  return Number.parseInt(text(header.subarray(at, at + length)).trim() || '0', 8);
}

function text(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

function clean(path: string): string {
  return path
    .replace(/^(?:\.?\/)+/u, '')
    .replace(/\/+$/u, '')
    .replace(/^\.$/u, '');
}
