import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Finding } from '../../diagnostics/finding.ts';
import { FindingLocator } from './finding-locator.ts';

const about: Finding = {
  code: 'WEIR0100',
  severity: 'error',
  object: { kind: 'Namespace', namespace: '', name: 'team' },
  field: 'metadata.name',
  message: '',
  fix: '',
};
const manifest = (blank: string) => `${blank}apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n`;

test('a finding is placed in the file as it is now, however soon after another look', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'weir-locator-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'a.yaml');
  const locator = new FindingLocator();
  t.after(() => locator.close());
  const place = () => {
    const { line, column } = locator.locate({ ...about, file, line: 1 });
    return [line, column];
  };
  writeFileSync(file, manifest(''));
  assert.deepEqual(place(), [3, 18]);
  writeFileSync(file, manifest('# one\n# two\n'));
  assert.deepEqual(place(), [5, 18]);
  rmSync(file);
  assert.deepEqual(place(), [1, undefined]);
});

test('text that is no file is looked into as it was given', () => {
  const locator = new FindingLocator(new Map([['-', manifest('\n')]]));
  const { line, column } = locator.locate({ ...about, file: '-', line: 1 });
  locator.close();
  assert.deepEqual([line, column], [4, 18]);
});
