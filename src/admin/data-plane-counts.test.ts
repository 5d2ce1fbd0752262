import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counter, Registry } from 'prom-client';
import { readDataPlaneCounts } from './data-plane-counts.ts';

test('counters say what the data plane says, also after it began anew, and stay where it does not answer', async () => {
  const registers = [new Registry()];
  const counters = {
    authUndecided: new Counter({ name: 'auth', help: 'a', registers }),
    mirrorLost: new Counter({ name: 'mirror', help: 'm', registers }),
  };
  const values = async () =>
    Promise.all(Object.values(counters).map(async (counter) => (await counter.get()).values[0]?.value));
  await readDataPlaneCounts(async () => ({ authUndecided: 3, mirrorLost: 5 }), counters);
  assert.deepEqual(await values(), [3, 5]);
  await readDataPlaneCounts(async () => ({ authUndecided: 4, mirrorLost: 5 }), counters);
  assert.deepEqual(await values(), [4, 5]);
  await readDataPlaneCounts(() => Promise.reject(new Error('gone')), counters);
  assert.deepEqual(await values(), [4, 5]);
  await readDataPlaneCounts(async () => ({ authUndecided: 0, mirrorLost: 1 }), counters);
  assert.deepEqual(await values(), [0, 1]);
});
