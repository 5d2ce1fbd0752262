import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import type { Fault } from '../../../test/support/fake-api-server/fault.ts';
import type { WatchListSupport } from '../../../test/support/fake-api-server/watch-route.ts';
import { ImpatientClock } from '../../../test/support/impatient-clock.ts';
import { contentsOf, MirrorSink } from '../../../test/support/mirror-sink.ts';
import type { Scope } from '../../../test/support/scope.ts';
import { seedOf } from '../../../test/support/seed.ts';
import type { KubeResource } from '../kube-resource.ts';
import { openKubeClient } from '../open-kube-client.ts';
import { startReflector } from './start-reflector.ts';

const SERVICES: KubeResource = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true };
const NAMES = 8;
const RUNS = Number(process.env.WEIR_REFLECTOR_RUNS ?? 80);

type Step =
  | { readonly do: 'put' | 'delete' | 'anew' | 'churn'; readonly name: number }
  | { readonly do: 'compact' | 'expire' | 'end' | 'bookmarks' | 'restart' | 'rest' | 'hours' }
  | {
      readonly do: 'fault';
      readonly verb: 'list' | 'watch';
      readonly fault: Fault;
      readonly times: number;
      readonly now: boolean;
    };

const name = fc.nat({ max: NAMES - 1 });
const after = fc.nat({ max: 6 });
const bytes = fc.integer({ min: 1, max: 3000 });
const status = fc.constantFrom(
  { code: 400 },
  { code: 401 },
  { code: 403 },
  { code: 404 },
  { code: 410 },
  { code: 429, retryAfterSeconds: 2 },
  { code: 500 },
  { code: 503 },
  { code: 504, causes: ['ResourceVersionTooLarge'] },
);

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }).map((back): Fault => ({ kind: 'repeating', back })) },
  status.map((status): Fault => ({ kind: 'status', status })),
  fc.constantFrom<Fault>({ kind: 'empty' }, { kind: 'refused' }, { kind: 'reordering' }, { kind: 'silent' }),
  after.map((after): Fault => ({ kind: 'garbage', after })),
  after.map((after): Fault => ({ kind: 'stalled', after })),
  after.map((after): Fault => ({ kind: 'ended', after })),
  bytes.map((bytes): Fault => ({ kind: 'cut', bytes })),
  bytes.map((bytes): Fault => ({ kind: 'truncated', bytes })),
  fc.integer({ min: 5, max: 200 }).map((bytes): Fault => ({ kind: 'slow', bytes })),
  fc.integer({ min: 1, max: 10 }).map((milliseconds): Fault => ({ kind: 'delay', milliseconds })),
  fc.record({ after, status }).map((fields): Fault => ({ kind: 'error-event', ...fields })),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: name.map((name): Step => ({ do: 'put', name })) },
  { weight: 3, arbitrary: name.map((name): Step => ({ do: 'delete', name })) },
  { weight: 2, arbitrary: name.map((name): Step => ({ do: 'anew', name })) },
  { weight: 2, arbitrary: name.map((name): Step => ({ do: 'churn', name })) },
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'rest' }) },
  {
    weight: 4,
    arbitrary: fc
      .record({
        verb: fc.constantFrom('list', 'watch', 'watch'),
        fault,
        times: fc.integer({ min: 1, max: 3 }),
        now: fc.boolean(),
      })
      .map((fields): Step => ({ do: 'fault', ...fields }) as Step),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('compact', 'expire', 'end', 'end', 'bookmarks', 'restart', 'hours')
      .map((what): Step => ({ do: what }) as Step),
  },
);

const story = fc.record({
  watchList: fc.constantFrom<WatchListSupport>('full', 'full', 'full', 'refused', 'no-progress', 'ignored'),
  before: fc.nat({ max: NAMES - 1 }),
  steps: fc.array(step, { minLength: 5, maxLength: 40 }),
});

