import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MemoryApi, type Weather } from '../../test/support/memory-api.ts';
import { SimulatedTime } from '../../test/support/simulated-time.ts';
import { KubeError } from './kube-error.ts';
import { LeaderElection, type LeaderElectionOptions } from './leader-election.ts';
import type { Lease } from './lease.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/weir/leases/weir-leader';
const AWAY: Weather = { before: () => Promise.reject(new KubeError('connection refused')) };

class Hall {
  readonly time = new SimulatedTime();
  readonly api = new MemoryApi();
  readonly said: string[] = [];

  candidate(
    identity: string,
    { weather = {}, ...options }: Partial<LeaderElectionOptions> & { weather?: Weather } = {},
  ) {
    const say = (text: string) => this.said.push(`${Math.round(this.time.now / 1000)} ${identity} ${text}`);
    return new LeaderElection({
      client: this.api.client(weather),
      namespace: 'weir',
      identity,
      clock: this.time.clock(),
      random: () => 0.5,
      onGained: () => say('gained'),
      onLost: () => void say('lost'),
      ...options,
    });
  }

  lease(): Lease {
    return this.api.objects.get(PATH) as unknown as Lease;
  }
}

/** Kill -9: not a request more, and not a word. */
function mortal(): { readonly weather: Weather; kill(): void } {
  let dead = false;
  const hang = () => (dead ? new Promise<void>(() => {}) : undefined);
  return { weather: { before: hang, after: hang }, kill: () => (dead = true) };
}

test('the first candidate makes the Lease and leads at once', async () => {
  const hall = new Hall();
  const a = hall.candidate('a');
  a.start();
  await hall.time.pass(0);
  assert.equal(a.isLeader, true);
  assert.equal(a.holder, 'a');
  assert.equal(hall.lease().spec?.leaseDurationSeconds, 10);
  assert.match(hall.lease().spec?.renewTime ?? '', /^2026-01-01T00:00:00\.000[0-9]{3}Z$/);
});

test('a second candidate waits for as long as the first renews', async () => {
  const hall = new Hall();
  const [a, b] = [hall.candidate('a'), hall.candidate('b')];
  a.start();
  await hall.time.pass(10);
  b.start();
  await hall.time.pass(3_600_000);
  assert.deepEqual([a.isLeader, b.isLeader, b.holder], [true, false, 'a']);
  assert.deepEqual(hall.said, ['0 a gained']);
});

test('another leads within 15 seconds after the leader was killed', async () => {
  for (const killedAt of [10_000, 10_700, 11_999]) {
    const hall = new Hall();
    const { weather, kill } = mortal();
    const [a, b] = [hall.candidate('a', { weather }), hall.candidate('b', { random: () => 1 })];
    a.start();
    await hall.time.pass(10);
    b.start();
    await hall.time.pass(killedAt - 10);
    kill();
    await hall.time.pass(10_000 - 2500);
    assert.equal(b.isLeader, false);
    await hall.time.pass(15_000 - 7500);
    assert.equal(b.isLeader, true);
    assert.equal(hall.lease().spec?.leaseTransitions, 1);
  }
});

test('a leader that stops gives the Lease back after its last act, and another takes it at its next look', async () => {
  const hall = new Hall();
  const ended = Promise.withResolvers<void>();
  const a = hall.candidate('a', { onLost: () => ended.promise });
  const b = hall.candidate('b');
  a.start();
  await hall.time.pass(10);
  b.start();
  await hall.time.pass(20_000);
  const stopped = a.stop();
  await hall.time.pass(100);
  assert.equal(a.isLeader, false);
  assert.equal(hall.lease().spec?.holderIdentity, 'a', 'it still finishes what it was writing');
  ended.resolve();
  await stopped;
  assert.equal(hall.lease().spec?.holderIdentity, '');
  await hall.time.pass(2500);
  assert.equal(b.isLeader, true);
});

test('a leader whose API server is away stops acting at its deadline, before another can begin', async () => {
  const hall = new Hall();
  let away = false;
  const weather: Weather = { before: () => (away ? Promise.reject(new KubeError('connection refused')) : undefined) };
  const [a, b] = [hall.candidate('a', { weather }), hall.candidate('b')];
  a.start();
  await hall.time.pass(10);
  b.start();
  await hall.time.pass(9990);
  away = true;
  await hall.time.pass(60_000);
  assert.equal(b.isLeader, true);
  const [, lost, gained] = hall.said;
  assert.match(lost ?? '', /^1[5-7] a lost$/);
  assert.match(gained ?? '', /^(?:18|19|20|21) b gained$/);
});

test('a leader whose requests hang stops acting at its deadline', async () => {
  const hall = new Hall();
  const { weather, kill } = mortal();
  const a = hall.candidate('a', { weather });
  a.start();
  await hall.time.pass(1000);
  kill();
  await hall.time.pass(7000);
  assert.equal(a.isLeader, false);
  assert.deepEqual(hall.said, ['0 a gained', '7 a lost']);
});

