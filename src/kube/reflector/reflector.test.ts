import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import type { Fault, FaultTarget } from '../../../test/support/fake-api-server/fault.ts';
import { ImpatientClock } from '../../../test/support/impatient-clock.ts';
import { contentsOf, MirrorSink } from '../../../test/support/mirror-sink.ts';
import type { KubeResource, ResourceScope } from '../kube-resource.ts';
import { openKubeClient } from '../open-kube-client.ts';
import type { ReflectorEvent } from './reflector-event.ts';
import { type RunningReflector, startReflector } from './start-reflector.ts';

const INGRESSES: KubeResource = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'ingresses',
  kind: 'Ingress',
  namespaced: true,
};
const SECRETS: KubeResource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };

interface Stage {
  readonly server: FakeApiServer;
  readonly sink: MirrorSink;
  readonly events: ReflectorEvent[];
  readonly reflector: RunningReflector;
  readonly clock: ImpatientClock;
}

interface StageOptions {
  readonly resource?: KubeResource;
  readonly scope?: ResourceScope;
  readonly before?: (server: FakeApiServer) => void;
}

async function stage(t: TestContext, options: StageOptions = {}): Promise<Stage> {
  const { resource = INGRESSES, scope = {}, before } = options;
  const clock = new ImpatientClock();
  const server = await FakeApiServer.start(t);
  before?.(server);
  const client = openKubeClient(server.config);
  const sink = new MirrorSink();
  const events: ReflectorEvent[] = [];
  const reflector = startReflector({
    client,
    resource,
    scope,
    sink,
    clock,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
  });
  t.after(async () => {
    reflector.stop();
    await reflector.ended;
    await client.close();
    assert.deepEqual(sink.violations, []);
  });
  return { server, sink, events, reflector, clock };
}

function put(server: FakeApiServer, name: string, fields: Readonly<Record<string, unknown>> = {}): void {
  server.store.put(INGRESSES, { ...fields, metadata: { name, namespace: 'shop' } });
}

function fill(server: FakeApiServer, count: number): void {
  for (let i = 0; i < count; i++) put(server, `web-${i}`);
}

function same({ server, sink }: Stage, resource: KubeResource = INGRESSES): boolean {
  return JSON.stringify(sink.contents) === JSON.stringify(contentsOf(server.store.list(resource)));
}

async function converged(it: Stage): Promise<void> {
  await it.sink.until(() => it.sink.syncs === 1 && same(it), 'the same as on the server');
}

/** The first `count` requests of this kind get the fault. */
function first(count: number, verb: FaultTarget['verb'], fault: Fault): (target: FaultTarget) => Fault | undefined {
  let left = count;
  return (target) => (target.verb === verb && left-- > 0 ? fault : undefined);
}

function count(events: readonly ReflectorEvent[], type: ReflectorEvent['type']): number {
  return events.filter((event) => event.type === type).length;
}

test('what is there is told, then synced once, then each change', async (t) => {
  const it = await stage(t, { before: (server) => fill(server, 3) });
  await converged(it);
  assert.equal(it.sink.objects.get('shop/web-0')?.kind, undefined);
  put(it.server, 'web-1', { spec: { changed: true } });
  it.server.store.delete(INGRESSES, 'shop/web-0');
  await converged(it);
  assert.deepEqual(it.sink.stateNames, ['listing', 'watching']);
  assert.deepEqual(
    it.events.filter(({ type }) => type !== 'changes'),
    [
      { type: 'list', resource: 'ingresses', by: 'initial-events' },
      { type: 'watch', resource: 'ingresses', resumed: false },
    ],
  );
});

test('events that come in one chunk are told in one call', async (t) => {
  const it = await stage(t, { before: (server) => fill(server, 200) });
  await converged(it);
  assert.equal(it.sink.changes.length, 200);
  const before = it.sink.batches.length;
  assert.ok(before < 20, `${before} calls`);
  for (let i = 0; i < 50; i++) put(it.server, `web-${i}`, { again: i });
  await converged(it);
  const calls = it.sink.batches.length - before;
  assert.ok(calls < 25, `${calls} calls for 50 changes`);
});

