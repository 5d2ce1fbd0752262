import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareHostnames, hostnameCandidates, hostnameCovers, isHostname } from './hostname.ts';

test('a name is asked for by itself, by its wildcards from the longest, then by the catch-all', () => {
  assert.deepEqual(hostnameCandidates('a.b.example'), [
    'a.b.example',
    '*.b.example',
    '**.b.example',
    '**.example',
    '*',
  ]);
  assert.deepEqual(hostnameCandidates('localhost'), ['localhost', '*']);
});

test('the order of host names is the order in which they are asked', () => {
  const candidates = hostnameCandidates('a.b.c.example');
  assert.deepEqual(candidates.toReversed().sort(compareHostnames), [...candidates]);
});

test('one star stands for one label, two for one or several', () => {
  assert.ok(hostnameCovers('*.example', 'a.example'));
  assert.ok(!hostnameCovers('*.example', 'a.b.example'));
  assert.ok(hostnameCovers('**.example', 'a.b.example'));
  assert.ok(!hostnameCovers('**.example', 'example'));
});

test('host names are lower case, without port and without trailing dot', () => {
  for (const good of ['shop.example', '*.shop.example', '**.shop.example', '*', 'a', 'my_app.example', '10.0.0.1']) {
    assert.ok(isHostname(good), good);
  }
  const bad = [
    '',
    'Shop.example',
    'shop.example.',
    'shop.example:80',
    '-a.example',
    'a..b',
    '***.a',
    '*a.b',
    'a.*.b',
    '*.*',
    `${'a'.repeat(64)}.b`,
    'a b',
    'a\n',
  ];
  for (const name of bad) assert.ok(!isHostname(name), JSON.stringify(name));
});
