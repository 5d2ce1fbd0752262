import { describe, test } from 'node:test';
import { findNginx, type NginxInstallation } from '../../src/drivers/nginx/supervisor/nginx-installation.ts';
import { otherRelease, thisRelease } from '../../tools/other-nginx/debian-release.ts';
import { OtherNginxCache } from '../../tools/other-nginx/other-nginx-cache.ts';
import { NginxUnderTest } from './nginx-under-test.ts';

interface Missing {
  readonly why: string;
}

/**
 * Runs tests on every nginx that weir ships on: `define` is the body of a suite of its own for each. One that isn't here
 * is reported as a skipped test, with the reason. `make test` fetches it (tools/other-nginx.ts).
 */
export async function forEachNginx(define: (nginx: NginxUnderTest) => void): Promise<void> {
  for (const found of [await findNginx(), await otherInstallation()]) {
    if ('why' in found) {
      test('tests on the nginx of the other Debian release', { skip: found.why }, () => {});
    } else {
      const nginx = new NginxUnderTest(found);
      describe(nginx.name, () => define(nginx));
    }
  }
}

async function otherInstallation(): Promise<NginxInstallation | Missing> {
  const release = thisRelease();
  if (release === undefined) return { why: 'this machine runs neither Debian 12 nor Debian 13' };
  const cached = new OtherNginxCache(otherRelease(release)).read();
  if (cached === undefined) return { why: 'it was not fetched yet: make other-nginx' };
  return cached.kind === 'here' ? findNginx(cached.executable) : cached;
}
