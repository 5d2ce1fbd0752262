import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEBIAN_NUMBER, otherRelease, thisRelease } from './other-nginx/debian-release.ts';
import { NotToBeHad } from './other-nginx/not-to-be-had.ts';
import { type CachedNginx, OtherNginxCache } from './other-nginx/other-nginx-cache.ts';
import { PrivateApt } from './other-nginx/private-apt.ts';
import { unpackPackages } from './other-nginx/unpack-packages.ts';

const PACKAGES = ['nginx', 'libnginx-mod-http-lua', 'libnginx-mod-stream', 'lua-resty-core', 'lua-cjson', 'patchelf'];

/** The nginx of the Debian release that this machine does not run: the one in the cache, else it is fetched. */
export async function otherNginx(again = false): Promise<CachedNginx> {
  const here = thisRelease();
  if (here === undefined) return { kind: 'missing', why: 'this machine runs neither Debian 12 nor Debian 13' };
  const wanted = otherRelease(here);
  const cache = new OtherNginxCache(wanted);
  const known = again ? undefined : cache.read();
  if (known !== undefined) return known;
  const apt = mkdtempSync(join(tmpdir(), 'weir-apt-'));
  // apt downloads as an account that may do nothing else, if that can get there.
  chmodSync(apt, 0o755);
  try {
    const packages = await new PrivateApt(apt).download(here, wanted, PACKAGES);
    await cache.fill((scratch, root) => unpackPackages(packages, scratch, root));
  } catch (error) {
    if (!(error instanceof NotToBeHad)) throw error;
    cache.noteFailure(`nginx of Debian ${DEBIAN_NUMBER[wanted]} could not be fetched: ${error.message}`);
  } finally {
    rmSync(apt, { recursive: true, force: true });
  }
  return cache.read()!;
}

if (import.meta.main) {
  const found = await otherNginx(process.argv.includes('--again'));
  if (found.kind === 'here') console.log(found.executable);
  else console.error(`other-nginx: ${found.why}; the tests of test/platform/ skip it`);
}
