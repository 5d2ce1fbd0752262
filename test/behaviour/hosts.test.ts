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
  for (const [index, name] of ['one', 'two', 'three'].entries()) {
    const backend = await startBackend(scope, { name, address: `127.0.0.${index + 1}` });
    services.push(...backendService({ name, endpoints: [backend] }));
  }
  await site.write('services.yaml', services);
});

async function answers(expected: Readonly<Record<string, string>>): Promise<void> {
  const actual: Record<string, string> = {};
  for (const url of Object.keys(expected)) {
    const slash = url.indexOf('/');
    actual[url] = await site.answer(url.slice(0, slash), url.slice(slash));
  }
  assert.deepEqual(actual, expected);
}

test('a host is matched without case, with or without a port or a trailing dot, and no other is', async () => {
  await site.write('exact.yaml', [
    ingress({ name: 'exact', host: 'exact.test', paths: [{ service: 'one' }] }),
    ingress({ name: 'mixed', host: 'Mixed.test', paths: [{ service: 'two' }] }),
  ]);
  await answers({
    'exact.test/': 'one',
    'EXACT.Test/': 'one',
    [`exact.test:${site.weir.httpPort}/`]: 'one',
    'exact.test./': 'one',
    'mixed.test/': 'two',
    'exact.tests/': '404',
    'a.exact.test/': '404',
    'test/': '404',
  });
});

test('a wildcard host stands for one label, and yields to an exact host', async () => {
  await site.write('wild.yaml', [
    ingress({ name: 'wild', host: '*.wild.test', paths: [{ service: 'one' }] }),
    ingress({ name: 'tame', host: 'tame.wild.test', paths: [{ path: '/own', service: 'two' }] }),
    ingress({ name: 'deep', host: '*.deep.wild.test', paths: [{ service: 'three' }] }),
  ]);
  await answers({
    'a.wild.test/': 'one',
    'B-2.wild.test/x': 'one',
    'wild.test/': '404',
    'a.b.wild.test/': '404',
    'a.deep.wild.test/': 'three',
    'tame.wild.test/own': 'two',
    // The exact host is the whole answer: its missing paths aren't looked for at the wildcard.
    'tame.wild.test/else': '404',
  });
});

test('a rule without a host takes every host that has no rule of its own', async () => {
  await site.write('any.yaml', [
    ingress({ name: 'any', paths: [{ path: '/any', service: 'one' }] }),
    ingress({ name: 'named', host: 'named.test', paths: [{ path: '/named', service: 'two' }] }),
  ]);
  await answers({
    'nobody.test/any': 'one',
    'localhost/any/x': 'one',
    '127.0.0.1/any': 'one',
    'nobody.test/': '404',
    'named.test/named': 'two',
    'named.test/any': '404',
  });
  await site.remove('any.yaml');
  await answers({ 'nobody.test/any': '404' });
});

test('a defaultBackend alone takes everything that nothing else takes', async () => {
  await site.write('alone.yaml', [ingress({ name: 'alone', defaultBackend: { service: 'one' } })]);
  await site.write('beside.yaml', [
    ingress({ name: 'beside', host: 'beside.test', paths: [{ path: '/a', service: 'two' }] }),
  ]);
  await answers({ 'whoever.test/any/path': 'one', 'beside.test/a': 'two' });
  await site.remove('alone.yaml');
  await site.remove('beside.yaml');
  await answers({ 'whoever.test/any/path': '404' });
});

test('a defaultBackend beside rules takes the hosts and paths that the rules leave', async () => {
  await site.write('rules.yaml', [
    ingress({
      name: 'rules',
      defaultBackend: { service: 'three' },
      rules: [
        { host: 'rules.test', paths: [{ path: '/a', service: 'one' }] },
        { paths: [{ path: '/b', service: 'two' }] },
      ],
    }),
  ]);
  await answers({
    'rules.test/a': 'one',
    'elsewhere.test/b': 'two',
    'elsewhere.test/a': 'three',
    'elsewhere.test/': 'three',
    'rules.test/left': 'three',
  });
  await site.remove('rules.yaml');
});

test('an impossible host is reported, and costs only its rule', async () => {
  const text = JSON.stringify(
    ingress({
      name: 'impossible',
      rules: [
        { host: 'shop.example:8080', paths: [{ service: 'one' }] },
        { host: 'possible.test', paths: [{ service: 'two' }] },
      ],
    }),
  );
  await site.write('impossible.json', text);
  await answers({ 'possible.test/': 'two', 'shop.example:8080/': '404' });
  await site.reports({
    code: 'WEIR0101',
    severity: 'error',
    object: 'Ingress default/impossible',
    field: 'spec.rules[0].host',
    file: 'impossible.json',
    at: '"shop.example:8080"',
  });
});
