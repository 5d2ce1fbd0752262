import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryApi, type Weather } from '../../test/support/memory-api.ts';
import { SimulatedTime } from '../../test/support/simulated-time.ts';
import { eventMessage, type EventNote } from './event.ts';
import { EventRecorder } from './event-recorder.ts';
import { KubeError } from './kube-error.ts';

class Desk {
  readonly time = new SimulatedTime();
  readonly api = new MemoryApi();
  readonly results = new Map<string, number>();
  readonly problems: (string | undefined)[] = [];
  readonly recorder: EventRecorder;

  constructor(weather: Weather = {}) {
    this.recorder = this.another(weather);
  }

  another(weather: Weather = {}): EventRecorder {
    return new EventRecorder({
      client: this.api.client(weather),
      controller: 'weir.dev/ingress-controller',
      instance: 'weir-0',
      clock: this.time.clock(),
      random: () => 0.5,
      onResult: (result) => this.results.set(result, (this.results.get(result) ?? 0) + 1),
      onProblem: (problem) => this.problems.push(problem?.message),
    });
  }

  events(): readonly Record<string, unknown>[] {
    return [...this.api.objects.values()];
  }
}

function note(change: Partial<EventNote> & { readonly name?: string; readonly uid?: string } = {}): EventNote {
  const { name = 'web', uid = 'uid-1', ...rest } = change;
  const subject = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace: 'shop', name, uid };
  return { subject, type: 'Warning', reason: 'ServiceNotFound', message: 'There is no Service "web".', ...rest };
}

test('an Event says what kubectl describe looks for: the object with its uid, reason, message, count and times', async () => {
  const desk = new Desk();
  assert.equal(desk.recorder.record(note()), true);
  await desk.time.pass(0);
  const [event] = desk.events();
  const { metadata, ...rest } = event as { metadata: { name: string; namespace: string } };
  assert.match(metadata.name, /^web\.[0-9a-f]{16}$/);
  assert.equal(metadata.namespace, 'shop');
  assert.deepEqual(rest, {
    apiVersion: 'v1',
    kind: 'Event',
    involvedObject: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      namespace: 'shop',
      name: 'web',
      uid: 'uid-1',
    },
    type: 'Warning',
    reason: 'ServiceNotFound',
    message: 'There is no Service "web".',
    count: 1,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    source: { component: 'weir.dev/ingress-controller' },
    reportingComponent: 'weir.dev/ingress-controller',
    reportingInstance: 'weir-0',
  });
});

test('what is said again is counted in the same Event', async () => {
  const desk = new Desk();
  desk.recorder.record(note());
  await desk.time.pass(60_000);
  desk.recorder.record(note());
  desk.recorder.record(note());
  await desk.time.pass(0);
  const [event, ...others] = desk.events();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [event?.count, event?.firstTimestamp, event?.lastTimestamp],
    [3, '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
  );
});

test('another reason, message, type or object is another Event', async () => {
  const desk = new Desk();
  for (const change of [
    {},
    { reason: 'NoEndpoints' },
    { message: 'Other.' },
    { type: 'Normal' as const },
    { uid: 'uid-2' },
  ]) {
    desk.recorder.record(note(change));
  }
  await desk.time.pass(0);
  assert.equal(desk.events().length, 5);
});

test('another process goes on with the Event that is there', async () => {
  const desk = new Desk();
  desk.recorder.record(note());
  desk.recorder.record(note());
  await desk.time.pass(0);
  desk.another().record(note());
  await desk.time.pass(0);
  assert.deepEqual(
    desk.events().map(({ count }) => count),
    [3],
  );
});

test('an Event whose hour is over is made anew', async () => {
  const desk = new Desk();
  desk.recorder.record(note());
  await desk.time.pass(0);
  desk.api.objects.clear();
  desk.recorder.record(note());
  await desk.time.pass(0);
  assert.deepEqual(
    desk.events().map(({ count }) => count),
    [1],
  );
});

test('an Event of a cluster-wide object is in the namespace default', async () => {
  const desk = new Desk();
  desk.recorder.record({
    ...note(),
    subject: { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', namespace: '', name: 'weir', uid: 'u' },
  });
  await desk.time.pass(0);
  assert.deepEqual(
    [...desk.api.objects.keys()].map((path) => path.replace(/\.[0-9a-f]+$/, '')),
    ['/api/v1/namespaces/default/events/weir'],
  );
  assert.deepEqual(desk.events()[0]?.involvedObject, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    name: 'weir',
    uid: 'u',
  });
});

test('one object gets 25 Events at once and then one in five minutes; others are not held up by it', async () => {
  const desk = new Desk();
  for (let i = 0; i < 100; i++) desk.recorder.record(note({ message: `Message ${i}` }));
  desk.recorder.record(note({ name: 'other', uid: 'uid-2' }));
  await desk.time.pass(10_000);
  assert.equal(desk.events().length, 26);
  assert.equal(desk.results.get('limited'), 75);
  await desk.time.pass(300_000);
  assert.deepEqual(
    [desk.recorder.record(note({ message: 'A' })), desk.recorder.record(note({ message: 'B' }))],
    [true, false],
  );
});

