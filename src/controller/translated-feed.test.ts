import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeSource } from '../../test/support/fake-source.ts';
import { FakeTranslator, putService } from '../../test/support/fake-translator.ts';
import type { NeedChange } from '../snapshot/needed-keys.ts';
import { TranslatedFeed } from './translated-feed.ts';

class NeededSource extends FakeSource {
  readonly needs: NeedChange[] = [];
  readonly answers: PromiseWithResolvers<void>[] = [];

  need(changes: readonly NeedChange[]): Promise<void> {
    this.needs.push(...changes);
    const answer = Promise.withResolvers<void>();
    this.answers.push(answer);
    return answer.promise;
  }
}

async function started(t: TestContext) {
  const source = new NeededSource();
  const translator = new FakeTranslator();
  const query = async () => ({ outcome: 'gone', error: 'ENOTFOUND' }) as const;
  const feed = new TranslatedFeed({ source, translator, query });
  t.after(() => feed.stop());
  let passed = 0;
  const synced = Promise.withResolvers<void>();
  await feed.start({
    changed: () => ++passed,
    replaced: () => passed,
    synced() {
      synced.resolve();
      return passed;
    },
    noted() {},
  });
  source.sink.synced();
  await synced.promise;
  return { source, translator, feed, passed: () => passed };
}

test('a change waits for the Secrets that it is the first to name, and so do those that come meanwhile', async (t) => {
  const { source, translator, passed } = await started(t);
  translator.needs.push({ key: 'shop/tls', needed: true });
  source.sink.changed([putService('web', 80)]);
  await turn();
  source.sink.changed([putService('other', 80)]);
  await turn();
  assert.deepEqual(source.needs, [{ key: 'shop/tls', needed: true }]);
  assert.equal(passed(), 0);
  source.answers[0]!.resolve();
  await turn();
  await turn();
  assert.equal(passed(), 1);
});

test('a change that names no new Secret doesn’t wait', async (t) => {
  const { source, passed } = await started(t);
  source.sink.changed([putService('web', 80)]);
  await turn();
  assert.equal(passed(), 1);
  assert.deepEqual(source.needs, []);
});

test('a Secret that nobody can get holds a change up for a second and no longer', async (t) => {
  const { source, translator, passed } = await started(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  translator.needs.push({ key: 'shop/tls', needed: true });
  source.sink.changed([putService('web', 80)]);
  await turn();
  assert.equal(passed(), 0);
  t.mock.timers.tick(1000);
  await turn();
  assert.equal(passed(), 1);
});
