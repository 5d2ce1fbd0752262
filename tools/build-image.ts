import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { weirVersion } from '../src/lib/weir-version.ts';
import { fetchPackages } from './image/fetch-packages.ts';
import { IMAGE_PACKAGES, IMAGE_RELEASE } from './image/image-packages.ts';
import { IMAGE_START } from './image/image-config.ts';
import { missingFiles } from './image/missing-files.ts';
import { ociArchive } from './image/oci-archive.ts';
import { debianFiles, weirFiles } from './image/root-file-system.ts';
import { writeTar } from './image/write-tar.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Reads dist/weir; writes the image, and to `rootTar` its root file system alone where that is given. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { 'root-tar': { type: 'string' } } });
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`There is no image for ${process.arch}.`);
  const time = imageTime();
  const packages = await fetchPackages(
    IMAGE_RELEASE,
    IMAGE_PACKAGES.map(({ name }) => name),
  );
  const debian = debianFiles(packages, time);
  const executable = readFileSync(join(DIST, 'weir'));
  const weir = weirFiles({ executable, licences: readFileSync(join(DIST, 'weir.licences.txt')) }, time);
  const all = [...debian.entries(), ...weir.entries()];
  const missing = missingFiles(all);
  if (missing.length > 0)
    throw new Error(`The image would not start:\n${missing.join('\n')}\nAdd what has them to IMAGE_PACKAGES.`);
  mkdirSync(DIST, { recursive: true });
  if (values['root-tar'] !== undefined) return writeFileSync(values['root-tar'], writeTar(all));
  const name = `localhost/weir:${weirVersion()}`;
  const config = {
    architecture,
    ...IMAGE_START,
    labels: {
      'org.opencontainers.image.title': 'weir',
      'org.opencontainers.image.version': weirVersion(),
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.base.name': `debian:${IMAGE_RELEASE}`,
    },
  };
  const layers = [
    { comment: `Debian ${IMAGE_RELEASE}: nginx and what it needs`, tree: debian },
    { comment: 'weir', tree: weir },
  ];
  const image = await ociArchive(name, config, layers, time);
  const path = join(DIST, 'weir-image.tar');
  writeFileSync(path, image.archive);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  for (const { comment, unpacked, packed } of image.layers) {
    console.log(`  ${comment}: ${megabytes(unpacked)}, compressed ${megabytes(packed)}`);
  }
  console.log(`${relative(process.cwd(), path)}: ${name}, ${megabytes(image.archive.length)}, ${image.digest}`);
}

/** Seconds since 1970 that everything made here is dated: SOURCE_DATE_EPOCH, else the commit's time. */
function imageTime(): number {
  if (process.env.SOURCE_DATE_EPOCH !== undefined) return Number(process.env.SOURCE_DATE_EPOCH);
  if (!existsSync(join(ROOT, '.git'))) return 0;
  return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }));
}

await main();
