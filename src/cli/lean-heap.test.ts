import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leanHeap } from './lean-heap.ts';

test('memory is given back once, a moment after the start is over', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let over = false;
  let given = 0;
  const listener = leanHeap(
    () => over,
    () => (given += 1),
  );
  listener.changed?.();
  t.mock.timers.tick(5000);
  assert.equal(given, 0, 'the start is not over');
  over = true;
  listener.changed?.();
  listener.changed?.();
  assert.equal(given, 0, 'what waited for the start comes first');
  t.mock.timers.tick(1000);
  listener.changed?.();
  t.mock.timers.tick(5000);
  assert.equal(given, 1);
});