test('a selector and a namespace are asked for, and an object that leaves the selection is deleted', async (t) => {
  const it = await stage(t, {
    resource: SECRETS,
    scope: { namespace: 'shop', fieldSelector: 'type=kubernetes.io/tls' },
    before: (server) => {
      server.store.put(SECRETS, { type: 'kubernetes.io/tls', metadata: { name: 'in', namespace: 'shop' } });
      server.store.put(SECRETS, { type: 'Opaque', metadata: { name: 'out', namespace: 'shop' } });
      server.store.put(SECRETS, { type: 'kubernetes.io/tls', metadata: { name: 'in', namespace: 'other' } });
    },
  });
  await it.sink.until(() => it.sink.syncs === 1);
  assert.deepEqual([...it.sink.objects.keys()], ['shop/in']);
  it.server.store.put(SECRETS, { type: 'Opaque', metadata: { name: 'in', namespace: 'shop' } });
  await it.sink.until(() => it.sink.objects.size === 0);
});

for (const [support, by] of [
  ['refused', 'a server that refuses to begin a watch with all there is'],
  ['no-progress', 'an etcd without progress notices (200, then an ERROR event)'],
  ['ignored', 'a server that knows nothing of initial events'],
] as const) {
  test(`${by} is listed in pages, then watched from there`, async (t) => {
    const it = await stage(t, {
      before: (server) => {
        server.watches.watchList = support;
        fill(server, 1200);
      },
    });
    const passing = setInterval(() => it.clock.skip(31_000), 200);
    t.after(() => clearInterval(passing));
    await converged(it);
    clearInterval(passing);
    await it.sink.until(() => it.sink.stateNames.at(-1) === 'watching');
    const urls = it.server.requests.map(({ url }) => url);
    assert.equal(urls.filter((url) => url.includes('limit=500')).length, 3);
    assert.match(urls.at(-1) ?? '', /watch=true.*resourceVersion=1201/);
    put(it.server, 'late');
    await converged(it);
  });
}

test('what a server cannot do is learnt once for all reflectors of a client', async (t) => {
  const server = await FakeApiServer.start(t);
  server.watches.watchList = 'refused';
  const client = openKubeClient(server.config);
  for (let i = 0; i < 3; i++) {
    const sink = new MirrorSink();
    const reflector = startReflector({ client, resource: INGRESSES, sink, clock: new ImpatientClock() });
    await sink.until(() => sink.syncs === 1);
    reflector.stop();
    await reflector.ended;
  }
  await client.close();
  assert.equal(server.requests.filter(({ url }) => url.includes('sendInitialEvents')).length, 1);
});

test('deleted and made anew while nobody watched: a delete and a put', async (t) => {
  for (const watchList of ['full', 'refused'] as const) {
    const it = await stage(t, {
      before: (server) => {
        server.watches.watchList = watchList;
        fill(server, 3);
      },
    });
    await converged(it);
    const uid = it.sink.objects.get('shop/web-1')?.metadata.uid;
    await it.server.stop();
    it.server.store.delete(INGRESSES, 'shop/web-1');
    put(it.server, 'web-1');
    it.server.store.delete(INGRESSES, 'shop/web-2');
    it.server.store.compact();
    const told = it.sink.changes.length;
    await it.server.listen();
    await converged(it);
    const after = it.sink.changes
      .slice(told)
      .map(({ type, object }) => [type, object.metadata.name, object.metadata.namespace]);
    assert.deepEqual(after, [
      ['delete', 'web-1', 'shop'],
      ['put', 'web-1', 'shop'],
      ['delete', 'web-2', 'shop'],
    ]);
    assert.notEqual(it.sink.objects.get('shop/web-1')?.metadata.uid, uid);
    assert.equal(it.sink.syncs, 1);
  }
});

test('a list anew tells the difference only', async (t) => {
  const it = await stage(t, { before: (server) => fill(server, 1100) });
  await converged(it);
  await it.server.stop();
  put(it.server, 'web-7', { changed: true });
  it.server.store.compact();
  const told = it.sink.changeCount;
  await it.server.listen();
  await converged(it);
  assert.equal(it.sink.changeCount - told, 1);
  assert.equal(count(it.events, 'list'), 2);
});

test('after an API server restart each watch goes on from its version, and nothing is listed', async (t) => {
  const it = await stage(t, { before: (server) => fill(server, 10) });
  await converged(it);
  await it.server.stop();
  put(it.server, 'web-3', { changed: true });
  await it.sink.until(() => it.sink.states.some(({ state }) => state === 'waiting'));
  await it.server.listen();
  await converged(it);
  assert.equal(count(it.events, 'list'), 1);
  assert.equal(it.sink.stateNames.at(-1), 'watching');
});

