import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalisePath } from './normalise-path.ts';

test('escapes are decoded, slashes merged, dots resolved', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['/', '/'],
    ['/a/b', '/a/b'],
    ['/a/', '/a/'],
    ['//a///b//', '/a/b/'],
    ['/a/./b', '/a/b'],
    ['/a/.', '/a/'],
    ['/a/../b', '/b'],
    ['/a/..', '/'],
    ['/a/b/..', '/a/'],
    ['/a/...', '/a/...'],
    ['/%61%2Fb', '/a/b'],
    ['/a%2f..%2fb', '/b'],
    ['/a/%2e%2e/b', '/b'],
    ['/caf%C3%A9', '/café'],
    ['/a%3Fb%25%23', '/a?b%#'],
    ['/a%20b', '/a b'],
  ];
  for (const [raw, path] of cases) assert.equal(normalisePath(raw), path, raw);
});

test('what nginx answers 400 to has no path', () => {
  for (const raw of ['/..', '/a/../..', '/%2e%2e', '/%00', '/a%', '/a%2', '/a%zz'])
    assert.equal(normalisePath(raw), undefined, raw);
});
