import assert from 'node:assert/strict';
import { appendFile, type FileHandle, mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { backendPart, backendsDelta, type MutableModel, mutableModel } from '../../test/support/model-parts.ts';
import { Redacted } from '../lib/redacted.ts';
import { diffModels, emptyDelta, isEmptyDelta, wholeModel } from '../model/diff.ts';
import { emptyModel, type Model } from '../model/model.ts';
import { readState } from './state-reading.ts';
import { StateStore, type StateStoreOptions } from './state-store.ts';

async function temporary(context: Pick<TestContext, 'after'>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'weir-state-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function reload(directory: string): Promise<{ readonly model: Model | undefined; readonly problem?: string }> {
  const { store, reading } = await StateStore.open({ directory });
  await store.close();
  return reading;
}

async function opened(directory: string, more: Partial<StateStoreOptions> = {}): Promise<StateStore> {
  return (await StateStore.open({ directory, ...more })).store;
}

function withCertificate(key: string): MutableModel {
  const model = mutableModel();
  const origin = { object: { kind: 'Secret', namespace: 'shop', name: 'tls' }, field: '' };
  const times = { notBefore: '2026-01-01T00:00:00Z', notAfter: '2027-01-01T00:00:00Z' };
  const certificate = {
    id: 'shop/tls',
    chain: 'CHAIN',
    privateKey: new Redacted(key),
    keyType: 'ec' as const,
    ...times,
  };
  model.certificates.set('shop/tls', { ...certificate, names: ['a.example'], fingerprint: 'ab', origin });
  return model;
}

test('without a file there is no model, and closing without a change makes none', async (context) => {
  const directory = await temporary(context);
  assert.equal((await reload(directory)).model, undefined);
  assert.equal((await reload(directory)).model, undefined);
});

test('an empty model that was in force is a model', async (context) => {
  const directory = await temporary(context);
  const store = await opened(directory);
  store.record(emptyModel(), emptyDelta());
  await store.close();
  assert.deepEqual((await reload(directory)).model, emptyModel());
});

test('private keys survive, in a file that only its owner may read', async (context) => {
  const directory = await temporary(context);
  const model = withCertificate('-----KEY-----');
  const store = await opened(directory);
  store.record(model, wholeModel(model));
  await store.close();
  const { model: loaded } = await reload(directory);
  assert.equal(loaded?.certificates.get('shop/tls')?.privateKey.reveal(), '-----KEY-----');
  assert.equal((await stat(join(directory, 'model.jsonl'))).mode & 0o777, 0o600);
});

test('a user’s text that looks like a stored secret stays a text', async (context) => {
  const directory = await temporary(context);
  const model = mutableModel();
  model.backends.set('a', { ...backendPart('a', 1), fastcgi: { parameters: { secrets: '[redacted]', $secret: 'x' } } });
  const store = await opened(directory);
  store.record(model, wholeModel(model));
  await store.close();
  assert.deepEqual((await reload(directory)).model, model);
});

test('a change is written soon by itself, and costs in proportion to itself', async (context) => {
  const directory = await temporary(context);
  const model = mutableModel();
  for (let index = 0; index < 2000; index++) model.backends.set(`b${index}`, backendPart(`b${index}`, 80));
  const store = await opened(directory);
  store.record(model, wholeModel(model));
  await store.flush();
  const before = (await stat(join(directory, 'model.jsonl'))).size;
  model.backends.set('b7', backendPart('b7', 8080));
  store.record(model, backendsDelta('b7'));
  while (store.pending > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await store.flush();
  const grown = (await stat(join(directory, 'model.jsonl'))).size - before;
  assert.ok(grown > 0 && grown < 1000, `grew by ${grown}`);
  await store.close();
  assert.deepEqual((await reload(directory)).model, model);
});

test('the journal is folded into a new snapshot when it has outgrown the old one', async (context) => {
  const directory = await temporary(context);
  const model = mutableModel();
  const store = await opened(directory);
  const padding = 'x'.repeat(10_000);
  for (let round = 0; round < 300; round++) {
    model.backends.set('a', { ...backendPart('a', 1 + round), fastcgi: { parameters: { padding } } });
    store.record(model, backendsDelta('a'));
    await store.flush();
  }
  assert.ok((await stat(join(directory, 'model.jsonl'))).size < 1_200_000);
  await store.close();
  assert.deepEqual((await reload(directory)).model, model);
});

test('parts that say what is saved take its place in memory, and are not written again', async (context) => {
  const directory = await temporary(context);
  const before = mutableModel();
  for (const key of ['same', 'other']) before.backends.set(key, backendPart(key, 80));
  const first = await opened(directory);
  first.record(before, wholeModel(before));
  await first.close();
  const { size } = await stat(join(directory, 'model.jsonl'));
  const store = await opened(directory);
  const live = mutableModel();
  live.backends.set('same', backendPart('same', 80));
  live.backends.set('other', backendPart('other', 81));
  store.share(live);
  store.record(live, backendsDelta('same'));
  assert.equal(store.pending, 0);
  store.record(live, backendsDelta('other'));
  assert.equal(store.pending, 1);
  await store.close();
  assert.ok((await stat(join(directory, 'model.jsonl'))).size > size);
  assert.deepEqual((await reload(directory)).model, live);
});

test('a torn last line is dropped, told, and written over', async (context) => {
  const directory = await temporary(context);
  const path = join(directory, 'model.jsonl');
  const model = mutableModel();
  model.backends.set('a', backendPart('a', 1));
  const store = await opened(directory);
  store.record(model, wholeModel(model));
  await store.close();
  await appendFile(path, '0123abcd {"put":"backe');
  const again = await StateStore.open({ directory });
  assert.deepEqual(again.reading.model, model);
  assert.match(again.reading.problem ?? '', /torn/);
  model.backends.set('b', backendPart('b', 2));
  again.store.record(model, backendsDelta('b'));
  await again.store.close();
  const last = await reload(directory);
  assert.deepEqual([last.model, last.problem], [model, undefined]);
});

test('wherever the file is cut or damaged, what loads is a model that was once in force', async (context) => {
  const directory = await temporary(context);
  const path = join(directory, 'model.jsonl');
  const model = mutableModel();
  const store = await opened(directory);
  const history: Model[] = [];
  for (let round = 1; round <= 6; round++) {
    model.backends.set(`b${round % 3}`, backendPart(`b${round % 3}`, round));
    model.backends.set('pair', backendPart('pair', round));
    store.record(model, backendsDelta(`b${round % 3}`, 'pair'));
    await store.flush();
    history.push({ ...mutableModel(), backends: new Map(model.backends) });
  }
  await store.close();
  const whole = await readFile(path);
  const known = (loaded: Model | undefined) =>
    loaded === undefined || history.some((past) => isEmptyDelta(diffModels(past, loaded)));
  for (let length = 0; length < whole.length; length += 7) {
    await truncate(path, 0);
    await writeFile(path, whole.subarray(0, length));
    assert.ok(known((await reload(directory)).model), `cut at ${length}`);
    const damaged = Buffer.from(whole);
    damaged[length] = damaged[length]! ^ 0x15;
    await writeFile(path, damaged);
    const reading = await reload(directory);
    assert.ok(known(reading.model), `damaged at ${length}`);
    assert.notEqual(reading.problem, undefined, `damage at ${length} went unnoticed`);
  }
});

test('a full disk is told at each try, loses nothing, and is tried again', async (context) => {
  const directory = await temporary(context);
  const problems: (string | undefined)[] = [];
  let full = false;
  const store = await opened(directory, {
    append: async (file, text) => {
      if (!full) return file.writeFile(text);
      await file.writeFile(text.slice(0, text.length / 2));
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    },
    onProblem: (problem) => problems.push(problem?.message),
  });
  const model = mutableModel();
  model.backends.set('a', backendPart('a', 1));
  store.record(model, wholeModel(model));
  await store.flush();
  full = true;
  model.backends.set('b', backendPart('b', 2));
  store.record(model, backendsDelta('b'));
  await store.flush();
  await store.flush();
  assert.match(store.problem?.message ?? '', /ENOSPC/);
  assert.equal(store.pending, 1);
  const kept = await reload(directory);
  assert.deepEqual(
    [[...(kept.model?.backends.keys() ?? [])], kept.problem],
    [['a'], undefined],
    'no half a line stays',
  );
  full = false;
  await store.close();
  const told = 'ENOSPC: no space left on device, write';
  assert.deepEqual(problems, [told, told, undefined]);
  const { model: loaded, problem } = await reload(directory);
  assert.deepEqual([loaded, problem], [model, undefined]);
});

/** A disk on which `model.jsonl` and `model.jsonl.new` together may take so many bytes. */
function smallDisk(directory: string) {
  const disk = { room: Infinity };
  const append = async (file: FileHandle, text: string) => {
    const sizes = await Promise.all(['model.jsonl', 'model.jsonl.new'].map((name) => sizeOf(join(directory, name))));
    const { size } = await file.stat();
    // Of the file beside, the part that is there already is written over.
    const grows = (await isBeside(file, directory)) ? Math.max(0, position(file) + text.length - size) : text.length;
    if (sizes[0]! + sizes[1]! + grows > disk.room) {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    }
    await file.writeFile(text);
    written.set(file, position(file) + text.length);
  };
  const written = new WeakMap<FileHandle, number>();
  const position = (file: FileHandle) => written.get(file) ?? 0;
  return { disk, append };
}

const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0;

async function isBeside(file: FileHandle, directory: string): Promise<boolean> {
  const beside = await stat(join(directory, 'model.jsonl.new')).catch(() => undefined);
  return beside?.ino === (await file.stat()).ino;
}

const padded = (name: string, bytes: number) => ({
  ...backendPart(name, 1),
  fastcgi: { parameters: { padding: 'x'.repeat(bytes) } },
});

test('a model that has shrunk is saved on a full disk: the room for it is kept', async (context) => {
  const directory = await temporary(context);
  const { disk, append } = smallDisk(directory);
  const model = mutableModel();
  const names = Array.from({ length: 400 }, (_, index) => `b${index}`);
  for (const name of names) model.backends.set(name, padded(name, 1000));
  const store = await opened(directory, { append });
  store.record(model, wholeModel(model));
  await store.flush();
  disk.room = (await sizeOf(join(directory, 'model.jsonl'))) + (await sizeOf(join(directory, 'model.jsonl.new')));
  for (const name of names.slice(1)) model.backends.delete(name);
  store.record(model, backendsDelta(...names.slice(1)));
  await store.flush();
  assert.deepEqual([store.problem, store.pending], [undefined, 0]);
  assert.ok((await sizeOf(join(directory, 'model.jsonl'))) < 3000);
  await store.close();
  assert.deepEqual((await reload(directory)).model, model);
});

test('a snapshot that fits in place of the journal takes it; until then there is the older snapshot, and never nothing', async (context) => {
  const directory = await temporary(context);
  const { disk, append } = smallDisk(directory);
  const model = mutableModel();
  const seen: (number | undefined)[] = [];
  const store = await opened(directory, {
    append: async (file, text) => {
      await append(file, text);
      seen.push(
        readState(await readFile(join(directory, 'model.jsonl')).catch(() => Buffer.alloc(0))).model?.backends.size,
      );
    },
  });
  model.backends.set('first', padded('first', 100));
  store.record(model, wholeModel(model));
  await store.flush();
  for (let round = 0; round < 9; round++) {
    model.backends.set('a', padded('a', 100_000 + round));
    store.record(model, backendsDelta('a'));
    await store.flush();
  }
  disk.room = (await sizeOf(join(directory, 'model.jsonl'))) + (await sizeOf(join(directory, 'model.jsonl.new')));
  seen.length = 0;
  model.backends.set('b', padded('b', 100_000));
  store.record(model, backendsDelta('b'));
  await store.flush();
  assert.deepEqual([store.problem, store.pending], [undefined, 0]);
  assert.ok(seen.includes(1) && !seen.includes(undefined), `while it was written: ${seen.join(', ')} backends`);
  await store.close();
  assert.deepEqual((await reload(directory)).model, model);
});

test('a journal that has outgrown the snapshot goes on where rewriting has no room, and says so', async (context) => {
  const directory = await temporary(context);
  const { disk, append } = smallDisk(directory);
  const store = await opened(directory, { append });
  const model = mutableModel();
  for (const name of ['a', 'b', 'c', 'd']) {
    model.backends.set(name, padded(name, 400_000));
    store.record(model, backendsDelta(name));
    await store.flush();
  }
  disk.room =
    (await sizeOf(join(directory, 'model.jsonl'))) + (await sizeOf(join(directory, 'model.jsonl.new'))) + 1000;
  model.backends.set('e', backendPart('e', 1));
  store.record(model, backendsDelta('e'));
  await store.flush();
  assert.match(store.problem?.message ?? '', /^every change is in the file so far, but rewriting it fails: ENOSPC/);
  assert.equal(store.pending, 0);
  assert.deepEqual((await reload(directory)).model, model);
  disk.room = Infinity;
  await store.flush();
  assert.equal(store.problem, undefined);
  await store.close();
  assert.deepEqual((await reload(directory)).model, model);
});

test('what a torn file holds beyond its last commit gives way to a new snapshot on a full disk', async (context) => {
  const directory = await temporary(context);
  const path = join(directory, 'model.jsonl');
  const model = mutableModel();
  model.backends.set('a', backendPart('a', 1));
  const store = await opened(directory);
  store.record(model, wholeModel(model));
  await store.close();
  await rm(`${path}.new`);
  await appendFile(path, `0123abcd {"put":"${'x'.repeat(50_000)}`);
  const { disk, append } = smallDisk(directory);
  disk.room = await sizeOf(path);
  const again = await opened(directory, { append });
  model.backends.set('b', backendPart('b', 2));
  again.record(model, backendsDelta('b'));
  await again.flush();
  assert.equal(again.problem, undefined);
  await again.close();
  assert.deepEqual((await reload(directory)).model, model);
});

test('something else in the place of the saved state is named, with the remedy', async (context) => {
  const directory = await temporary(context);
  await mkdir(join(directory, 'model.jsonl'));
  await assert.rejects(StateStore.open({ directory }), {
    code: 'state-unusable',
    message: `the saved state ${directory}/model.jsonl can't be read: it is a directory, and should be a file of weir’s own.`,
    remedy: /Move it away/,
  });
});

test('after any sequence of changes, flushes and restarts, what loads is the model', async (context) => {
  const root = await temporary(context);
  let run = 0;
  const step = fc.oneof(
    fc.tuple(fc.constant('put' as const), fc.constantFrom('a', 'b/c', 'd e', 'é"\n'), fc.integer({ min: 1, max: 99 })),
    fc.tuple(fc.constant('delete' as const), fc.constantFrom('a', 'b/c', 'd e', 'é"\n')),
    fc.tuple(fc.constantFrom('flush' as const, 'reopen' as const)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const directory = join(root, String(run++));
      const model = mutableModel();
      let store = await opened(directory);
      store.record(model, wholeModel(model));
      for (const [kind, key, port] of steps) {
        if (kind === 'flush') await store.flush();
        else if (kind === 'reopen') {
          await store.close();
          store = await opened(directory);
        } else {
          if (kind === 'put') model.backends.set(key!, backendPart(key!, port!));
          else model.backends.delete(key!);
          store.record(model, backendsDelta(key!));
        }
      }
      await store.close();
      assert.deepEqual((await reload(directory)).model, model);
    }),
    { numRuns: 60 },
  );
});
