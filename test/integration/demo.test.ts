import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

test('the demo answers as it prints, and follows an edit', () => {
  const ran = spawnSync(process.execPath, ['tools/demo.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
    timeout: 180_000,
  });
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /All as printed\.\n$/);
});
