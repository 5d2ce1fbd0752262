import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { OtherNginxCache } from './other-nginx-cache.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-cache-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const unpack = async (scratch: string) => {
  mkdirSync(join(scratch, 'usr/sbin'), { recursive: true });
  writeFileSync(join(scratch, 'usr/sbin/nginx'), '');
};

test('a tree counts once it is whole, and only where it was unpacked for', async (t) => {
  const folder = folderOf(t);
  const cache = new OtherNginxCache('trixie', folder);
  assert.equal(cache.read(), undefined);
  await assert.rejects(
    cache.fill(async (scratch) => {
      await unpack(scratch);
      throw new Error('half way');
    }),
    /half way/u,
  );
  assert.deepEqual([cache.read(), readdirSync(folder)], [undefined, []]);
  await cache.fill(unpack);
  assert.deepEqual(cache.read(), { kind: 'here', executable: join(folder, 'trixie/usr/sbin/nginx') });
  assert.equal(new OtherNginxCache('bookworm', folder).read(), undefined);

  const elsewhere = folderOf(t);
  renameSync(join(folder, 'trixie'), join(elsewhere, 'trixie'));
  assert.equal(new OtherNginxCache('trixie', elsewhere).read(), undefined);
});

test('a failure is believed for an hour, and forgotten when a tree is there', async (t) => {
  const folder = folderOf(t);
  const cache = new OtherNginxCache('trixie', folder);
  cache.noteFailure('no mirror answers');
  assert.deepEqual(cache.read(), { kind: 'missing', why: 'no mirror answers' });
  const before = Date.now() / 1000 - 3700;
  utimesSync(join(folder, 'trixie.missing'), before, before);
  assert.equal(cache.read(), undefined);
  cache.noteFailure('no mirror answers');
  await cache.fill(unpack);
  assert.equal(cache.read()?.kind, 'here');
});
