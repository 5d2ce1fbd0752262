import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { thisRelease } from './debian-release.ts';

test('the release is read where it is Debian 12 or 13, and nothing else is taken for one', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-release-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'os-release');
  const read = (text: string) => {
    writeFileSync(file, text);
    return thisRelease(file);
  };
  assert.equal(read('PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nVERSION_CODENAME=trixie\nID=debian\n'), 'trixie');
  assert.equal(read('ID="debian"\nVERSION_CODENAME="bookworm"\n'), 'bookworm');
  assert.equal(read('ID=debian\nVERSION_CODENAME=bullseye\n'), undefined);
  assert.equal(read('ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n'), undefined);
  assert.equal(thisRelease(join(folder, 'gone')), undefined);
});
