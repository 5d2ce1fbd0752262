import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ReferenceIndex } from './reference-index.ts';

const names = fc.constantFrom('a', 'b', 'c', 'd');

test('both ends agree after any sequence of changes, and orphans are told', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.uniqueArray(names)), { maxLength: 30 }), (steps) => {
      const index = new ReferenceIndex();
      const expected = new Map<string, ReadonlySet<string>>();
      const users = (target: string) =>
        [...expected].filter(([, targets]) => targets.has(target)).map(([from]) => from);
      for (const [from, list] of steps) {
        const before = expected.get(from) ?? new Set<string>();
        expected.set(from, new Set(list));
        const orphans = index.set(from, new Set(list));
        assert.deepEqual([...orphans].sort(), [...before].filter((target) => users(target).length === 0).sort());
        for (const name of ['a', 'b', 'c', 'd']) {
          assert.deepEqual([...index.users(name)].sort(), users(name).sort());
          assert.equal(index.isUsed(name), users(name).length > 0);
          assert.deepEqual([...index.targets(name)].sort(), [...(expected.get(name) ?? [])].sort());
        }
      }
    }),
  );
});
