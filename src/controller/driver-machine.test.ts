import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ActorRefFrom, createActor, waitFor } from 'xstate';
import { FakeDriver } from '../../test/support/fake-driver.ts';
import { backendPart, backendsDelta, type MutableModel, mutableModel } from '../../test/support/model-parts.ts';
import { type ApplyOutcome, driverMachine } from './driver-machine.ts';

interface Bench {
  readonly driver: FakeDriver;
  readonly live: MutableModel;
  readonly actor: ActorRefFrom<typeof driverMachine>;
  readonly outcomes: ApplyOutcome[];
  readonly failures: string[];
  /** Changes backends and tells the actor. */
  change(ports: Readonly<Record<string, number | undefined>>): void;
  /** The actor applied the newest generation. */
  settled(): Promise<void>;
}

function bench(driver = new FakeDriver(), random = () => 0): Bench {
  const live = mutableModel();
  const outcomes: ApplyOutcome[] = [];
  const failures: string[] = [];
  let generation = 0;
  const actor = createActor(driverMachine, {
    input: {
      driver,
      live: () => live,
      random,
      onApplied: (outcome) => outcomes.push(outcome),
      onFailed: (error) => failures.push(error.message),
    },
  }).start();
  return {
    driver,
    live,
    actor,
    outcomes,
    failures,
    change(ports) {
      for (const [key, port] of Object.entries(ports)) {
        if (port === undefined) live.backends.delete(key);
        else live.backends.set(key, backendPart(key, port));
      }
      actor.send({ type: 'dirty', delta: backendsDelta(...Object.keys(ports)), generation: ++generation, arrived: 0 });
    },
    async settled() {
      await waitFor(actor, ({ context }) => context.appliedGeneration === generation, { timeout: 20_000 });
    },
  };
}

async function ready(made: Bench): Promise<Bench> {
  made.change({ first: 1 });
  await made.settled();
  return made;
}

test('nothing is applied before there is a model', async () => {
  const { actor, driver } = bench();
  await waitFor(actor, (snapshot) => snapshot.matches('idle'));
  assert.deepEqual(driver.applies, []);
});

test('the first apply compares everything, the next ones only what changed', async () => {
  const made = await ready(bench());
  made.change({ second: 2 });
  await made.settled();
  assert.deepEqual(made.driver.applies, [{ backends: 'everything' }, { backends: ['second'] }]);
  assert.deepEqual(made.driver.inForce, made.live.backends);
});

test('10,000 changes while the driver is busy cost one more apply', async () => {
  const made = await ready(bench());
  made.driver.hold();
  made.change({ busy: 1 });
  for (let index = 0; index < 10_000; index++) made.change({ [`b${index}`]: 1 + (index % 1000) });
  assert.equal(made.driver.applies.length, 2);
  made.driver.release();
  await made.settled();
  assert.equal(made.driver.applies.length, 3);
  assert.equal(made.driver.inForce.size, 10_002);
});

test('the model a driver is given stands still while it applies', async () => {
  const made = await ready(bench());
  made.driver.hold();
  made.change({ a: 1 });
  made.change({ a: 2 });
  made.driver.release();
  await waitFor(made.actor, ({ context }) => context.appliedGeneration === 2);
  assert.equal(made.outcomes[1]?.generation, 2);
  await made.settled();
  assert.deepEqual(made.driver.inForce, made.live.backends);
  assert.equal(made.driver.applies.length, 3);
});

test('a change that was taken back while the driver was busy costs no apply', async () => {
  const made = await ready(bench());
  made.driver.hold();
  made.change({ a: 1 });
  made.change({ b: 2 });
  made.change({ b: undefined });
  made.driver.release();
  await made.settled();
  assert.equal(made.driver.applies.length, 2);
});

test('a rejected change is tried again together with what came since', async () => {
  const made = await ready(bench());
  made.driver.applyErrors = [new Error('no room'), new Error('still no room')];
  made.change({ a: 1 });
  await waitFor(made.actor, ({ context }) => context.attempts === 1);
  assert.equal(made.actor.getSnapshot().context.error?.message, 'no room');
  made.change({ b: 2 });
  await made.settled();
  assert.deepEqual(made.driver.applies.at(-1), { backends: ['a', 'b'] });
  assert.deepEqual(made.driver.inForce, made.live.backends);
  assert.deepEqual(made.failures, ['no room', 'still no room']);
  const { context } = made.actor.getSnapshot();
  assert.deepEqual([context.attempts, context.error, context.failingSince], [0, undefined, undefined]);
});

