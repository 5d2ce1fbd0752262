import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { finding } from '../../diagnostics/catalogue.ts';
import { SOURCE_FINDINGS } from '../../diagnostics/sources.ts';
import { ManifestsUnavailable } from './manifests-unavailable.ts';
import { readManifests } from './read-manifests.ts';

const service = (name: string) => `apiVersion: v1\nkind: Service\nmetadata:\n  name: ${name}\n`;

function folder(t: TestContext): string {
  const made = mkdtempSync(path.join(tmpdir(), 'weir-once-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const names = (changes: Awaited<ReturnType<typeof readManifests>>['changes']) =>
  changes.map((change) => (change.type === 'put' ? change.resource.ref.name : `deleted ${change.ref.name}`));

test('a folder, a file and standard input are read together, each object once', async (t) => {
  const at = folder(t);
  mkdirSync(path.join(at, 'd/sub'), { recursive: true });
  writeFileSync(path.join(at, 'd/b.yaml'), service('b'));
  writeFileSync(path.join(at, 'd/sub/a.yaml'), service('a'));
  writeFileSync(path.join(at, 'file.txt'), service('c'));
  const paths = [path.join(at, 'd'), path.join(at, 'file.txt'), '-', path.join(at, 'd/sub')];
  const { changes, findings } = await readManifests(paths, { stdin: service('d') });
  assert.deepEqual([names(changes).sort(), findings], [['a', 'b', 'c', 'd'], []]);
});

test('findings about standard input are placed in it', async () => {
  const { changes, locate } = await readManifests(['-'], { stdin: `# head\n${service('a')}` });
  const [change] = changes;
  assert.ok(change?.type === 'put');
  assert.equal(change.resource.place?.file, '<stdin>');
  const origin = { object: change.resource.ref, field: 'metadata.name', file: '<stdin>', line: 2 };
  const placed = await locate(finding(SOURCE_FINDINGS.nameInvalid, origin, ''));
  assert.deepEqual([placed.line, placed.column], [5, 9]);
});

test('a broken file is a finding with line and column; the others are read', async (t) => {
  const at = folder(t);
  writeFileSync(path.join(at, 'a.yaml'), service('a'));
  writeFileSync(path.join(at, 'bad.yaml'), 'a: [1\nb: 2\n');
  const { changes, findings } = await readManifests([at]);
  assert.deepEqual(names(changes), ['a']);
  assert.deepEqual(
    findings.map((about) => [about.code, about.file, about.line, typeof about.column]),
    [['WEIR0003', path.join(at, 'bad.yaml'), 2, 'number']],
  );
});

test('a file or folder whose name is not UTF-8 is a finding, and one with the replacement character is read', async (t) => {
  const at = folder(t);
  const named = (...bytes: (string | number)[]) =>
    Buffer.concat([`${at}/`, ...bytes].map((part) => Buffer.from(typeof part === 'string' ? part : [part])));
  writeFileSync(named('caf', 0xe9, '.yaml'), service('a'));
  writeFileSync(named('caf', 0xe9, '.txt'), service('a'));
  writeFileSync(named('\u{FFFD}.yaml'), service('b'));
  mkdirSync(named('d', 0xff));
  const { changes, findings } = await readManifests([at]);
  assert.deepEqual(names(changes), ['b']);
  assert.deepEqual(findings.map(({ code, message, file }) => [code, message, file]).sort(), [
    ['WEIR0002', `${at}/caf\\xE9.yaml is not read, because its name is not UTF-8.`, at],
    ['WEIR0002', `${at}/d\\xFF is not read, because its name is not UTF-8.`, at],
  ]);
});

test('a path that is missing is refused with a code and its name', async (t) => {
  const missing = path.join(folder(t), 'missing');
  await assert.rejects(readManifests([missing]), (error) => {
    assert.ok(error instanceof ManifestsUnavailable);
    assert.deepEqual([error.code, error.path], ['MANIFESTS_UNAVAILABLE', missing]);
    return true;
  });
});