test('the term’s signal ends with the term', async () => {
  const hall = new Hall();
  const { weather, kill } = mortal();
  let term: AbortSignal | undefined;
  const a = hall.candidate('a', { weather, onGained: (signal) => (term = signal) });
  a.start();
  await hall.time.pass(1000);
  assert.equal(term?.aborted, false);
  kill();
  await hall.time.pass(7000);
  assert.equal(term?.aborted, true);
});

test('it is no leader any more at its deadline, even if the timer that says so is late', async () => {
  const hall = new Hall();
  const clock = hall.time.clock();
  let slept = 0;
  const a = hall.candidate('a', { clock: { ...clock, now: () => clock.now() + slept } });
  a.start();
  await hall.time.pass(1000);
  slept = 8000;
  assert.equal(a.isLeader, false);
});

test('a machine that slept leads no more, though its clock of intervals stood still', async () => {
  const hall = new Hall();
  let slept = 0;
  const a = hall.candidate('a', { clock: hall.time.clock({ offset: () => slept }) });
  a.start();
  await hall.time.pass(1000);
  slept = 60_000;
  assert.equal(a.isLeader, false);
  await hall.time.pass(3000);
  assert.equal(a.isLeader, true, 'it renewed');
});

test('clocks that are hours apart make no difference', async () => {
  for (const offset of [-7_200_000, 7_200_000]) {
    const hall = new Hall();
    const { weather, kill } = mortal();
    const a = hall.candidate('a', { weather, clock: hall.time.clock({ offset }) });
    const b = hall.candidate('b');
    a.start();
    await hall.time.pass(10);
    b.start();
    await hall.time.pass(60_000);
    assert.deepEqual([a.isLeader, b.isLeader], [true, false]);
    kill();
    await hall.time.pass(15_000);
    assert.equal(b.isLeader, true);
  }
});

test('a time of day that stands still or goes back doesn’t make the leader look dead', async () => {
  for (const speed of [1, 3]) {
    const hall = new Hall();
    const a = hall.candidate('a', { clock: hall.time.clock({ offset: () => -speed * hall.time.now }) });
    const b = hall.candidate('b');
    a.start();
    await hall.time.pass(10);
    b.start();
    await hall.time.pass(120_000);
    assert.deepEqual([a.isLeader, b.isLeader], [true, false]);
  }
});

test('somebody who writes a note on the Lease costs the leader nothing, and the note stays', async () => {
  const hall = new Hall();
  const a = hall.candidate('a');
  a.start();
  await hall.time.pass(5000);
  hall.api.put(PATH, { ...hall.lease(), metadata: { ...hall.lease().metadata, labels: { team: 'edge' } } });
  await hall.time.pass(20_000);
  assert.deepEqual(hall.said, ['0 a gained']);
  assert.deepEqual(hall.lease().metadata.labels, { team: 'edge' });
});

test('a leader that finds another’s name on the Lease stops at once', async () => {
  const hall = new Hall();
  const a = hall.candidate('a');
  a.start();
  await hall.time.pass(5000);
  hall.api.put(PATH, { ...hall.lease(), spec: { ...hall.lease().spec, holderIdentity: 'thief' } });
  await hall.time.pass(2500);
  assert.deepEqual([a.isLeader, a.holder], [false, 'thief']);
  await hall.time.pass(15_000);
  assert.equal(a.isLeader, true, 'the thief never renewed');
});

test('a renewal whose answer was lost is found and gone on with', async () => {
  const hall = new Hall();
  let lose = false;
  const weather: Weather = {
    after: ({ method }) => (lose && method === 'PUT' ? Promise.reject(new KubeError('reset')) : undefined),
  };
  const a = hall.candidate('a', { weather });
  a.start();
  await hall.time.pass(5000);
  lose = true;
  await hall.time.pass(2500);
  lose = false;
  await hall.time.pass(10_000);
  assert.deepEqual(hall.said, ['0 a gained']);
  assert.equal(a.isLeader, true);
});

test('when the Lease is deleted its holder makes it anew; others who knew it don’t rush in', async () => {
  const hall = new Hall();
  const [a, b] = [hall.candidate('a'), hall.candidate('b')];
  a.start();
  await hall.time.pass(1000);
  b.start();
  await hall.time.pass(10_000);
  for (let i = 0; i < 20; i++) {
    hall.api.objects.delete(PATH);
    await hall.time.pass(5000 + i * 111);
    assert.equal(b.isLeader, false);
  }
  await hall.time.pass(3000);
  assert.equal(a.isLeader, true);
});

test('a deleted Lease whose holder is dead is made anew by another after its duration', async () => {
  const hall = new Hall();
  const { weather, kill } = mortal();
  const [a, b] = [hall.candidate('a', { weather }), hall.candidate('b')];
  a.start();
  await hall.time.pass(1000);
  b.start();
  await hall.time.pass(10_000);
  kill();
  hall.api.objects.delete(PATH);
  await hall.time.pass(9000);
  assert.equal(b.isLeader, false);
  await hall.time.pass(6000);
  assert.equal(b.isLeader, true);
});

