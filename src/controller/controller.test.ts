import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { FakeDriver } from '../../test/support/fake-driver.ts';
import { FakeSource } from '../../test/support/fake-source.ts';
import { FakeTranslator, putService } from '../../test/support/fake-translator.ts';
import { backendPart, mutableModel } from '../../test/support/model-parts.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { Controller, type ControllerOptions } from './controller.ts';
import { StateStore } from './state-store.ts';
import { TranslatedFeed, type TranslatedFeedOptions } from './translated-feed.ts';

function parts({ query, ...more }: Partial<ControllerOptions & Pick<TranslatedFeedOptions, 'query'>> = {}) {
  const source = new FakeSource();
  const translator = new FakeTranslator();
  const driver = new FakeDriver();
  const feed = new TranslatedFeed({
    source,
    translator,
    query: query ?? (async () => ({ outcome: 'gone', error: 'ENOTFOUND' })),
    random: () => 0,
    ...(more.onFault === undefined ? {} : { onFault: more.onFault }),
  });
  const controller = new Controller({ feed, drivers: [driver], version: '1.2.3', random: () => 0, ...more });
  return { source, translator, driver, controller };
}

const soon = () => AbortSignal.timeout(10_000);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function savedModel(port: number) {
  const model = mutableModel();
  model.backends.set('web', backendPart('web', port));
  return model;
}

const finding: Finding = {
  code: 'WEIR0001',
  severity: 'error',
  object: { kind: 'Folder', namespace: '', name: 'x' },
  field: '',
  message: 'It is missing.',
  fix: 'Make it.',
};

test('nothing is applied before the source has told everything', async () => {
  const { controller, source, driver } = parts();
  await controller.start();
  source.sink.changed([putService('web', 80)]);
  await turn();
  assert.equal(driver.applies.length, 0);
  assert.deepEqual([controller.ready(), controller.status().state], [false, 'syncing']);
  source.sink.synced();
  assert.equal(await controller.settle(soon()), true);
  assert.deepEqual([...driver.inForce.keys()], ['web']);
  assert.deepEqual([controller.ready(), controller.status().state], [true, 'running']);
  await controller.stop('drain');
});

test('a saved model is in force before the source is read, and is replaced by what differs', async () => {
  const { controller, source, driver } = parts({ saved: savedModel(80) });
  await controller.start();
  await turn();
  assert.deepEqual(driver.applies, [{ backends: 'everything' }]);
  assert.deepEqual([controller.ready(), controller.status().model.origin], [true, 'saved']);
  source.sink.changed([putService('web', 80), putService('api', 81)]);
  source.sink.synced();
  await controller.settle(soon());
  assert.deepEqual(driver.applies.at(-1), { backends: ['api'] });
  assert.equal(controller.status().model.origin, 'source');
  await controller.stop('drain');
});

test('the source is not read while the saved model is on its way, and is where that fails or takes long', async () => {
  const slow = parts({ saved: savedModel(80) });
  slow.driver.hold();
  const started = slow.controller.start();
  await turn();
  assert.throws(() => slow.source.sink, /not started/);
  slow.driver.release();
  await started;
  assert.ok(slow.source.sink);
  await slow.controller.stop('drain');

  const failing = parts({ saved: savedModel(80) });
  failing.driver.applyErrors = [new Error('refused')];
  await failing.controller.start();
  assert.ok(failing.source.sink);
  await failing.controller.stop('drain');

  const hanging = parts({ saved: savedModel(80) });
  hanging.driver.hold();
  await hanging.controller.start();
  assert.ok(hanging.source.sink);
  hanging.driver.release();
  await hanging.controller.stop('drain');
});

test('a source is not read after a stop that came while the saved model was on its way', async () => {
  const { controller, source, driver } = parts({ saved: savedModel(80) });
  driver.hold();
  const started = controller.start();
  await turn();
  const stopped = controller.stop('drain');
  driver.release();
  await Promise.all([started, stopped]);
  assert.throws(() => source.sink, /not started/);
});

test('a source that never gets complete leaves the saved model in force', async () => {
  const { controller, source, driver } = parts({ saved: savedModel(80) });
  source.isHealthy = false;
  await controller.start();
  source.sink.report('folder', [finding]);
  await turn();
  assert.deepEqual([...driver.inForce.keys()], ['web']);
  assert.equal(controller.hasModel, true);
  assert.equal(controller.ready(), true);
  assert.equal(controller.status().source.healthy, false);
  assert.equal(controller.findings()[0]?.message, 'It is missing.');
  await controller.stop('leave');
  assert.equal(driver.stopped, 'leave');
});

test('a source that can not start is an error only if nothing was saved', async () => {
  const bare = parts();
  bare.source.startError = new Error('no such folder');
  await assert.rejects(bare.controller.start(), /no such folder/);
  await bare.controller.stop('drain');
  const withState = parts({ saved: savedModel(80) });
  withState.source.startError = new Error('no such folder');
  await withState.controller.start();
  assert.equal(withState.controller.status().source.error, 'no such folder');
  await withState.controller.stop('drain');
});

test('all changes of one turn of the loop are one message, each raises the generation once', async () => {
  const { controller, source, driver } = parts();
  await controller.start();
  source.sink.synced();
  await controller.settle(soon());
  const before = controller.status().generation;
  source.sink.changed([putService('a', 1)]);
  source.sink.changed([putService('b', 2)]);
  await controller.settle(soon());
  assert.equal(controller.status().generation, before + 1);
  assert.deepEqual(driver.applies.at(-1), { backends: ['a', 'b'] });
  await controller.stop('drain');
});

