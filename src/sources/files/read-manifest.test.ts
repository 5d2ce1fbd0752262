import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceKey } from '../../snapshot/resource.ts';
import { type Manifest, readManifest } from './read-manifest.ts';

const service = (name: string, port = 80) =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\nspec: {ports: [{port: ${port}}]}\n`;
const read = (text: string, previous?: Manifest) => readManifest('a.yaml', text, previous);
const keys = (manifest: Manifest) => manifest.resources.map((resource) => resourceKey(resource.ref));
const codes = (manifest: Manifest) => manifest.findings.map((finding) => finding.code);
const ports = (manifest: Manifest) =>
  manifest.resources.map((resource) => (resource.body as { spec: { ports: { port: number }[] } }).spec.ports[0]?.port);

test('namespaced kinds get the namespace default, cluster-wide kinds none', () => {
  const manifest = read(
    `${service('web')}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop, namespace: x}\n---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: weir}\n`,
  );
  assert.deepEqual(keys(manifest), ['Service/default/web', 'Namespace//shop', 'IngressClass//weir']);
});

test('a List gives its items, and an item without a kind takes that of its list', () => {
  const manifest = read(
    'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Service, metadata: {name: a}}\n- {apiVersion: v1, kind: Pod, metadata: {name: p}}\n' +
      '---\napiVersion: networking.k8s.io/v1\nkind: IngressList\nitems: [{metadata: {name: i}}]\n',
  );
  assert.deepEqual(keys(manifest), ['Service/default/a', 'Ingress/default/i']);
  assert.deepEqual(manifest.resources[1]?.place, { file: 'a.yaml', line: 7, document: 1, item: 0 });
  assert.deepEqual(codes(manifest), []);
});

test('other kinds, and kinds of other APIs with the same name, are passed over in silence', () => {
  const manifest = read(
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n---\napiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: a}\n',
  );
  assert.deepEqual([keys(manifest), codes(manifest)], [[], []]);
});

test('an Ingress of an API version that was removed is told to be converted', () => {
  for (const version of ['extensions/v1beta1', 'networking.k8s.io/v1beta1']) {
    const manifest = read(`apiVersion: ${version}\nkind: Ingress\nmetadata: {name: old}\n`);
    assert.deepEqual(codes(manifest), ['WEIR0011']);
    assert.deepEqual(manifest.findings[0]?.object, { kind: 'Ingress', namespace: 'default', name: 'old' });
    assert.match(manifest.findings[0]?.fix ?? '', /networking\.k8s\.io\/v1/);
  }
});

test('a document without kind, name or sense is a finding and costs the others nothing', () => {
  const cases: readonly [string, string][] = [
    ['just text', 'WEIR0008'],
    ['metadata: {name: a}', 'WEIR0008'],
    ['kind: Service\nmetadata: {name: a}', 'WEIR0008'],
    ['apiVersion: v1\nkind: Service', 'WEIR0009'],
    ['apiVersion: v1\nkind: Service\nmetadata: {generateName: a-}', 'WEIR0009'],
    ['apiVersion: v1\nkind: Service\nmetadata: {name: 123}', 'WEIR0009'],
    ['apiVersion: v1\nkind: Service\nmetadata: {name: "a/b\\n"}', 'WEIR0010'],
    ['apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: "x/y"}', 'WEIR0010'],
    ['apiVersion: v1\nkind: Service\nmetadata: {name: a, labels: {b: "\\ud800"}}', 'WEIR0018'],
    ['apiVersion: "v1;"\nkind: Service\nmetadata: {name: a}', 'WEIR0008'],
    ['apiVersion: v1\nkind: Ingress\nmetadata: {name: a}', 'WEIR0011'],
  ];
  for (const [text, code] of cases) {
    const manifest = read(`${text}\n---\n${service('good')}`);
    assert.deepEqual(codes(manifest), [code], text);
    assert.deepEqual(keys(manifest), ['Service/default/good'], text);
  }
});

test('an object of 2 MB is refused by name, and the others are served', () => {
  const big = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: big}\ndata: {x: "${'x'.repeat(2_000_000)}"}\n`;
  const manifest = read(`${big}---\n${service('web')}`);
  assert.deepEqual(codes(manifest), ['WEIR0007']);
  assert.equal(manifest.findings[0]?.object.name, 'big');
  assert.deepEqual(keys(manifest), ['Service/default/web']);
});

