import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { backendService, ingress, type Manifest } from '../support/manifests.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: ServedFolder;

before(async () => {
  site = await ServedFolder.start(scope);
  const services: Manifest[] = [];
  for (const [index, name] of ['one', 'two', 'three', 'four'].entries()) {
    const backend = await startBackend(scope, { name, address: `127.0.0.${index + 1}` });
    services.push(...backendService({ name, endpoints: [backend] }));
  }
  await site.write('services.yaml', services);
});

/** Paths with who answers them; undefined: the path itself is what is asked for below. */
async function answers(host: string, expected: Readonly<Record<string, string>>): Promise<void> {
  const actual: Record<string, string> = {};
  for (const path of Object.keys(expected)) actual[path] = await site.answer(host, path);
  assert.deepEqual(actual, expected);
}

test('an Exact path matches itself alone, with its case and without regard to the query', async () => {
  await site.write('exact.yaml', [
    ingress({ name: 'exact', host: 'exact.test', paths: [{ path: '/Shop', pathType: 'Exact', service: 'one' }] }),
  ]);
  await answers('exact.test', {
    '/Shop': 'one',
    '/Shop?q=/x': 'one',
    '/%53hop': 'one',
    '/shop': '404',
    '/Shop/': '404',
    '/Shop/a': '404',
    '/Shops': '404',
    '/': '404',
  });
});

test('a Prefix path matches by whole path elements', async () => {
  await site.write('prefix.yaml', [
    ingress({
      name: 'prefix',
      host: 'prefix.test',
      paths: [
        { path: '/a', service: 'one' },
        { path: '/slash/', service: 'two' },
      ],
    }),
  ]);
  await answers('prefix.test', {
    '/a': 'one',
    '/a/': 'one',
    '/a/b/c': 'one',
    '/a?x': 'one',
    '/x/../a/b': 'one',
    '/ab': '404',
    '/A': '404',
    '/slash': 'two',
    '/slash/': 'two',
    '/slash/x': 'two',
    '/slashed': '404',
    '/': '404',
  });
});

test('an ImplementationSpecific path matches whatever begins with its text', async () => {
  await site.write('specific.yaml', [
    ingress({
      name: 'specific',
      host: 'specific.test',
      paths: [{ path: '/img', pathType: 'ImplementationSpecific', service: 'one' }],
    }),
  ]);
  await answers('specific.test', {
    '/img': 'one',
    '/img/a.png': 'one',
    '/images': '404',
    '/imgs': 'one',
    '/im': '404',
  });
});

test('a path without a value is all paths', async () => {
  const object = ingress({ name: 'empty', host: 'empty.test', paths: [{ service: 'one' }] });
  delete object.spec?.rules?.[0]?.http?.paths[0]?.path;
  await site.write('empty.yaml', [object]);
  await answers('empty.test', { '/': 'one', '/any/thing': 'one' });
});

test('of several paths an Exact one wins, then the longest; written order has no say', async () => {
  await site.write('precedence.yaml', [
    ingress({
      name: 'precedence',
      host: 'precedence.test',
      paths: [
        { path: '/', service: 'one' },
        { path: '/a', service: 'two' },
        { path: '/a/b', service: 'three' },
        { path: '/a/b', pathType: 'Exact', service: 'four' },
        { path: '/a/b/cc', pathType: 'ImplementationSpecific', service: 'two' },
      ],
    }),
  ]);
  await answers('precedence.test', {
    '/': 'one',
    '/ab': 'one',
    '/a': 'two',
    '/a/x': 'two',
    '/a/b': 'four',
    '/a/b/': 'three',
    '/a/b/c': 'three',
    '/a/b/ccc': 'two',
  });
});

test('paths of one host may come from several Ingresses, also of several namespaces', async () => {
  const backend = await startBackend(scope, { name: 'other-team', address: '127.0.0.9' });
  await site.write('shared.yaml', [
    ingress({ name: 'shared-a', host: 'shared.test', paths: [{ path: '/', service: 'one' }] }),
    ingress({ name: 'shared-b', namespace: 'team', host: 'shared.test', paths: [{ path: '/team', service: 'one' }] }),
    ...backendService({ name: 'one', namespace: 'team', endpoints: [backend] }),
  ]);
  await answers('shared.test', { '/': 'one', '/team/x': 'other-team' });
});

test('between Ingresses with the same path the oldest wins, and the conflict is told at the loser', async () => {
  const old = ingress({
    name: 'z-older',
    host: 'contest.test',
    created: '2026-01-01T00:00:00Z',
    paths: [{ path: '/same', service: 'one' }],
  });
  const younger = [
    'apiVersion: networking.k8s.io/v1',
    'kind: Ingress',
    'metadata: {name: a-younger, creationTimestamp: "2026-02-01T00:00:00Z"}',
    'spec:',
    '  rules:',
    '    - host: contest.test',
    '      http:',
    '        paths:',
    '          - {path: /own, pathType: Prefix, backend: {service: {name: two, port: {number: 80}}}}',
    '          - {path: /same/, pathType: Prefix, backend: {service: {name: two, port: {number: 80}}}}',
    '',
  ].join('\n');
  // The younger one is there first, and loses all the same.
  await site.write('younger.yaml', younger);
  await answers('contest.test', { '/same': 'two', '/own': 'two' });
  await site.write('older.yaml', [old]);
  await answers('contest.test', { '/same': 'one', '/same/x': 'one', '/own': 'two' });
  assert.deepEqual(await site.findings('name=z-older'), []);
  await site.reports({
    code: 'WEIR0106',
    severity: 'error',
    object: 'Ingress default/a-younger',
    field: 'spec.rules[0].http.paths[1].path',
    file: 'younger.yaml',
    at: '/same/',
    message: /default\/z-older.*older/,
  });
  await site.remove('older.yaml');
  await answers('contest.test', { '/same': 'two' });
  assert.deepEqual(await site.findings('name=a-younger'), []);
});

test('between Ingresses of the same age the first by name wins', async () => {
  await site.write('by-name.yaml', [
    ingress({ name: 'name-b', host: 'name.test', paths: [{ service: 'two' }] }),
    ingress({ name: 'name-a', host: 'name.test', paths: [{ service: 'one' }] }),
  ]);
  await answers('name.test', { '/': 'one' });
  assert.deepEqual(
    (await site.findings('code=WEIR0106')).map(({ object }) => object.name),
    ['name-b'],
  );
});
