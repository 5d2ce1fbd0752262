import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { editDistance } from './edit-distance.ts';

test('counts insertions, deletions, replacements and swapped neighbours as one edit each', () => {
  assert.equal(editDistance('auth-url', 'auth-url', 2), 0);
  assert.equal(editDistance('auth-ulr', 'auth-url', 2), 1);
  assert.equal(editDistance('auth-rl', 'auth-url', 2), 1);
  assert.equal(editDistance('auth-uurl', 'auth-url', 2), 1);
  assert.equal(editDistance('auth-uri', 'auth-url', 2), 1);
  assert.equal(editDistance('kitten', 'sitting', 5), 3);
  assert.equal(editDistance('', 'abc', 5), 3);
});

test('answers one more than the limit when the distance exceeds it', () => {
  assert.equal(editDistance('kitten', 'sitting', 2), 3);
  assert.equal(editDistance('a', 'x'.repeat(1000), 4), 5);
});

test('is symmetric and zero only for equal strings', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 8 });
  fc.assert(
    fc.property(letters, letters, (a, b) => {
      assert.equal(editDistance(a, b, 3), editDistance(b, a, 3));
      assert.equal(editDistance(a, b, 3) === 0, a === b);
    }),
  );
});

test('agrees with a plain table of all cells', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 10 });
  fc.assert(
    fc.property(letters, letters, fc.integer({ min: 0, max: 5 }), (a, b, limit) => {
      assert.equal(editDistance(a, b, limit), Math.min(plainDistance(a, b), limit + 1));
    }),
    { numRuns: 2000 },
  );
});

function plainDistance(a: string, b: string): number {
  const cells = Array.from({ length: a.length + 1 }, (_, row) =>
    Array.from({ length: b.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  for (let row = 1; row <= a.length; row += 1) {
    for (let column = 1; column <= b.length; column += 1) {
      const costs = [
        cells[row - 1]![column]! + 1,
        cells[row]![column - 1]! + 1,
        cells[row - 1]![column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1),
      ];
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        costs.push(cells[row - 2]![column - 2]! + 1);
      }
      cells[row]![column] = Math.min(...costs);
    }
  }
  return cells[a.length]![b.length]!;
}
