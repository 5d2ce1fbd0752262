import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildDataplane } from '../../tools/build-dataplane.ts';

describe('the compiled data plane', () => {
  it('is built once for the same sources', async () => {
    const [first, second] = await Promise.all([buildDataplane(), buildDataplane()]);
    assert.deepEqual(first, second);
    assert.match(first.hash, /^[0-9a-f]{16}$/);
  });

  it('needs no runtime library of the compiler, and never makes code of data', async () => {
    const { dir } = await buildDataplane();
    const files = globSync('**/*.lua', { cwd: dir });
    assert.ok(files.includes('weir.lua') && files.length > 50);
    for (const file of files) {
      const text = readFileSync(join(dir, file), 'utf8');
      assert.ok(!text.includes('lualib'), file);
      assert.ok(!/\b(?:load|loadstring|loadfile|dofile)\s*\(/.test(text), file);
      for (const [, name] of text.matchAll(/require\(([^)]*)\)/g)) assert.match(name ?? '', /^"[\w.-]+"$/, file);
    }
  });
});
