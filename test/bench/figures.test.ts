import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, quantile } from './figures.ts';
import { cpuSeconds, processTree, residentMib } from './process-figures.ts';

test('quantiles are numbers of the list, medians lie between', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.equal(quantile(hundred, 0.5), 50);
  assert.equal(quantile(hundred, 0.99), 99);
  assert.equal(quantile([7], 0.99), 7);
  assert.equal(median([1, 9, 3]), 3);
  assert.equal(median([1, 2, 3, 10]), 2.5);
});

test("a process's CPU time grows with its work, and it has memory", () => {
  const before = cpuSeconds([process.pid]);
  const started = process.cpuUsage();
  while (process.cpuUsage(started).user < 150_000) Math.sqrt(Math.random());
  const used = cpuSeconds([process.pid]) - before;
  assert.ok(used >= 0.1 && used < 5, `${used} s`);
  assert.ok(residentMib(process.pid) > 10);
  assert.ok(processTree(process.pid).includes(process.pid));
});
