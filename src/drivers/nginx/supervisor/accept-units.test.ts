import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptUnits } from './accept-units.ts';

test('three of a thousand that are refused are found, and all others are taken', async () => {
  const units = Array.from({ length: 1000 }, (_, index) => index);
  const bad = new Set([0, 499, 999]);
  let tests = 0;
  const { accepted, refused } = await acceptUnits(units, async (some) => {
    tests += 1;
    return some.some((unit) => bad.has(unit)) ? 'refused' : undefined;
  });
  assert.deepEqual(
    refused.map(({ unit }) => unit),
    [0, 499, 999],
  );
  assert.equal(accepted.length, 997);
  assert.ok(tests < 70, `took ${tests} tests`);
});

test('of two that fail only together the later one is refused', async () => {
  const both = async (some: readonly string[]) => (some.includes('a') && some.includes('d') ? 'a and d' : undefined);
  const { accepted, refused } = await acceptUnits(['a', 'b', 'c', 'd', 'e'], both);
  assert.deepEqual(refused, [{ unit: 'd', why: 'a and d' }]);
  assert.deepEqual(accepted, ['a', 'b', 'c', 'e']);
});

test('a set that passes as a whole is tested once', async () => {
  let tests = 0;
  await acceptUnits([1, 2, 3], async () => {
    tests += 1;
    return undefined;
  });
  assert.equal(tests, 1);
});