async function play(
  { watchList, before, steps }: { watchList: WatchListSupport; before: number; steps: readonly Step[] },
  scope: Scope,
): Promise<void> {
  const server = await FakeApiServer.start(scope);
  server.watches.watchList = watchList;
  // Everything that any object ever was.
  const history = new Set<string>();
  server.store.listen(SERVICES, ({ object }) => history.add(wordOf(object.metadata)));
  for (let i = 0; i < before; i++) put(server, i);
  const faults: { verb: string; fault: Fault; left: number }[] = [];
  server.fault = ({ verb }) => {
    const found = faults.find((each) => each.verb === verb && each.left > 0);
    if (found !== undefined) found.left -= 1;
    return found?.fault;
  };
  const client = openKubeClient(server.config);
  const clock = new ImpatientClock();
  const sink = new MirrorSink();
  const reflector = startReflector({ client, resource: SERVICES, sink, clock });
  try {
    for (const each of steps) await perform(each, server, clock, faults);
    server.fault = undefined;
    const passing = setInterval(() => clock.skip(700_000), 250);
    await sink
      .until(() => sink.syncs > 0 && same(server, sink), 'the same as on the server')
      .finally(() => clearInterval(passing));
    assert.deepEqual(sink.violations, []);
    assert.equal(sink.syncs, 1);
    for (const { type, object } of sink.changes) {
      if (type === 'put') assert.ok(history.has(wordOf(object.metadata)), `never was: ${wordOf(object.metadata)}`);
    }
  } finally {
    reflector.stop();
    await client.close();
    await reflector.ended;
  }
}

async function perform(
  step: Step,
  server: FakeApiServer,
  clock: ImpatientClock,
  faults: { verb: string; fault: Fault; left: number }[],
): Promise<void> {
  switch (step.do) {
    case 'put':
      return put(server, step.name);
    case 'delete':
    case 'anew':
      if (server.store.get(SERVICES, `shop/svc-${step.name}`) !== undefined) {
        server.store.delete(SERVICES, `shop/svc-${step.name}`);
      }
      return step.do === 'anew' ? put(server, step.name) : undefined;
    case 'fault':
      faults.unshift({ verb: step.verb, fault: step.fault, left: step.times });
      if (!step.now) return undefined;
      server.watches.endAll();
      return rest(10);
    case 'churn':
      for (let i = 0; i < 3; i++) {
        put(server, step.name);
        await rest(1);
        server.store.delete(SERVICES, `shop/svc-${step.name}`);
        await rest(1);
      }
      return undefined;
    case 'compact':
      return server.store.compact();
    case 'expire':
      return server.lists.expireTokens();
    case 'end':
      return server.watches.endAll();
    case 'bookmarks':
      return server.watches.sendBookmarks();
    case 'hours':
      return clock.skip(700_000);
    case 'restart':
      await server.stop();
      return server.listen();
    case 'rest':
      return rest(4);
  }
}

function rest(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function put(server: FakeApiServer, number: number): void {
  server.store.put(SERVICES, { metadata: { name: `svc-${number}`, namespace: 'shop' }, spec: { now: Math.random() } });
}

function wordOf({ name, uid, resourceVersion }: { name: string; uid: string; resourceVersion: string }): string {
  return `${name} ${uid}@${resourceVersion}`;
}

function same(server: FakeApiServer, sink: MirrorSink): boolean {
  return JSON.stringify(sink.contents) === JSON.stringify(contentsOf(server.store.list(SERVICES)));
}

test('whatever the faults, the store ends equal to the server, and no object ever goes back', async (t) => {
  const seed = seedOf('WEIR_REFLECTOR_SEED');
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const undo: (() => void | Promise<void>)[] = [];
      try {
        await play(told, { after: (each) => undo.push(each) });
      } finally {
        for (const each of undo) await each();
      }
    }),
    { seed, numRuns: RUNS, endOnFailure: process.env.WEIR_REFLECTOR_SEED === 'random' },
  );
  t.diagnostic(`${RUNS} stories, seed ${seed}`);
});
