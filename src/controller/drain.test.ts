import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Driver } from '../drivers/driver.ts';
import { Drain } from './drain.ts';

function bench(delay: number, tell: (on: boolean) => Promise<void> = async () => {}) {
  const told: boolean[] = [];
  const changes: boolean[] = [];
  const faults: string[] = [];
  const driver = {
    name: 'local',
    letClientsGo: (on: boolean) => {
      told.push(on);
      return tell(on);
    },
  } as Partial<Driver> as Driver;
  const drain = new Drain({
    drivers: [driver, { name: 'elsewhere' } as Driver],
    delay,
    onFault: (what) => faults.push(what),
    onChange: (draining) => changes.push(draining),
  });
  return { drain, told, changes, faults };
}

describe('a drain', () => {
  it('tells those load balancers that have clients of their own, once, and is over when its time has passed', async () => {
    const { drain, told, changes } = bench(60);
    const { state } = drain;
    assert.equal(state, undefined);
    await drain.begin();
    const since = drain.state?.since;
    assert.ok((drain.state?.secondsLeft ?? 0) > 0);
    await Promise.all([drain.begin(), drain.over()]);
    assert.equal(drain.state?.secondsLeft, 0);
    assert.equal(drain.state?.since, since);
    assert.deepEqual([told, changes], [[true], [true]]);
  });

  it('that is taken back leaves everything as if it had never begun, and who waits for it waits no more', async () => {
    const { drain, told, changes } = bench(3_600_000);
    await drain.begin();
    const over = drain.over();
    await drain.cancel();
    await over;
    assert.equal(drain.state, undefined);
    assert.deepEqual(
      [told, changes],
      [
        [true, false],
        [true, false],
      ],
    );
  });

  it('needs no time where no load balancer has clients to let go', async () => {
    const drain = new Drain({ drivers: [{ name: 'elsewhere' } as Driver], delay: 3_600_000, onFault: assert.fail });
    await drain.begin();
    assert.equal(drain.state?.secondsLeft, 0);
    await drain.over();
  });

  it('goes on where a load balancer can not be told, and says so', async () => {
    const { drain, faults } = bench(10, () => Promise.reject(new Error('gone')));
    await drain.begin();
    await drain.over();
    assert.deepEqual(faults, ['telling local to let its clients go']);
    assert.equal(drain.state?.secondsLeft, 0);
  });

  it('is waited for no longer than a signal says', async () => {
    const { drain } = bench(3_600_000);
    await drain.begin();
    await drain.over(AbortSignal.timeout(20));
    assert.ok((drain.state?.secondsLeft ?? 0) > 1000);
  });
});