test('thousands at once reach the server at a measured pace; of what is too much, warnings stay the longest', async () => {
  const desk = new Desk();
  for (let i = 0; i < 5000; i++) desk.recorder.record(note({ type: 'Normal', uid: `uid-${i}` }));
  assert.equal(desk.recorder.waiting, 2000, 'and four are under way');
  for (let i = 0; i < 5000; i++) desk.recorder.record(note({ uid: `uid-${i}` }));
  assert.equal(desk.recorder.waiting, 4000);
  assert.equal(desk.results.get('dropped'), 10_000 - 4004);
  await desk.time.pass(10_000);
  assert.ok(desk.api.requests.length <= 100 + 10 * 25 + 1, `${desk.api.requests.length} requests`);
  await desk.time.pass(200_000);
  assert.equal(desk.recorder.waiting, 0);
  assert.equal(desk.events().length, 4004);
});

test('while the server is away Events wait, and what is said again meanwhile is counted', async () => {
  let away = true;
  const desk = new Desk({ before: () => (away ? Promise.reject(new KubeError('connection refused')) : undefined) });
  desk.recorder.record(note());
  await desk.time.pass(5000);
  desk.recorder.record(note());
  await desk.time.pass(120_000);
  away = false;
  await desk.time.pass(16_000);
  assert.deepEqual(
    desk.events().map(({ count }) => count),
    [2],
  );
  assert.deepEqual(desk.problems, ['connection refused', undefined]);
});

test('an Event whose answer was lost is not counted as a new one', async () => {
  let lose = true;
  const desk = new Desk({
    after: () => {
      if (!lose) return undefined;
      lose = false;
      return Promise.reject(new KubeError('reset'));
    },
  });
  desk.recorder.record(note());
  await desk.time.pass(16_000);
  assert.equal(desk.events().length, 1);
});

test('where the right is missing it is asked for once a minute and told with its remedy; the rest is dropped', async () => {
  let forbidden = true;
  const desk = new Desk({
    before: () =>
      forbidden
        ? Promise.reject(new KubeError('events is forbidden', { status: 403, reason: 'Forbidden' }))
        : undefined,
  });
  for (let second = 0; second < 300; second++) {
    desk.recorder.record(note({ message: `Message ${second}`, uid: `uid-${second}` }));
    await desk.time.pass(1000);
  }
  assert.ok(desk.api.requests.length <= 6, `${desk.api.requests.length} requests`);
  assert.match(desk.problems[0] ?? '', /^events is forbidden\. Allow the verbs create, get and patch on events/);
  assert.equal(new Set(desk.problems).size, 1);
  assert.equal(desk.recorder.waiting, 0);
  forbidden = false;
  await desk.time.pass(60_000);
  desk.recorder.record(note());
  await desk.time.pass(0);
  assert.deepEqual([desk.problems.at(-1), desk.events().length], [undefined, 1]);
});

test('a namespace that is going or gone is no problem', async () => {
  const answers = [
    new KubeError('unable to create new content in namespace shop because it is being terminated', {
      status: 403,
      reason: 'Forbidden',
    }),
    new KubeError('namespaces "shop" not found', { status: 404, reason: 'NotFound' }),
  ];
  const desk = new Desk({ before: () => Promise.reject(answers.shift() ?? new KubeError('never')) });
  desk.recorder.record(note());
  desk.recorder.record(note({ message: 'Other.' }));
  await desk.time.pass(60_000);
  assert.deepEqual([desk.problems, desk.results.get('dropped')], [[], 2]);
});

test('who leads no more drops what waits', async () => {
  const desk = new Desk({ before: () => new Promise((resolve) => void desk.time.after(1000, resolve)) });
  for (let i = 0; i < 20; i++) desk.recorder.record(note({ uid: `uid-${i}` }));
  await desk.time.pass(500);
  desk.recorder.clear();
  await desk.time.pass(60_000);
  assert.deepEqual([desk.recorder.waiting, desk.api.requests.length, desk.events().length], [0, 4, 0]);
});

test('stopping writes what waits, for two seconds at most, and takes no more', async () => {
  const desk = new Desk({ before: () => new Promise((resolve) => void desk.time.after(900, resolve)) });
  for (let i = 0; i < 20; i++) desk.recorder.record(note({ uid: `uid-${i}` }));
  let stopped = false;
  void desk.recorder.stop().then(() => (stopped = true));
  await desk.time.pass(2000);
  assert.equal(stopped, true);
  assert.equal(desk.events().length, 8);
  assert.equal(desk.recorder.record(note()), false);
});

test('a message is cut to 1,024 bytes between characters', () => {
  for (const letter of ['x', 'é', '宿', '🦆']) {
    const cut = eventMessage(`${letter.repeat(1000)} and more`.repeat(2));
    assert.ok(Buffer.byteLength(cut) <= 1024 && Buffer.byteLength(cut) > 1016, `${letter}: ${Buffer.byteLength(cut)}`);
    assert.ok(cut.endsWith('…') && !cut.includes('\ufffd'));
  }
  assert.equal(eventMessage('x'.repeat(1024)), 'x'.repeat(1024));
});

test('a private key is never part of an Event', () => {
  assert.equal(eventMessage('It holds "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE"'), '[redacted]');
});
