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

test('many definitions of one object cost in proportion to their number, and few findings', () => {
  const many = 20_000;
  let compared = 0;
  const index = new ManifestIndex(() => {
    compared += 1;
    return 0;
  });
  const item = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } });
  const list = (first: string) => `{"kind": "List", "items": [\n${[first, ...Array(many).fill(item)].join(',\n')}\n]}`;
  index.replace(readManifest('a.json', list(item)));
  const { changes, findings } = index.take();
  assert.equal(changes.length, 1);
  assert.equal(findings.get('a.json')?.length, 10);
  assert.match(findings.get('a.json')?.at(-1)?.message ?? '', /so are 19990 more after it in this file/u);
  index.replace(readManifest('a.json', list('{"kind": "Pod"}'), index.get('a.json')));
  assert.deepEqual(summary(index.take()), []);
  index.remove('a.json');
  assert.deepEqual(summary(index.take()), ['delete ConfigMap/default/b']);
  assert.ok(compared < 10 * many, `${compared} comparisons`);
});

test('one object in many files costs in proportion to their number, also when they go one by one', () => {
  const many = 2_000;
  let compared = 0;
  const index = new ManifestIndex(() => {
    compared += 1;
    return 0;
  });
  const name = (number: number) => `${String(number).padStart(5, '0')}.yaml`;
  for (let number = many - 1; number >= 0; number -= 1) index.replace(readManifest(name(number), service('web')));
  assert.equal(index.take().findings.size, many);
  for (let number = many - 1; number > 0; number -= 1) index.remove(name(number));
  const { changes, findings } = index.take();
  assert.deepEqual([changes, findings.size], [[], many - 1]);
  assert.ok(compared < 10 * many, `${compared} comparisons`);
});

test('another definition added to many makes findings anew only for its own file', () => {
  const index = indexOf({ 'a.yaml': service('web'), 'b.yaml': service('web') });
  index.take();
  index.replace(readManifest('c.yaml', service('web')));
  assert.deepEqual([...index.take().findings.keys()], ['c.yaml']);
});
