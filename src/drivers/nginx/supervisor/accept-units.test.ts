import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptUnits, type UnitJudge } from './accept-units.ts';

const THOUSAND = Array.from({ length: 1000 }, (_, index) => index);

/** Refuses every set with one of these in it, and counts how often, and about how many units, it was asked. */
function judgeOf(bad: ReadonlySet<number>, hints: boolean) {
  const asked: number[] = [];
  const judge: UnitJudge<number> = async (units) => {
    asked.push(units.length);
    const blamed = units.find((unit) => bad.has(unit));
    return blamed === undefined ? undefined : { why: `no ${blamed}`, ...(hints ? { blamed } : {}) };
  };
  return { asked, judge };
}

test('three of a thousand that are refused are found by halving, each with the complaint about itself', async () => {
  for (const bad of [
    [0, 499, 999],
    [411, 413, 999],
    [0, 1, 2],
  ]) {
    const { asked, judge } = judgeOf(new Set(bad), false);
    const refused = await acceptUnits(THOUSAND, judge);
    assert.deepEqual(
      [...refused].sort((a, b) => a.unit - b.unit),
      bad.map((unit) => ({ unit, why: `no ${unit}` })),
    );
    assert.ok(asked.length <= 2 + 2 * 3 * 10, `${asked.length} runs`);
  }
});

test('a judge that names whom it refuses is asked twice for each', async () => {
  const { asked, judge } = judgeOf(new Set([0, 499, 999]), true);
  const refused = await acceptUnits(THOUSAND, judge);
  assert.deepEqual(
    refused.map(({ unit }) => unit),
    [0, 499, 999],
  );
  assert.ok(asked.length <= 2 + 2 * 3, `${asked.length} runs`);
});

test('units that were taken before are not searched: one run is about all of them, the others about few', async () => {
  const bad = new Set([411, 413, 999]);
  const known = new Set(THOUSAND.filter((unit) => !bad.has(unit)));
  const { asked, judge } = judgeOf(bad, false);
  const refused = await acceptUnits(THOUSAND, judge, known, { why: 'refused' });
  assert.deepEqual(
    refused.map(({ unit }) => unit),
    [411, 413, 999],
  );
  assert.ok(asked.length <= 9, `${asked.length} runs`);
  assert.deepEqual(
    asked.filter((count) => count > bad.size),
    [997],
  );
});

test('of two that fail only together the later one is refused', async () => {
  const both: UnitJudge<string> = async (some) =>
    some.includes('a') && some.includes('d') ? { why: 'a and d' } : undefined;
  assert.deepEqual(await acceptUnits(['a', 'b', 'c', 'd', 'e'], both), [{ unit: 'd', why: 'a and d' }]);
});

test('one that fails only beside what was taken before is refused, and what was there stays', async () => {
  const both: UnitJudge<string> = async (some) =>
    some.includes('a') && some.includes('d') ? { why: 'a and d', blamed: 'a' } : undefined;
  const refused = await acceptUnits(['a', 'b', 'c', 'd', 'e'], both, new Set(['d', 'e']));
  assert.deepEqual(refused, [{ unit: 'a', why: 'a and d' }]);
});

test('what was taken before is searched, too, when it fails now', async () => {
  const { judge } = judgeOf(new Set([3, 7]), false);
  const refused = await acceptUnits([1, 2, 3, 4, 5, 6, 7], judge, new Set([1, 2, 3, 4, 5]));
  assert.deepEqual(refused.map(({ unit }) => unit).sort(), [3, 7]);
});

test('a bad one and two that fail only together are all found', async () => {
  const judge: UnitJudge<string> = async (some) => {
    if (some.includes('x')) return { why: 'no x' };
    return some.includes('a') && some.includes('d') ? { why: 'a and d' } : undefined;
  };
  const refused = await acceptUnits(['a', 'b', 'x', 'd', 'e'], judge);
  assert.deepEqual(refused, [
    { unit: 'x', why: 'no x' },
    { unit: 'd', why: 'a and d' },
  ]);
});

test('a set that passes as a whole is judged once', async () => {
  const { asked, judge } = judgeOf(new Set(), false);
  assert.deepEqual(await acceptUnits([1, 2, 3], judge), []);
  assert.equal(asked.length, 1);
});

test('when every one is refused, each is told, at two runs each', async () => {
  const { asked, judge } = judgeOf(new Set(THOUSAND), false);
  assert.deepEqual(
    (await acceptUnits(THOUSAND, judge)).map(({ unit }) => unit),
    THOUSAND,
  );
  assert.ok(asked.length <= 2 + 2 * THOUSAND.length, `${asked.length} runs`);
});
