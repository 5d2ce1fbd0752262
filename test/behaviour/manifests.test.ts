import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, startBackend } from '../support/backends/echo-backend.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { backendService, endpointSlice, ingress, service } from '../support/manifests.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: ServedFolder;
let second: ManifestFolder;
let one: Backend;
let two: Backend;

before(async () => {
  one = await startBackend(scope, { name: 'one' });
  two = await startBackend(scope, { name: 'two', address: '127.0.0.2' });
  second = new ManifestFolder(scope);
  site = await ServedFolder.start(scope, { also: [second.path] });
  await site.write('backends.yaml', [
    ...backendService({ name: 'one', endpoints: [one] }),
    ...backendService({ name: 'two', endpoints: [two] }),
  ]);
});

/** An Ingress as people write it. */
function yaml(name: string, to: string): string {
  return [
    'apiVersion: networking.k8s.io/v1',
    'kind: Ingress',
    'metadata:',
    `  name: ${name}`,
    'spec:',
    '  rules:',
    `    - host: ${name}.test # a comment`,
    '      http:',
    '        paths:',
    '          - path: /',
    '            pathType: Prefix',
    `            backend: {service: {name: ${to}, port: {number: 80}}}`,
    '',
  ].join('\n');
}

test('a folder is served with its sub-folders, and nothing else that lies in it', async () => {
  site.folder.write('README.md', '# Not a manifest: {');
  site.folder.write('team/deep/shop.yaml', yaml('shop', 'one'));
  await site.weir.settled();
  assert.equal(await site.answer('shop.test'), 'one');
  assert.deepEqual(await site.findings(), []);
});

test('several folders are served together; of an object that two define, the first folder’s counts', async () => {
  site.folder.write('mine.yaml', yaml('mine', 'one'));
  second.write('theirs.yaml', yaml('theirs', 'two'));
  second.write('mine.yaml', yaml('mine', 'two'));
  await site.weir.settled();
  assert.equal(await site.answer('theirs.test'), 'two');
  assert.equal(await site.answer('mine.test'), 'one');
  await site.reports({
    code: 'WEIR0012',
    severity: 'warning',
    object: 'Ingress default/mine',
    field: 'metadata.name',
    file: `${second.path}/mine.yaml`,
    at: 'mine\nspec',
  });
  second.remove('mine.yaml');
  await site.weir.settled();
  assert.deepEqual(await site.findings('name=mine'), []);
});

test('YAML is read, with the scalars of YAML 1.1 that Kubernetes knows', async () => {
  await site.write(
    'yaml.yaml',
    yaml('yaml', 'one').replace(
      'metadata:\n',
      'metadata:\n  labels: {"on": "yes"}\n  creationTimestamp: 2026-01-01T00:00:00Z\n',
    ),
  );
  await site.write('yaml.yml', yaml('yml', 'two'));
  assert.equal(await site.answer('yaml.test'), 'one');
  assert.equal(await site.answer('yml.test'), 'two');
  assert.deepEqual(await site.findings(), []);
});

test('JSON is read', async () => {
  const object = ingress({ name: 'json', host: 'json.test', paths: [{ service: 'two' }] });
  await site.write('one-line.json', JSON.stringify(object));
  assert.equal(await site.answer('json.test'), 'two');
});

test('one file may hold many documents', async () => {
  const documents = ['---', yaml('doc-a', 'one'), '---', '# nothing but a comment', '---', yaml('doc-b', 'two')];
  await site.write('documents.yaml', documents.join('\n'));
  assert.equal(await site.answer('doc-a.test'), 'one');
  assert.equal(await site.answer('doc-b.test'), 'two');
  assert.deepEqual(await site.findings(), []);
});

test('Lists of every kind are read as their items', async () => {
  const list = (kind: string, apiVersion: string, items: readonly object[]) =>
    JSON.stringify({ kind, apiVersion, items });
  await site.write(
    'lists.yaml',
    [
      list('List', 'v1', [ingress({ name: 'list', host: 'list.test', paths: [{ service: 'listed' }] })]),
      list('IngressList', 'networking.k8s.io/v1', [
        ingress({ name: 'typed', host: 'typed.test', paths: [{ service: 'listed' }] }),
      ]),
      list('ServiceList', 'v1', [service({ name: 'listed' })]),
      list('EndpointSliceList', 'discovery.k8s.io/v1', [
        endpointSlice({ name: 'listed', ports: two.port, endpoints: [two.address] }),
      ]),
    ].join('\n---\n'),
  );
  assert.equal(await site.answer('list.test'), 'two');
  assert.equal(await site.answer('typed.test'), 'two');
});

test('a broken file keeps its last good objects, is reported at its place, and heals when it is mended', async () => {
  const good = `${yaml('keeps-a', 'one')}---\n${yaml('keeps-b', 'one')}`;
  await site.write('keeps.yaml', good);
  const broken = good.replace('name: keeps-b\n', 'name: "keeps-b\n').replace('name: one', 'name: two');
  await site.write('keeps.yaml', broken);
  assert.equal(await site.answer('keeps-a.test'), 'one');
  assert.equal(await site.answer('keeps-b.test'), 'one');
  assert.equal(await site.answer('shop.test'), 'one');
  await site.reports({
    code: 'WEIR0003',
    severity: 'error',
    object: 'File',
    field: '',
    file: 'keeps.yaml',
    // Only here the text can't go on: a quote may hold lines.
    at: 'spec:\n  rules:\n    - host: keeps-b',
    message: /last read from this file stay in force/,
  });
  await site.write('keeps.yaml', good.replaceAll('name: one', 'name: two'));
  assert.equal(await site.answer('keeps-a.test'), 'two');
  assert.equal(await site.answer('keeps-b.test'), 'two');
  assert.deepEqual(await site.findings(), []);
});

test('endpoints may be loopback addresses, of either family', async () => {
  const six = await startBackend(scope, { name: 'six', address: '::1' });
  const far = await startBackend(scope, { name: 'far', address: '127.9.9.9' });
  await site.write('loopback.yaml', [
    service({ name: 'six' }),
    endpointSlice({ name: 'six', ports: six.port, endpoints: ['::1'], addressType: 'IPv6' }),
    ...backendService({ name: 'far', endpoints: [far] }),
    ingress({ name: 'six', host: 'six.test', paths: [{ service: 'six' }, { service: 'far', path: '/far' }] }),
  ]);
  assert.equal(await site.answer('six.test'), 'six');
  assert.equal(await site.answer('six.test', '/far'), 'far');
  assert.deepEqual(await site.findings(), []);
});
