import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveMemoryBack } from './give-memory-back.ts';

test('what nothing refers to any more is no longer part of the heap', () => {
  const before = process.memoryUsage().heapTotal;
  let garbage: unknown[] | undefined = Array.from({ length: 200_000 }, (_, index) => ({ index, list: [index] }));
  const full = process.memoryUsage().heapTotal;
  assert.ok(garbage.length > 0 && full - before > 10e6, `took ${full - before} bytes`);
  garbage = undefined;
  giveMemoryBack();
  const after = process.memoryUsage().heapTotal;
  assert.ok(full - after > (full - before) / 2, `${full - after} of ${full - before} bytes came back`);
});
