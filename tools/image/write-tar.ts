import type { FileEntry } from './file-entry.ts';

const BLOCK = 512;
const TYPES: Readonly<Record<FileEntry['kind'], string>> = { file: '0', hardlink: '1', symlink: '2', directory: '5' };

/** A POSIX archive of the entries in their order. What ustar can't say (long names, extended attributes) is said by pax records. */
export function writeTar(entries: readonly FileEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

function blocksOf(entry: FileEntry): Uint8Array[] {
  const path = entry.kind === 'directory' ? `${entry.path}/` : entry.path;
  const target = entry.target ?? '';
  const records = [
    ...(Buffer.byteLength(path) > 100 ? [record('path', Buffer.from(path))] : []),
    ...(Buffer.byteLength(target) > 100 ? [record('linkpath', Buffer.from(target))] : []),
    ...Object.entries(entry.attributes ?? {}).map(([name, value]) => record(`SCHILY.xattr.${name}`, value)),
  ];
  const blocks: Uint8Array[] = [];
  if (records.length > 0) {
    const content = Buffer.concat(records);
    blocks.push(header({ ...entry, mode: 0o644 }, 'x', 'pax', '', content.length), ...padded(content));
  }
  blocks.push(header(entry, TYPES[entry.kind], path, target, entry.content.length), ...padded(entry.content));
  return blocks;
}

function header(entry: FileEntry, type: string, path: string, target: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), at, length - 1, 'latin1');
  block.write(path, 0, 100);
  octal(entry.mode, 100, 8);
  octal(entry.uid, 108, 8);
  octal(entry.gid, 116, 8);
  octal(size, 124, 12);
  octal(entry.mtime, 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write(target, 157, 100);
  block.write('ustar\0', 257, 'latin1');
  block.write('00', 263, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** `LENGTH NAME=VALUE\n`, where the length counts its own digits. */
function record(name: string, value: Uint8Array): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${name}=`), value, Buffer.from('\n')]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function padded(content: Uint8Array): Uint8Array[] {
  const rest = content.length % BLOCK;
  return rest === 0 ? [content] : [content, new Uint8Array(BLOCK - rest)];
}
