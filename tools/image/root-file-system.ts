import { matchesGlob } from 'node:path';
import type { DebianPackage } from './fetch-packages.ts';
import type { FileEntry } from './file-entry.ts';
import { FileTree } from './file-tree.ts';
import { EXCLUDED, IMAGE_PACKAGES, type ImagePackage } from './image-packages.ts';

/** The account that everything in the image runs under. */
export const IMAGE_USER = 101;

/** Starts what follows it with the right to bind low ports, which everything that it starts inherits. */
export const LOW_PORT_LAUNCHER = [
  '/usr/lib/weir/host-network/setpriv',
  '--inh-caps=+net_bind_service',
  '--ambient-caps=+net_bind_service',
] as const;

/** What of weir's own goes in. */
export interface OwnFiles {
  /** dist/weir. */
  readonly executable: Uint8Array;
  readonly licences: Uint8Array;
}

const AUTHORITIES = 'usr/share/ca-certificates/';

/** struct vfs_cap_data, revision 2, effective: CAP_NET_BIND_SERVICE (10) is permitted and nothing else. */
const MAY_BIND_LOW_PORTS = Buffer.from('0100000200040000000000000000000000000000', 'hex');

/** What changes with Debian only: the packages' files as they are, without what nobody needs, and what their scripts would make. */
export function debianFiles(packages: readonly DebianPackage[], mtime: number): FileTree {
  const tree = new FileTree(mtime);
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) tree.symlink(name, `usr/${name}`);
  const authorities: FileEntry[] = [];
  for (const { name, entries } of packages) {
    const wanted = IMAGE_PACKAGES.find((listed) => listed.name === name);
    for (const entry of entries) {
      if (entry.path.startsWith(AUTHORITIES)) authorities.push(entry);
      else if (entry.kind !== 'directory' && belongs(entry.path, wanted)) tree.add(entry);
    }
  }
  // As update-ca-certificates makes it.
  const bundle = authorities.filter(({ path }) => path.endsWith('.crt')).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  tree.file('etc/ssl/certs/ca-certificates.crt', Buffer.concat(bundle.map(({ content }) => content)));
  // By this, scanners tell which package has which fault.
  const status = packages.map(({ control }) => control.trimEnd().replace('\n', '\nStatus: install ok installed\n'));
  tree.file('var/lib/dpkg/status', `${status.join('\n\n')}\n`);
  tree.file(
    'etc/passwd',
    `root:x:0:0:root:/:/usr/sbin/nologin\nweir:x:${IMAGE_USER}:${IMAGE_USER}:weir:/var/lib/weir:/usr/sbin/nologin\n`,
  );
  tree.file('etc/group', `root:x:0:\nweir:x:${IMAGE_USER}:\n`);
  for (const name of ['dev', 'proc', 'sys', 'run']) tree.directory(name);
  tree.directory('tmp', { mode: 0o1777 });
  tree.directory('var/lib/weir', { mode: 0o700, uid: IMAGE_USER, gid: IMAGE_USER });
  const hand = tree.get('usr/bin/setpriv');
  if (hand === undefined) throw new Error('util-linux has no usr/bin/setpriv any more.');
  const attributes = { 'security.capability': MAY_BIND_LOW_PORTS };
  tree.file(LOW_PORT_LAUNCHER[0].slice(1), hand.content, { mode: 0o755, attributes });
  return tree;
}

/** What changes with weir. */
export function weirFiles({ executable, licences }: OwnFiles, mtime: number): FileTree {
  const tree = new FileTree(mtime);
  tree.file('usr/bin/weir', executable, { mode: 0o755 });
  tree.file('usr/share/doc/weir/copyright', licences);
  return tree;
}

function belongs(path: string, wanted: ImagePackage | undefined): boolean {
  if (wanted === undefined) return false;
  if (path === `usr/share/doc/${wanted.name}/copyright`) return true;
  const inside = path.replace(/^(?=lib(?:64)?\/|s?bin\/)/u, 'usr/');
  return wanted.only === undefined
    ? !EXCLUDED.some((glob) => matchesGlob(inside, glob))
    : wanted.only.some((glob) => matchesGlob(inside, glob));
}