/** What goes wrong with the watch that would bring the changes; then all is well again. */
const WATCH_FAULTS: readonly (readonly [string, Fault, { readonly relists: number }])[] = [
  ['an answer 410', { kind: 'status', status: { code: 410 } }, { relists: 1 }],
  ['an ERROR event 410', { kind: 'error-event', after: 0, status: { code: 410, reason: 'Expired' } }, { relists: 1 }],
  [
    'an ERROR event 410 after some events',
    { kind: 'error-event', after: 3, status: { code: 410, reason: 'Gone' } },
    { relists: 1 },
  ],
  ['an ERROR event 500', { kind: 'error-event', after: 2, status: { code: 500 } }, { relists: 0 }],
  [
    '"too large resource version"',
    { kind: 'status', status: { code: 504, retryAfterSeconds: 1, causes: ['ResourceVersionTooLarge'] } },
    { relists: 0 },
  ],
  ['429 with Retry-After', { kind: 'status', status: { code: 429, retryAfterSeconds: 7 } }, { relists: 0 }],
  ['an answer 500', { kind: 'status', status: { code: 500 } }, { relists: 0 }],
  ['an answer 503', { kind: 'status', status: { code: 503 } }, { relists: 0 }],
  ['401 for a while', { kind: 'status', status: { code: 401 } }, { relists: 0 }],
  ['an empty 200', { kind: 'empty' }, { relists: 0 }],
  ['a reset connection before the answer', { kind: 'refused' }, { relists: 0 }],
  ['a line cut in its middle by a reset', { kind: 'cut', bytes: 400 }, { relists: 0 }],
  ['a line cut in its middle by an orderly end', { kind: 'truncated', bytes: 400 }, { relists: 0 }],
  ['JSON that is none', { kind: 'garbage', after: 2 }, { relists: 0 }],
  ['a watch that ends early', { kind: 'ended', after: 2 }, { relists: 0 }],
  ['a silent server that never answers', { kind: 'silent' }, { relists: 0 }],
  ['a connection that falls silent', { kind: 'stalled', after: 1 }, { relists: 0 }],
  ['an answer that comes late', { kind: 'delay', milliseconds: 50 }, { relists: 0 }],
  ['an answer that comes in drops', { kind: 'slow', bytes: 7 }, { relists: 0 }],
  ['events of new objects in swapped order', { kind: 'reordering' }, { relists: 1 }],
];

for (const [name, fault, { relists }] of WATCH_FAULTS) {
  test(`watch: ${name}: the store ends equal to the server`, async (t) => {
    const it = await stage(t, { before: (server) => fill(server, 5) });
    await converged(it);
    it.server.fault = first(fault.kind === 'stalled' ? 1 : 3, 'watch', fault);
    it.server.watches.endAll();
    for (let i = 0; i < 8; i++) put(it.server, `web-${i}`, { changed: true });
    it.server.store.delete(INGRESSES, 'shop/web-2');
    put(it.server, 'web-2');
    const passing =
      fault.kind === 'silent' || fault.kind === 'stalled' ? setInterval(() => it.clock.skip(700_000), 500) : undefined;
    t.after(() => clearInterval(passing));
    await converged(it);
    assert.equal(count(it.events, 'list') > 1, relists > 0, `lists: ${count(it.events, 'list')}`);
    assert.equal(it.sink.syncs, 1);
  });
}

test('watch: changes of known objects in swapped order need no list', async (t) => {
  const it = await stage(t, { before: (server) => fill(server, 6) });
  await converged(it);
  it.server.fault = first(1, 'watch', { kind: 'reordering' });
  it.server.watches.endAll();
  await it.sink.until(() => count(it.events, 'watch') > 1, 'the second watch');
  for (let i = 0; i < 6; i++) put(it.server, `web-${i}`, { changed: true });
  it.server.store.delete(INGRESSES, 'shop/web-0');
  await converged(it);
  assert.deepEqual(
    it.sink.changes.slice(6).map(({ type, object }) => `${type} ${object.metadata.name}`),
    ['put web-1', 'put web-0', 'put web-3', 'put web-2', 'put web-5', 'put web-4', 'delete web-0'],
  );
  assert.equal(count(it.events, 'list'), 1);
});

test('watch: old events that are repeated: nothing goes back, and what was deleted stays deleted', async (t) => {
  const it = await stage(t, { before: (server) => fill(server, 5) });
  await converged(it);
  it.server.fault = first(1, 'watch', { kind: 'repeating', back: 3 });
  it.server.watches.endAll();
  await it.sink.until(() => count(it.events, 'watch') > 1, 'the second watch');
  for (let i = 0; i < 12; i++) {
    put(it.server, `new-${i}`);
    if (i > 0) it.server.store.delete(INGRESSES, `shop/new-${i - 1}`);
  }
  await converged(it);
});