test('a document of 4 MB is not even parsed, unless it is a List', () => {
  const text = 'x'.repeat(1_000_000);
  const item = (name: string) => `- {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: ${text}}}\n`;
  const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { x: text } });
  const list = `apiVersion: v1\nkind: List\nitems:\n${['a', 'b', 'c', 'd'].map(item).join('')}`;
  assert.deepEqual([codes(read(list)), read(list).resources.length], [[], 4]);
  const json = (kind: string) =>
    JSON.stringify({ apiVersion: 'v1', kind, items: ['a', 'b', 'c', 'd'].map((name) => configMap(name)) });
  assert.deepEqual([codes(read(json('List'))), read(json('List')).resources.length], [[], 4]);
  assert.deepEqual(codes(read(json('Thing'))), ['WEIR0007']);
  const other = `apiVersion: v1\nkind: Thing\nitems:\n${['a', 'b', 'c', 'd'].map(item).join('')}`;
  assert.deepEqual(codes(read(other)), ['WEIR0007']);
});

test('on a first reading the good documents of a broken file count', () => {
  const manifest = read(`${service('a')}---\na: "\n---\n${service('b')}`);
  assert.deepEqual(keys(manifest), ['Service/default/a', 'Service/default/b']);
  assert.deepEqual([codes(manifest), manifest.complete], [['WEIR0003'], false]);
  assert.equal(manifest.findings[0]?.line, 7);
});

test('a file that was good keeps all it gave while a document of it is broken, and heals', () => {
  const good = read(`${service('a')}---\n${service('b')}`);
  const broken = read(`${service('a', 81)}---\na: "\n`, good);
  assert.deepEqual([keys(broken), ports(broken)], [keys(good), [80, 80]]);
  const again = read(`${service('a', 82)}---\nb: "\n`, broken);
  assert.deepEqual(ports(again), [80, 80]);
  const healed = read(service('a', 83), again);
  assert.deepEqual([keys(healed), ports(healed), codes(healed)], [['Service/default/a'], [83], []]);
});

test('an object that can no longer be used keeps what it said; the rest of the file goes on', () => {
  const before = read(`${service('a')}---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\n`);
  const after = read(
    `${service('a', 81)}---\napiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: i}\n`,
    before,
  );
  assert.deepEqual([...keys(after)].sort(), ['Ingress/default/i', 'Service/default/a']);
  assert.deepEqual(codes(after), ['WEIR0011']);
});

test('a document that only moved, or whose comments changed, is not taken for changed', () => {
  const before = read(`${service('a')}---\n${service('b')}`);
  const after = read(`# new\n${service('a')}---\n\n# more\n${service('b')}`, before);
  assert.deepEqual(
    after.resources.map((resource, index) => resource.saysSameAs(before.resources[index]!)),
    [true, true],
  );
  assert.deepEqual(
    after.resources.map((resource) => resource.place?.line),
    [2, 9],
  );
});

test('a kind that differs only in case is told with its spelling, in a group that fits, and nothing given disappears', () => {
  const good = read(service('web'));
  const misspelt = read(service('web').replace('Service', 'service'), good);
  assert.deepEqual([keys(misspelt), codes(misspelt)], [['Service/default/web'], ['WEIR0016']]);
  assert.equal(misspelt.findings[0]?.fix, 'Write kind: Service.');
  assert.deepEqual(codes(read('apiVersion: serving.knative.dev/v1\nkind: service\nmetadata: {name: a}\n')), []);
});

test('that a kind of the Gateway API is not read yet is said once in a file', () => {
  const route = (kind: string, name: string) =>
    `---\napiVersion: gateway.networking.k8s.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\n`;
  const manifest = read(
    route('HTTPRoute', 'a') + route('HTTPRoute', 'b') + route('Gateway', 'c') + `---\n${service('web')}`,
  );
  assert.deepEqual(codes(manifest), ['WEIR0017', 'WEIR0017']);
  assert.deepEqual(
    manifest.findings.map(({ severity, line, message }) => [severity, line, /"(\w+)"/.exec(message)?.[1]]),
    [
      ['info', 2, 'HTTPRoute'],
      ['info', 10, 'Gateway'],
    ],
  );
  assert.deepEqual([keys(manifest), manifest.broken], [['Service/default/web'], false]);
});

test('other documents of a broken file are spoken of only where there are any', () => {
  assert.doesNotMatch(read('a: [').findings[0]!.message, /other documents/);
  assert.match(read(`${service('web')}---\na: [`).findings[0]!.message, /The other documents of this file count\.$/);
});

test('of many findings of one code in a file the first are listed and the rest counted', () => {
  const { findings } = readManifest('a.yaml', `{"kind": "List", "items": [${Array(700).fill('1').join()}]}`);
  assert.equal(findings.length, 501);
  assert.match(findings.at(-1)?.message ?? '', /There are 199 more findings of this code in the file/u);
});
