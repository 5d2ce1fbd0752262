import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { CATALOGUE } from './catalogue.ts';

test('the committed reference pages are what the tables say', () => {
  const tool = join(import.meta.dirname, '../../tools/generate-reference.ts');
  const { status, stderr } = spawnSync(process.execPath, [tool, '--check'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

test('every code stands for one kind of finding and is in the range of its part', () => {
  const codes = CATALOGUE.map(({ code }) => code);
  assert.equal(new Set(codes).size, codes.length);
  for (const code of codes) assert.match(code, /^WEIR[0-9]{4}$/);
});

test('every kind of finding says what it means and what to do', () => {
  for (const { code, title, explanation, fix } of CATALOGUE) {
    assert.ok(title !== '' && explanation !== '' && fix !== '', code);
  }
});