test('settling waits for the source, for DNS and for every driver', async () => {
  const answer = Promise.withResolvers<{ outcome: 'found'; addresses: string[]; ttlSeconds: number }>();
  const slow = new FakeDriver('slow');
  const { controller, source, driver } = parts({
    drivers: [new FakeDriver('quick'), slow],
    query: () => answer.promise,
  });
  assert.equal(driver.applies.length, 0);
  await controller.start();
  source.sink.synced();
  await controller.settle(soon());
  source.onSettle = async () => source.sink.changed([putService('named', 'db.example')]);
  slow.hold();
  let settled = false;
  const waiting = controller.settle(soon()).then(() => (settled = true));
  await turn();
  answer.resolve({ outcome: 'found', addresses: ['192.0.2.1'], ttlSeconds: 60 });
  await turn();
  await turn();
  assert.equal(settled, false);
  slow.release();
  await waiting;
  assert.equal(slow.inForce.has('db.example'), true);
  await controller.stop('drain');
});

test('settling gives up when its signal does', async () => {
  const { controller } = parts();
  await controller.start();
  assert.equal(await controller.settle(AbortSignal.timeout(20)), false);
  await controller.stop('drain');
});

test('one failing driver does not delay another, and makes the program degraded, not stopped', async () => {
  const good = new FakeDriver('good');
  const bad = new FakeDriver('bad');
  bad.applyErrors = Array.from({ length: 50 }, () => new Error('unreachable'));
  const { controller, source } = parts({ drivers: [good, bad], random: () => 1 });
  await controller.start();
  source.sink.changed([putService('web', 80)]);
  source.sink.synced();
  await turn();
  await turn();
  assert.equal(good.inForce.size, 1);
  const status = controller.status();
  assert.deepEqual([status.state, status.ready, status.appliedGeneration], ['degraded', true, 0]);
  assert.equal(status.drivers[1]?.error, 'unreachable');
  await controller.stop('drain');
});

test('a finding keeps the time at which it was first seen', async () => {
  let time = Date.parse('2026-01-01T00:00:00Z');
  const { controller, source } = parts({ now: () => new Date(time) });
  await controller.start();
  source.sink.report('folder', [finding]);
  const [first] = controller.findings();
  time += 60_000;
  source.sink.report('other', [{ ...finding, message: 'Another.' }]);
  const [again, other] = controller.findings();
  assert.equal(again?.seen, first?.seen);
  assert.equal(other?.seen, '2026-01-01T00:01:00.000Z');
  source.sink.report('folder', []);
  assert.deepEqual(
    controller.findings().map(({ message }) => message),
    ['Another.'],
  );
  await controller.stop('drain');
});

test('what was in force is saved, and what a failed apply wanted is not', async (context: TestContext) => {
  const directory = await mkdtemp(join(tmpdir(), 'weir-controller-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const { store } = await StateStore.open({ directory });
  const { controller, source, driver } = parts({ store, random: () => 1 });
  await controller.start();
  source.sink.changed([putService('web', 80)]);
  source.sink.synced();
  await controller.settle(soon());
  driver.applyErrors = Array.from({ length: 9 }, () => new Error('refused'));
  source.sink.changed([putService('web', 81)]);
  await turn();
  await turn();
  await controller.stop('drain');
  const again = await StateStore.open({ directory });
  await again.store.close();
  assert.equal(again.reading.model?.backends.get('web')?.endpoints[0]?.port, 80);
});

test('stopping waits for the apply under way, then stops the load balancer as asked', async () => {
  const { controller, source, driver } = parts();
  await controller.start();
  source.sink.synced();
  await controller.settle(soon());
  driver.hold();
  source.sink.changed([putService('web', 80)]);
  await turn();
  await turn();
  const stopping = controller.stop('drain');
  await turn();
  assert.equal(driver.stopped, undefined);
  assert.equal(controller.ready(), false);
  driver.release();
  await stopping;
  assert.deepEqual([driver.stopped, driver.inForce.size, source.stopped], ['drain', 1, true]);
});

test('reloads are counted as they happen, with the objects that the plan names', async () => {
  const { controller, source, driver } = parts();
  await controller.start();
  const object = { kind: 'Ingress', namespace: 'shop', name: 'web' };
  driver.reload = { reason: 'profile', detail: 'grpc', origins: [{ object, field: '' }] };
  source.sink.changed([putService('web', 80)]);
  source.sink.synced();
  controller.noteReload('fake', 'profile', 'grpc');
  await controller.settle(soon());
  const { reloads, lastReloadReasons } = controller.status();
  assert.equal(reloads, 1);
  assert.deepEqual([lastReloadReasons[0]?.reason, lastReloadReasons[0]?.objects], ['profile', [object]]);
  await controller.stop('drain');
});

test('what a driver sees to be left out counts without another apply', async (context: TestContext) => {
  const { controller, source, driver } = parts();
  await controller.start();
  source.sink.synced();
  await controller.settle(soon());
  driver.detail = { findings: [finding] };
  source.sink.changed([putService('web', 80)]);
  driver.reload = { reason: 'profile', detail: '', origins: [] };
  await controller.settle(soon());
  await turn();
  assert.deepEqual(controller.status().quarantined, [finding]);
  context.after(() => controller.stop('drain'));
});

test('the program is unready when nothing of a change got through for 30 seconds', async (context: TestContext) => {
  const { controller, source, driver } = parts({ random: () => 1 });
  await controller.start();
  source.sink.synced();
  await controller.settle(soon());
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  driver.hold();
  source.sink.changed([putService('web', 80)]);
  await turn();
  await turn();
  context.mock.timers.tick(29_999);
  assert.equal(controller.ready(), true);
  context.mock.timers.tick(2);
  assert.equal(controller.ready(), false);
  driver.release();
  await controller.settle(soon());
  assert.equal(controller.ready(), true);
  await controller.stop('drain');
});
