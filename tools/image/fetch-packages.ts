import { execFile } from 'node:child_process';
import { chmodSync, globSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { thisRelease } from '../other-nginx/debian-release.ts';
import { NotToBeHad } from '../other-nginx/not-to-be-had.ts';
import { PrivateApt } from '../other-nginx/private-apt.ts';
import type { FileEntry } from './file-entry.ts';
import { readTar } from './read-tar.ts';

const run = promisify(execFile);
const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/weir-image');

/** A Debian package as it was downloaded. */
export interface DebianPackage {
  readonly name: string;
  /** Its control file, which says version, source and licence-relevant facts to scanners. */
  readonly control: string;
  readonly entries: readonly FileEntry[];
}

/** The newest version of each package that the mirrors of this machine have; without them those fetched before, and a word. */
export async function fetchPackages(release: string, names: readonly string[]): Promise<readonly DebianPackage[]> {
  const here = thisRelease();
  if (here === undefined) throw new NotToBeHad('this machine runs neither Debian 12 nor Debian 13');
  const cache = join(CACHE, release);
  mkdirSync(cache, { recursive: true });
  // apt downloads as an account that may do nothing else, if that can get there.
  chmodSync(cache, 0o755);
  const paths = await new PrivateApt(cache).download(here, release, names).catch((error: unknown) => {
    const before = globSync(join(cache, 'cache/archives/*.deb')).toSorted();
    if (!(error instanceof NotToBeHad) || before.length === 0) throw error;
    console.error(`image: ${error.message}. The packages that were fetched before are taken, without later fixes.`);
    return before;
  });
  return Promise.all(names.map((name) => readPackage(name, paths)));
}

async function readPackage(name: string, paths: readonly string[]): Promise<DebianPackage> {
  const found = paths.filter((path) => path.slice(path.lastIndexOf('/') + 1).startsWith(`${name}_`));
  const [path] = found;
  if (path === undefined || found.length > 1) throw new NotToBeHad(`${found.length} versions of ${name} were fetched`);
  const options = { encoding: 'buffer', maxBuffer: 512 * 1024 * 1024 } as const;
  const [{ stdout: control }, { stdout: archive }] = await Promise.all([
    run('dpkg-deb', ['--field', path], options),
    run('dpkg-deb', ['--fsys-tarfile', path], options),
  ]);
  return { name, control: control.toString(), entries: readTar(archive) };
}
