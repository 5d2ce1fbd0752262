import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Hold } from './hold.ts';

test('a hold ends when all that is awaited has come, well or badly', async () => {
  let ends = 0;
  const hold = new Hold(60_000, () => ends++);
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  hold.until(one.promise);
  hold.until(other.promise);
  one.resolve();
  await turn();
  assert.equal(ends, 0);
  assert.equal(hold.isOn, true);
  other.reject(new Error('away'));
  await turn();
  assert.equal(ends, 1);
  assert.equal(hold.isOn, false);
});

test('a hold ends when its time is over, whatever else was awaited meanwhile', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let ends = 0;
  const hold = new Hold(1000, () => ends++);
  const never = new Promise<void>(() => undefined);
  hold.until(never);
  t.mock.timers.tick(900);
  hold.until(new Promise<void>(() => undefined));
  t.mock.timers.tick(99);
  assert.equal(ends, 0);
  t.mock.timers.tick(1);
  assert.equal(ends, 1);
  assert.equal(hold.isOn, false);
});
