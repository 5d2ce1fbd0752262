import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeDriver } from '../../test/support/fake-driver.ts';
import { FakeSource } from '../../test/support/fake-source.ts';
import { FakeTranslator, putService } from '../../test/support/fake-translator.ts';
import type { ModelDelta } from '../model/model.ts';
import type { ResourceChange } from '../snapshot/resource.ts';
import { Controller } from './controller.ts';
import { SteadyTranslator } from './steady-translator.ts';
import { TranslatedFeed } from './translated-feed.ts';

/** Throws after it has taken in half of what it was given, as long as `bad` is among it. */
class BrittleTranslator extends FakeTranslator {
  bad: string | undefined = 'bad';
  findingsFail = false;

  override update(changes: readonly ResourceChange[]): ModelDelta {
    const index = changes.findIndex((change) => change.type === 'put' && change.resource.ref.name === this.bad);
    if (index === -1) return super.update(changes);
    super.update(changes.slice(0, index));
    throw new Error('a bug');
  }

  override findings() {
    if (this.findingsFail) throw new Error('another bug');
    return super.findings();
  }
}

async function running() {
  const source = new FakeSource();
  const translator = new BrittleTranslator();
  const driver = new FakeDriver();
  const feed = new TranslatedFeed({
    source,
    translator,
    query: async () => ({ outcome: 'gone', error: 'ENOTFOUND' }),
    random: () => 0,
  });
  const controller = new Controller({ feed, drivers: [driver], version: '1.2.3', random: () => 0 });
  await controller.start();
  source.sink.changed([putService('web', 80)]);
  source.sink.synced();
  assert.equal(await settle(controller), true);
  return { source, translator, driver, controller };
}

const settle = (controller: Controller) => controller.settle(AbortSignal.timeout(10_000));
const faults = (controller: Controller) =>
  controller.findings().map(({ code, object, message }) => `${code} ${object.kind}/${object.name} ${message}`);

test('an exception of the translator costs the object that it is about; all others of the same delivery are in force', async () => {
  const { source, driver, controller } = await running();
  source.sink.changed([putService('a', 81), putService('bad', 82), putService('c', 83)]);
  assert.equal(await settle(controller), true);
  assert.deepEqual([...driver.inForce.keys()].sort(), ['a', 'c', 'web']);
  assert.equal(controller.status().findings.errors, 1);
  assert.match(faults(controller)[0] ?? '', /^WEIR0500 Service\/bad weir failed at .*Error: a bug/u);
  source.sink.changed([putService('d', 84)]);
  await settle(controller);
  assert.deepEqual([...driver.inForce.keys()].sort(), ['a', 'c', 'd', 'web']);
  await controller.stop('drain');
});

test('what the translator failed at is in force when it changes to something that works', async () => {
  const { source, translator, driver, controller } = await running();
  source.sink.changed([putService('bad', 82)]);
  await settle(controller);
  translator.bad = undefined;
  source.sink.changed([putService('bad', 83)]);
  await settle(controller);
  assert.deepEqual([...driver.inForce.keys()].sort(), ['bad', 'web']);
  assert.deepEqual(faults(controller), []);
  await controller.stop('drain');
});

test('what the translator failed at is tried again at the next tick', () => {
  const brittle = new BrittleTranslator();
  let lost = 0;
  const steady = new SteadyTranslator(brittle, () => (lost += 1));
  steady.update([putService('a', 81), putService('bad', 82)]);
  assert.ok(lost > 0);
  assert.equal(steady.refuses({ kind: 'Service', namespace: 'shop', name: 'bad' }), true);
  assert.equal(steady.findings().length, 1);
  brittle.bad = undefined;
  assert.deepEqual([...steady.tick().backends], ['bad']);
  assert.deepEqual([brittle.model.backends.has('bad'), steady.findings()], [true, []]);
});

test('status can be asked while the findings can not be told', async () => {
  const { translator, controller } = await running();
  translator.findingsFail = true;
  assert.match(faults(controller)[0] ?? '', /WEIR0500 Configuration\/weir .*another bug/u);
  assert.equal(controller.status().findings.errors, 1);
  translator.findingsFail = false;
  assert.deepEqual(faults(controller), []);
  await controller.stop('drain');
});

test('a source that fails at settling makes waiting end without success, not with an error', async () => {
  const { source, controller } = await running();
  source.onSettle = async () => {
    throw new Error('cannot look');
  };
  assert.equal(await settle(controller), false);
  assert.equal(controller.status().generation > 0, true);
  await controller.stop('drain');
});

test('a listener that throws keeps neither the others nor the drivers from their work', async () => {
  const { source, driver, controller } = await running();
  const told: string[] = [];
  controller.listen({
    applied: () => {
      throw new Error('a listener');
    },
  });
  controller.listen({ applied: (name) => told.push(name) });
  source.sink.changed([putService('a', 81)]);
  await settle(controller);
  source.sink.changed([putService('b', 82)]);
  assert.equal(await settle(controller), true);
  assert.deepEqual([...driver.inForce.keys()].sort(), ['a', 'b', 'web']);
  assert.deepEqual(told, ['fake', 'fake']);
  await controller.stop('drain');
});