test('a missing right is told once, and the election goes on when it is there', async () => {
  const hall = new Hall();
  let forbidden = true;
  const problems: (string | undefined)[] = [];
  const weather: Weather = {
    before: () =>
      forbidden
        ? Promise.reject(new KubeError('leases is forbidden', { status: 403, reason: 'Forbidden' }))
        : undefined,
  };
  const a = hall.candidate('a', { weather, onProblem: (problem) => problems.push(problem?.message) });
  a.start();
  await hall.time.pass(120_000);
  assert.equal(problems.length, 1);
  assert.match(
    problems[0] ?? '',
    /^leases is forbidden\. Allow get and update on the Lease weir-leader, and create on leases, in namespace weir;/,
  );
  assert.ok(hall.api.requests.length < 15, 'it asks less and less');
  forbidden = false;
  // Whether another leads wasn't to be known, and so the Lease is held for its duration first.
  await hall.time.pass(15_000 + 12_000);
  assert.equal(a.isLeader, true);
  assert.deepEqual(problems.slice(1), [undefined]);
});

test('whatever the delays, losses, clocks, deaths and deletions, there are never two leaders, and in the end there is one', async () => {
  const candidate = fc.record({
    rate: fc.double({ min: 0.95, max: 1.05, noNaN: true }),
    offset: fc.integer({ min: -10_000_000, max: 10_000_000 }),
    start: fc.integer({ min: 0, max: 20_000 }),
    stop: fc.option(fc.integer({ min: 0, max: 150_000 })),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(candidate, { minLength: 2, maxLength: 4 }),
      fc.array(fc.record({ from: fc.integer({ min: 0, max: 150_000 }), who: fc.nat(3), for: fc.nat(40_000) }), {
        maxLength: 5,
      }),
      fc.array(fc.integer({ min: 21_000, max: 150_000 }), { maxLength: 3 }),
      fc.integer(),
      async (candidates, outages, deletions, seed) => {
        const hall = new Hall();
        const { time } = hall;
        const random = generator(seed);
        const elections = candidates.map((each, index) => {
          const trouble = () =>
            outages.find((out) => out.who === index && time.now >= out.from && time.now < out.from + out.for);
          const way = async () => {
            const late = random() < 0.1 ? random() * 15_000 : random() * 300;
            await new Promise<void>((resolve) => void time.after(late, resolve));
            if (trouble() !== undefined || (time.now < 150_000 && random() < 0.05)) throw new KubeError('lost');
          };
          return hall.candidate(String(index), {
            weather: { before: way, after: way },
            clock: time.clock(each),
            random,
          });
        });
        candidates.forEach(({ start, stop }, index) => {
          time.after(start, () => elections[index]?.start());
          if (stop !== null && index > 0) time.after(Math.max(stop, start), () => void elections[index]?.stop());
        });
        // After all have seen it: who comes to know of no Lease can't know of its holder.
        for (const at of deletions) time.after(Math.max(at, 60_000), () => hall.api.objects.delete(PATH));
        await time.pass(300_000, () => {
          assert.ok(elections.filter(({ isLeader }) => isLeader).length < 2, `two leaders at ${time.now}`);
        });
        const lone = hall.candidate('last', { clock: time.clock(), random });
        lone.start();
        await time.pass(60_000, () => assert.ok([...elections, lone].filter(({ isLeader }) => isLeader).length < 2));
        assert.ok(hall.said.some((line) => line.endsWith('gained')));
        await Promise.all([...elections, lone].map((each) => drain(time, each.stop())));
      },
    ),
    { numRuns: 60 },
  );
});

test('two who race for ever take turns as the leader stops, and never lead together', async () => {
  const hall = new Hall();
  const random = generator(7);
  let [a, b] = [hall.candidate('a', { random }), hall.candidate('b', { random })];
  let terms = 0;
  const count = { onGained: () => void terms++ };
  a.start();
  b.start();
  for (let round = 0; round < 200; round++) {
    await hall.time.pass(3000, () => assert.ok(!(a.isLeader && b.isLeader)));
    const leader = a.isLeader ? a : b;
    assert.ok(leader.isLeader, `nobody leads in round ${round}`);
    await drain(hall.time, leader.stop());
    const next = hall.candidate(`next-${round}`, { random, ...count });
    next.start();
    if (leader === a) a = next;
    else b = next;
  }
  assert.ok(terms > 150);
});

test('deadlines in the wrong order are refused', () => {
  assert.throws(() => new Hall().candidate('a', { leaseDuration: 5000 }), RangeError);
});

test('a candidate of a server that is away is no leader and knows no holder', async () => {
  const hall = new Hall();
  const a = hall.candidate('a', { weather: AWAY });
  a.start();
  await hall.time.pass(60_000);
  assert.deepEqual([a.isLeader, a.holder], [false, undefined]);
});

async function drain(time: SimulatedTime, promise: Promise<void>): Promise<void> {
  const outcome = { done: false };
  void promise.then(() => (outcome.done = true));
  for (let i = 0; i < 1000 && !outcome.done; i++) await time.pass(50);
  assert.ok(outcome.done);
}

/** The same numbers for the same seed. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
