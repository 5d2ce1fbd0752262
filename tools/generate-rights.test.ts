import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chartRights, rightsFile } from './generate-rights.ts';

test('the rights that the chart grants are those that the code declares', () => {
  const file = join(import.meta.dirname, '../deploy/helm/weir/files/rights.json');
  assert.equal(readFileSync(file, 'utf8'), rightsFile(), 'Run `node tools/generate-rights.ts`.');
});

test('no right is given by a wildcard, and each says why', () => {
  for (const rule of Object.values(chartRights()).flat()) {
    for (const word of [...rule.apiGroups, ...rule.resources, ...rule.verbs]) assert.notEqual(word, '*');
    assert.match(rule.why, /\.$/u);
  }
});
