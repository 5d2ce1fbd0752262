import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NeededKeys } from './needed-keys.ts';

test('what came and went since the last call is told once', () => {
  const keys = new NeededKeys();
  keys.add('a');
  keys.add('a');
  keys.add('b');
  assert.deepEqual(keys.take(), [
    { key: 'a', needed: true },
    { key: 'b', needed: true },
  ]);
  assert.deepEqual(keys.take(), []);
  keys.remove('a');
  keys.remove('never');
  assert.deepEqual(keys.take(), [{ key: 'a', needed: false }]);
});

test('what came and went between two calls is not told', () => {
  const keys = new NeededKeys();
  keys.add('a');
  keys.remove('a');
  assert.deepEqual(keys.take(), []);
  keys.add('b');
  keys.take();
  keys.remove('b');
  keys.add('b');
  assert.deepEqual(keys.take(), []);
});
