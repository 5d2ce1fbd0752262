import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceKey } from '../../snapshot/resource.ts';
import { type IndexChanges, ManifestIndex } from './manifest-index.ts';
import { readManifest } from './read-manifest.ts';

const service = (name: string, port = 80) =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\nspec: {ports: [{port: ${port}}]}\n`;

function summary({ changes }: IndexChanges): string[] {
  return changes.map((change) =>
    change.type === 'put'
      ? `put ${resourceKey(change.resource.ref)} ${change.resource.place?.file}`
      : `delete ${resourceKey(change.ref)}`,
  );
}

function indexOf(files: Readonly<Record<string, string>>): ManifestIndex {
  const index = new ManifestIndex((file) => (file.startsWith('second/') ? 1 : 0));
  for (const [file, text] of Object.entries(files)) index.replace(readManifest(file, text));
  return index;
}

test('of an object defined twice the first by path counts, and the finding names both places', () => {
  const index = indexOf({ 'b.yaml': service('web', 2), 'a.yaml': `# x\n${service('web', 1)}` });
  const taken = index.take();
  assert.deepEqual(summary(taken), ['put Service/default/web a.yaml']);
  const [finding] = taken.findings.get('b.yaml') ?? [];
  assert.deepEqual([finding?.code, finding?.file, finding?.line], ['WEIR0012', 'b.yaml', 1]);
  assert.match(finding?.message ?? '', /a\.yaml:2.*b\.yaml:1/);
  assert.deepEqual(taken.findings.get('a.yaml'), []);
});

test('a folder given earlier comes before one given later, whatever their names', () => {
  const index = indexOf({ 'second/a.yaml': service('web', 2), 'z.yaml': service('web', 1) });
  assert.deepEqual(summary(index.take()), ['put Service/default/web z.yaml']);
});

test('within a file the first definition counts', () => {
  const index = indexOf({ 'a.yaml': `${service('web', 1)}---\n${service('web', 2)}` });
  const { changes, findings } = index.take();
  assert.equal(changes.length, 1);
  assert.match(findings.get('a.yaml')?.[0]?.message ?? '', /a\.yaml:1.*a\.yaml:6/);
});

test('when the first goes, the second counts and its finding is gone', () => {
  const index = indexOf({ 'a.yaml': service('web', 1), 'b.yaml': service('web', 2) });
  index.take();
  index.remove('a.yaml');
  const taken = index.take();
  assert.deepEqual(summary(taken), ['put Service/default/web b.yaml']);
  assert.deepEqual([...taken.findings].map(([file, findings]) => [file, findings.length]).sort(), [
    ['a.yaml', 0],
    ['b.yaml', 0],
  ]);
});

test('editing one of many documents is one put, and none if only lines moved', () => {
  const many = Array.from({ length: 100 }, (_, i) => service(`s${i}`));
  const index = indexOf({ 'a.yaml': many.join('---\n') });
  index.take();
  const edit = (documents: readonly string[], head = '') =>
    index.replace(readManifest('a.yaml', head + documents.join('---\n'), index.get('a.yaml')));
  edit(many.with(50, service('s50', 81)), '# moved\n');
  assert.deepEqual(summary(index.take()), ['put Service/default/s50 a.yaml']);
  edit(many.with(50, service('s50', 81)), '# moved\n# more\n');
  assert.deepEqual(summary(index.take()), []);
  assert.equal(index.find({ kind: 'Service', namespace: 'default', name: 's0' })?.place?.line, 3);
});

test('an object that moves to another file is put, never deleted', () => {
  const index = indexOf({ 'a.yaml': service('web') });
  index.take();
  index.remove('a.yaml');
  index.replace(readManifest('b.yaml', service('web')));
  assert.deepEqual(summary(index.take()), ['put Service/default/web b.yaml']);
});
