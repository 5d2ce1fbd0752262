import { execFile } from 'node:child_process';
import { globSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { NotToBeHad } from './not-to-be-had.ts';

const run = promisify(execFile);

/**
 * Unpacks Debian packages below `scratch` and makes their nginx start by itself once the tree stands at `root`: with the
 * C library and everything else of its own release, so that it is the nginx of that release and not of this machine.
 * `patchelf` must be among the packages.
 */
export async function unpackPackages(packages: readonly string[], scratch: string, root: string): Promise<void> {
  // Before Debian 13 packages still put libraries into /lib, which is the same folder on every installed system.
  for (const name of ['lib', 'lib64', 'bin', 'sbin']) {
    mkdirSync(join(scratch, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(scratch, name));
  }
  for (const file of packages) {
    const script = 'dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink --no-same-owner -C "$2"';
    await run('sh', ['-c', script, 'sh', file, scratch]);
  }
  const nginx = join(scratch, 'usr/sbin/nginx');
  const tool = join(scratch, 'usr/bin/patchelf');
  // The link to it that programs name may be absolute, and would lead out of the tree.
  const [loader] = globSync(join(scratch, 'usr/lib/*/ld-linux-*.so.*'));
  if (loader === undefined) throw new NotToBeHad('its packages hold no loader of programs');
  const at = (path: string) => join(root, relative(scratch, path));
  // An rpath, not a runpath: only that also holds for what the libraries and modules need in their turn.
  const changes = ['--set-interpreter', at(loader), '--force-rpath', '--set-rpath', at(dirname(loader))];
  await run(loader, ['--library-path', dirname(loader), tool, ...changes, nginx]);
  for (const name of ['usr/share/doc', 'usr/share/man', 'usr/share/locale']) {
    rmSync(join(scratch, name), { recursive: true, force: true });
  }
}
