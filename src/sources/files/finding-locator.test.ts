import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Finding } from '../../diagnostics/finding.ts';
import { DocumentPlaces } from './document-places.ts';
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

test('a finding is placed in the file as it is now, however soon after another look', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'weir-locator-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'a.yaml');
  const locator = new FindingLocator();
  t.after(() => locator.close());
  const place = async () => {
    const { line, column } = await locator.locate({ ...about, file, line: 1 });
    return [line, column];
  };
  writeFileSync(file, manifest(''));
  assert.deepEqual(await place(), [3, 18]);
  writeFileSync(file, manifest('# one\n# two\n'));
  assert.deepEqual(await place(), [5, 18]);
  rmSync(file);
  assert.deepEqual(await place(), [1, undefined]);
});

test('text that is no file is looked into as it was given', async () => {
  const locator = new FindingLocator(new Map([['-', manifest('\n')]]));
  const { line, column } = await locator.locate({ ...about, file: '-', line: 1 });
  locator.close();
  assert.deepEqual([line, column], [4, 18]);
});

test('findings asked for together are placed with each document parsed once, and others run meanwhile', async () => {
  const many = 3_000;
  const names = Array.from({ length: many }, (_, number) => `n${number}`);
  const list = JSON.stringify(
    { kind: 'NamespaceList', apiVersion: 'v1', items: names.map((name) => ({ metadata: { name } })) },
    null,
    1,
  );
  let parsed = 0;
  const locator = new FindingLocator(new Map(['a', 'b'].map((file) => [file, list])), (document) => {
    parsed += 1;
    return new DocumentPlaces(document);
  });
  const object = (name: string) => ({ ...about.object, name });
  const asked = names.flatMap((name) =>
    ['a', 'b'].map((file) => locator.locate({ ...about, object: object(name), file, line: 1 })),
  );
  let turns = 0;
  const interval = setInterval(() => (turns += 1), 1);
  const located = await Promise.all(asked);
  clearInterval(interval);
  locator.close();
  assert.equal(parsed, 2);
  assert.deepEqual(
    located.map(({ line }) => line),
    names.flatMap((_, number) => [7 + 5 * number, 7 + 5 * number]),
  );
  assert.ok(turns > 0);
});