test('a rejected change that was taken back meanwhile is still told to the driver', async () => {
  const made = await ready(bench());
  made.driver.applyErrors = [new Error('half done')];
  made.change({ first: 2 });
  await waitFor(made.actor, ({ context }) => context.attempts === 1);
  made.change({ first: 1 });
  await made.settled();
  assert.deepEqual(made.driver.applies.at(-1), { backends: ['first'] });
});

test('a first apply that fails is repeated as a whole', async () => {
  const made = bench();
  made.driver.applyErrors = [new Error('not yet')];
  made.change({ a: 1 });
  await made.settled();
  assert.deepEqual(made.driver.applies, [{ backends: 'everything' }, { backends: 'everything' }]);
});

test('a driver that throws while planning has failed, and is asked again', async () => {
  const made = await ready(bench());
  made.driver.planErrors = [new Error('bug')];
  made.change({ a: 1 });
  await made.settled();
  assert.deepEqual(made.failures, ['bug']);
  assert.deepEqual(made.driver.inForce, made.live.backends);
});

test('a load balancer that does not start is started again, and loses nothing', async () => {
  const driver = new FakeDriver();
  driver.startErrors = [new Error('no nginx'), new Error('no nginx')];
  const made = bench(driver);
  made.change({ a: 1 });
  await made.settled();
  assert.deepEqual(made.failures, ['no nginx', 'no nginx']);
  assert.deepEqual(driver.inForce, made.live.backends);
});

test('a change shortens a long wait, and constant changes do not put the retry off', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const made = bench(new FakeDriver(), () => 1);
  await turn();
  made.driver.applyErrors = Array.from({ length: 9 }, () => new Error('down'));
  made.change({ a: 1 });
  for (let attempt = 1; attempt <= 8; attempt++) {
    await turn();
    context.mock.timers.tick(30_000);
  }
  await turn();
  assert.equal(made.driver.applies.length, 9);
  for (let step = 0; step < 9; step++) {
    made.change({ b: step + 1 });
    context.mock.timers.tick(100);
    await turn();
  }
  assert.equal(made.driver.applies.length, 9);
  context.mock.timers.tick(100);
  await turn();
  assert.equal(made.driver.applies.length, 10);
});

test('a paused driver is left alone, and catches up when it goes on', async () => {
  const made = await ready(bench());
  made.driver.hold();
  made.change({ a: 1 });
  made.actor.send({ type: 'pause' });
  assert.equal(made.actor.getSnapshot().value, 'applying');
  made.driver.release();
  await waitFor(made.actor, (snapshot) => snapshot.matches('paused'));
  made.change({ b: 1 });
  assert.equal(made.driver.applies.length, 2);
  made.actor.send({ type: 'resume' });
  await made.settled();
  assert.deepEqual(made.driver.inForce, made.live.backends);
});

test('another model is applied as its difference to the one in force', async () => {
  const made = await ready(bench());
  made.live.backends.set('first', backendPart('first', 1));
  made.live.backends.set('new', backendPart('new', 1));
  made.actor.send({ type: 'replaced', generation: 2 });
  await waitFor(made.actor, ({ context }) => context.appliedGeneration === 2);
  assert.deepEqual(made.driver.applies.at(-1), { backends: ['new'] });
});

test('whatever fails and whenever changes come, what is in force at the end is the model', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('put' as const),
      key: fc.constantFrom('a', 'b', 'c'),
      port: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({ kind: fc.constant('delete' as const), key: fc.constantFrom('a', 'b', 'c') }),
    fc.record({
      kind: fc.constantFrom('fail' as const, 'failPlan' as const, 'hold' as const, 'release' as const, 'turn' as const),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const made = bench(new FakeDriver(), () => -1);
      made.change({ first: 1 });
      for (const action of steps) {
        if (action.kind === 'put') made.change({ [action.key]: action.port });
        else if (action.kind === 'delete') made.change({ [action.key]: undefined });
        else if (action.kind === 'fail') made.driver.applyErrors.push(new Error('fault'));
        else if (action.kind === 'failPlan') made.driver.planErrors.push(new Error('fault'));
        else if (action.kind === 'hold') made.driver.hold();
        else if (action.kind === 'release') made.driver.release();
        else await new Promise((resolve) => setImmediate(resolve));
      }
      made.driver.release();
      await made.settled();
      assert.deepEqual(made.driver.inForce, made.live.backends);
      made.actor.stop();
    }),
    { numRuns: 100 },
  );
});
