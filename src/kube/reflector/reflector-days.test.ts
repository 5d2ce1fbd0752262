import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import { contentsOf, MirrorSink } from '../../../test/support/mirror-sink.ts';
import { SimulatedTime } from '../../../test/support/simulated-time.ts';
import type { KubeResource } from '../kube-resource.ts';
import { openKubeClient } from '../open-kube-client.ts';
import type { ReflectorEvent } from './reflector-event.ts';
import { startReflector } from './start-reflector.ts';

const SERVICES: KubeResource = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true };
const HOUR = 3_600_000;
const MINUTE = 60_000;

/** A sequence of numbers from 0 to 1 that is the same in every run. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test('a day of watches that end at their random times: one list, no failure, every change told', async (t) => {
  const time = new SimulatedTime();
  const server = await FakeApiServer.start(t, { clock: time.clock() });
  const client = openKubeClient(server.config);
  const sink = new MirrorSink();
  const events: ReflectorEvent[] = [];
  const reflector = startReflector({
    client,
    resource: SERVICES,
    sink,
    clock: time.clock(),
    random: numbers(),
    onEvent: (event) => events.push(event),
  });
  t.after(async () => {
    reflector.stop();
    await client.close();
  });
  await sink.until(() => sink.syncs === 1);
  for (let minute = 0; time.now < 24 * HOUR; minute++) {
    for (let i = 0; i < 6; i++) {
      await time.pass(MINUTE / 6);
      // The network takes real time: the day goes on when the next watch is there.
      await sink.until(() => server.watches.open === 1, 'the next watch');
    }
    server.watches.sendBookmarks();
    if (minute % 60 === 0) {
      server.store.put(SERVICES, { metadata: { name: `svc-${minute % 7}`, namespace: 'shop' }, spec: { minute } });
      await sink.until(() => same(server, sink), 'the change');
    }
    // What is older than an hour is forgotten, as etcd does after five minutes.
    if (minute % 60 === 30) server.store.compact();
  }
  const watches = events.filter(({ type }) => type === 'watch').length;
  t.diagnostic(`${watches} watches in 24 h`);
  assert.ok(watches >= (24 * HOUR) / (11 * MINUTE) && watches <= (24 * HOUR) / (5 * MINUTE) + 1, `${watches} watches`);
  assert.equal(events.filter(({ type }) => type === 'list').length, 1);
  assert.equal(events.filter(({ type }) => type === 'retry').length, 0);
  assert.deepEqual(sink.stateNames, ['listing', 'watching']);
  assert.deepEqual(sink.violations, []);
  const lengths = new Set(
    server.requests.map(({ url }) => new URL(url, server.url).searchParams.get('timeoutSeconds')),
  );
  assert.ok(lengths.size > watches / 3, 'time-outs are random');
  for (const length of lengths) assert.ok(Number(length) >= 300 && Number(length) <= 600, `${length} s`);
});

test('memory is flat over 100,000 changes', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const server = await FakeApiServer.start(t);
  const client = openKubeClient(server.config);
  const sink = new MirrorSink();
  sink.forgetful = true;
  const reflector = startReflector({ client, resource: SERVICES, sink });
  t.after(async () => {
    reflector.stop();
    await client.close();
  });
  await sink.until(() => sink.syncs === 1);
  const round = async (start: number, count: number): Promise<number> => {
    for (let i = 0; i < count; i += 500) {
      const before = sink.changeCount;
      for (let j = i; j < i + 500; j++) put(server, start + j);
      await sink.until(() => sink.changeCount >= before + 500, '500 changes');
      server.store.compact();
    }
    await sink.until(() => same(server, sink), 'the same as on the server');
    collect();
    return process.memoryUsage().heapUsed;
  };
  const first = await round(0, 10_000);
  const last = await round(10_000, 100_000);
  t.diagnostic(`heap after 10,000 changes ${mega(first)} MB, after 110,000 ${mega(last)} MB`);
  assert.equal(sink.changeCount, 110_000);
  assert.deepEqual(sink.violations, []);
  // A word kept of each change would show.
  assert.ok(last - first < 3_000_000, `the heap grew by ${mega(last - first)} MB`);
});

function put(server: FakeApiServer, number: number): void {
  server.store.put(SERVICES, {
    metadata: { name: `svc-${number % 200}`, namespace: 'shop' },
    spec: { clusterIP: '10.96.0.1', number },
  });
}

function same(server: FakeApiServer, sink: MirrorSink): boolean {
  return JSON.stringify(sink.contents) === JSON.stringify(contentsOf(server.store.list(SERVICES)));
}

function mega(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
