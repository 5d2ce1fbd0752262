import { join } from 'node:path';
import type { BuildCache } from '../build/build-cache.ts';
import { VERSIONS } from '../versions.ts';
import { type ImageSpec, writeOciArchive } from './oci-archive.ts';

/** The images that every node of the test cluster has. The names belong to no registry: nothing is ever pulled. */
export const IMAGES = {
  pause: 'weir.test/pause:1',
  echo: 'weir.test/echo:1',
  coredns: `weir.test/coredns:${VERSIONS.coredns}`,
} as const;

/** Path of the OCI archive of one of them, which holds nothing but this executable. */
export async function buildImage(cache: BuildCache, name: keyof typeof IMAGES, executable: string): Promise<string> {
  const image: ImageSpec = {
    name: IMAGES[name],
    files: { [`/${name}`]: executable },
    entrypoint: [`/${name}`],
  };
  const folder = await cache.folder(`image-${name}`, ['1', JSON.stringify(image)], (scratch) =>
    writeOciArchive(image, join(scratch, 'image.tar')),
  );
  return join(folder, 'image.tar');
}