test('watch: one that falls silent is left at its time and a margin, and a new one goes on from its version', async (t) => {
  const it = await stage(t);
  await converged(it);
  it.server.fault = first(1, 'watch', { kind: 'stalled', after: 0 });
  it.server.watches.endAll();
  await it.sink.until(() => count(it.events, 'watch') === 2, 'the second watch');
  it.clock.skip(470_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(it.sink.stateNames, ['listing', 'watching']);
  it.clock.skip(11_000);
  await it.sink.until(() => it.sink.stateNames.includes('waiting'), 'the guard');
  const waiting = it.sink.states.find(({ state }) => state === 'waiting');
  assert.match(
    waiting?.state === 'waiting' ? waiting.error.message : '',
    /nothing came for 480 s: the connection is dead/,
  );
});

const LIST_FAULTS: readonly (readonly [string, Fault])[] = [
  ['an answer 500', { kind: 'status', status: { code: 500 } }],
  ['429 with Retry-After', { kind: 'status', status: { code: 429, retryAfterSeconds: 3 } }],
  ['410 at once', { kind: 'status', status: { code: 410 } }],
  ['an empty 200', { kind: 'empty' }],
  ['JSON that is none', { kind: 'garbage' }],
  ['a body cut by a reset', { kind: 'cut', bytes: 5000 }],
  ['a body cut by an orderly end', { kind: 'truncated', bytes: 5000 }],
  ['a reset connection before the answer', { kind: 'refused' }],
  ['an answer that comes in drops', { kind: 'slow', bytes: 1000 }],
  ['a silent server that never answers', { kind: 'silent' }],
];

for (const [name, fault] of LIST_FAULTS) {
  test(`list: ${name}: it is tried again, and ends equal to the server`, async (t) => {
    const it = await stage(t, {
      before: (server) => {
        server.watches.watchList = 'refused';
        fill(server, 700);
        server.fault = first(2, 'list', fault);
      },
    });
    const passing = fault.kind === 'silent' ? setInterval(() => it.clock.skip(70_000), 200) : undefined;
    t.after(() => clearInterval(passing));
    await converged(it);
    assert.equal(it.sink.changeCount, 700);
  });
}

test('list: a continue token that is too old begins the list anew, and what went meanwhile is deleted', async (t) => {
  const it = await stage(t, {
    before: (server) => {
      server.watches.watchList = 'refused';
      fill(server, 1100);
      let lists = 0;
      server.fault = ({ verb }) => {
        lists += verb === 'list' ? 1 : 0;
        if (verb === 'list' && lists === 2) {
          server.store.delete(INGRESSES, 'shop/web-0');
          server.lists.expireTokens();
        }
        return undefined;
      };
    },
  });
  await converged(it);
  assert.equal(it.sink.objects.has('shop/web-0'), false);
  await it.sink.until(() => it.sink.states.length > 1);
  assert.deepEqual(it.sink.stateNames, ['listing', 'watching']);
});

test('list: tokens that are always too old: all comes in one page in the end', async (t) => {
  const it = await stage(t, {
    before: (server) => {
      server.watches.watchList = 'refused';
      fill(server, 1100);
      server.fault = ({ verb, query }) =>
        verb === 'list' && query.has('continue') ? { kind: 'status', status: { code: 410 } } : undefined;
    },
  });
  await converged(it);
});

test('initial events: a connection that breaks in their midst is begun anew, and nothing is told twice', async (t) => {
  const it = await stage(t, {
    before: (server) => {
      fill(server, 300);
      server.fault = first(1, 'watch', { kind: 'cut', bytes: 20_000 });
    },
  });
  await converged(it);
  assert.equal(it.sink.changeCount, 300);
});

test('initial events: a server that never ends them is listed after three tries', async (t) => {
  const it = await stage(t, {
    before: (server) => {
      fill(server, 30);
      server.fault = first(3, 'watch', { kind: 'ended', after: 10 });
    },
  });
  await converged(it);
  assert.ok(it.events.some((event) => event.type === 'list' && event.by === 'pages'));
});

test('a missing right is a state of its own, tried again slowly, and works when it is given', async (t) => {
  const it = await stage(t, {
    before: (server) => {
      fill(server, 2);
      server.forbidden.add('ingresses');
    },
  });
  await it.sink.until(() => it.sink.stateNames.includes('forbidden'));
  const state = it.sink.states.at(-1);
  assert.ok(state?.state === 'waiting' && state.retryIn >= 30_000);
  assert.match(state.error.message, /^watch ingresses: forbidden: /);
  it.server.forbidden.clear();
  await converged(it);
});

test('a right that is taken away later keeps what was told, and the watch goes on when it is given back', async (t) => {
  const it = await stage(t, { before: (server) => fill(server, 2) });
  await converged(it);
  it.server.forbidden.add('ingresses');
  it.server.watches.endAll();
  await it.sink.until(() => it.sink.stateNames.includes('forbidden'));
  assert.equal(it.sink.objects.size, 2);
  put(it.server, 'later');
  it.server.forbidden.clear();
  await converged(it);
  assert.equal(count(it.events, 'list'), 1);
});

test('a type that the server does not have is a state of its own, and is found when its CRD comes', async (t) => {
  const it = await stage(t, { before: (server) => server.absent.add('ingresses') });
  await it.sink.until(() => it.sink.stateNames.includes('absent'));
  assert.equal(it.sink.syncs, 0);
  it.server.absent.clear();
  fill(it.server, 1);
  await converged(it);
});

test('a server that was restored from a backup counts anew: the store ends equal to it', async (t) => {
  const it = await stage(t, { before: (server) => fill(server, 40) });
  await converged(it);
  await it.server.stop();
  for (let i = 1; i < 40; i++) it.server.store.delete(INGRESSES, `shop/web-${i}`);
  it.server.store.rewind(20);
  await it.server.listen();
  it.sink.forgiving = true;
  // A watch from the future is silent: only when it has ended is there a reason to ask.
  const passing = setInterval(() => it.clock.skip(700_000), 200);
  t.after(() => clearInterval(passing));
  await converged(it);
  clearInterval(passing);
  put(it.server, 'after');
  await converged(it);
});

test('Retry-After is obeyed', async (t) => {
  const it = await stage(t, {
    before: (server) => {
      server.fault = first(1, 'watch', { kind: 'status', status: { code: 429, retryAfterSeconds: 40 } });
    },
  });
  await converged(it);
  const state = it.sink.states.find(({ state }) => state === 'waiting');
  assert.ok(state?.state === 'waiting' && state.retryIn >= 40_000 && state.retryIn <= 50_000, JSON.stringify(state));
});

test('stopped at any moment it tells nothing more, and leaves no watch behind', async (t) => {
  for (const moment of ['at once', 'listing', 'in changed', 'watching', 'waiting'] as const) {
    const server = await FakeApiServer.start(t);
    fill(server, 1500);
    if (moment === 'listing') server.watches.watchList = 'refused';
    if (moment === 'waiting') server.fault = () => ({ kind: 'status', status: { code: 500 } });
    const client = openKubeClient(server.config);
    const sink = new MirrorSink();
    const reflector = startReflector({ client, resource: INGRESSES, sink });
    if (moment === 'in changed') {
      const changed = sink.changed.bind(sink);
      sink.changed = (changes) => {
        changed(changes);
        reflector.stop();
      };
    }
    if (moment === 'listing' || moment === 'in changed') await sink.until(() => sink.changeCount > 0);
    if (moment === 'watching') await sink.until(() => sink.syncs === 1);
    if (moment === 'waiting') await sink.until(() => sink.stateNames.includes('waiting'));
    reflector.stop();
    const told = sink.changeCount + sink.states.length;
    await reflector.ended;
    put(server, 'late');
    await client.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(sink.changeCount + sink.states.length, told, moment);
    assert.equal(server.watches.open, 0, moment);
  }
});

test('a sink that throws is told all of it again', async (t) => {
  const server = await FakeApiServer.start(t);
  fill(server, 3);
  const client = openKubeClient(server.config);
  const sink = new MirrorSink();
  const changed = sink.changed.bind(sink);
  let calls = 0;
  sink.changed = (changes) => {
    calls += 1;
    if (calls === 2) throw new Error('a bug');
    changed(changes);
  };
  sink.forgiving = true;
  const reflector = startReflector({ client, resource: INGRESSES, sink, clock: new ImpatientClock() });
  t.after(async () => {
    reflector.stop();
    await client.close();
  });
  await sink.until(() => sink.syncs === 1);
  put(server, 'lost');
  await sink.until(() => sink.objects.has('shop/lost'));
  assert.equal(sink.objects.size, 4);
});
