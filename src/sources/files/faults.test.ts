import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Finding } from '../../diagnostics/finding.ts';
import type { ResourceChange } from '../../snapshot/resource.ts';
import type { SourceSink } from '../source.ts';
import { FilesSource } from './files-source.ts';
import { ManifestTree } from './manifest-tree.ts';

const service = (name: string) => `apiVersion: v1\nkind: Service\nmetadata:\n  name: ${name}\n`;

/** Throws at the first deliveries, as many as it is told. */
class BrittleSink implements SourceSink {
  readonly names: string[] = [];
  readonly codes = new Map<string, readonly string[]>();
  messages = '';
  throwing: number;
  syncs = 0;

  constructor(throwing = 0) {
    this.throwing = throwing;
  }

  changed(changes: readonly ResourceChange[]): void {
    if (this.throwing-- > 0) throw new Error('the sink has a bug');
    for (const change of changes) if (change.type === 'put') this.names.push(change.resource.ref.name);
  }

  report(subject: string, findings: readonly Finding[]): void {
    this.codes.set(
      subject,
      findings.map(({ code }) => code),
    );
    this.messages += findings.map(({ message }) => message).join();
  }

  synced(): void {
    this.syncs += 1;
  }
}

function folder(t: TestContext, ...names: readonly string[]): string {
  const made = mkdtempSync(path.join(tmpdir(), 'weir-files-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  for (const name of names) writeFileSync(path.join(made, `${name}.yaml`), service(name));
  return made;
}

function sourceOf(t: TestContext, root: string): FilesSource {
  const source = new FilesSource({ folders: [root], timing: { hold: 60, probe: 20, relist: 40 } });
  t.after(() => source.stop());
  return source;
}

test('changes that the sink threw at are delivered again, in their order, and nothing is said to be complete before', async (t) => {
  const source = sourceOf(t, folder(t, 'a', 'b'));
  const sink = new BrittleSink(2);
  await source.start(sink);
  assert.deepEqual([sink.names, sink.syncs, source.healthy()], [[], 0, false]);
  await assert.rejects(source.settle(), /the sink has a bug/u);
  await source.settle();
  assert.deepEqual([sink.names.sort(), sink.syncs, source.healthy()], [['a', 'b'], 1, true]);
});

test('a sink that threw gets the changes by itself soon after', async (t) => {
  const source = sourceOf(t, folder(t, 'a'));
  const delivered = Promise.withResolvers<void>();
  const sink = new BrittleSink(1);
  sink.synced = () => delivered.resolve();
  await source.start(sink);
  await delivered.promise;
  assert.deepEqual(sink.names, ['a']);
});

test('a file that weir fails to read costs only itself, and what the exception says is not told', async (t) => {
  const root = folder(t, 'a', 'bad', 'c');
  const { read } = ManifestTree.prototype;
  t.mock.method(ManifestTree.prototype, 'read', function (this: ManifestTree, file: string) {
    if (file.endsWith('bad.yaml')) throw new Error('hunter2');
    return read.call(this, file);
  });
  const source = sourceOf(t, root);
  const sink = new BrittleSink();
  await source.start(sink);
  await source.settle();
  assert.deepEqual([sink.names.sort(), sink.syncs], [['a', 'c'], 1]);
  assert.deepEqual(sink.codes.get(path.join(root, 'bad.yaml')), ['WEIR0500']);
  assert.doesNotMatch(sink.messages, /hunter2/u);
  t.mock.restoreAll();
  writeFileSync(path.join(root, 'bad.yaml'), `${service('bad')}spec: {}\n`);
  await source.settle();
  assert.deepEqual([sink.names.includes('bad'), sink.codes.get(path.join(root, 'bad.yaml'))], [true, []]);
});

test('a file that weir failed to read is tried again after a while, though it does not change', async (t) => {
  const root = folder(t, 'a', 'bad');
  const { read } = ManifestTree.prototype;
  let failures = 3;
  t.mock.method(ManifestTree.prototype, 'read', function (this: ManifestTree, file: string) {
    const content = read.call(this, file);
    if (file.endsWith('bad.yaml') && failures-- > 0) throw new Error('a bug');
    return content;
  });
  const source = new FilesSource({ folders: [root], timing: { hold: 60, probe: 20, relist: 40, retry: 50 } });
  t.after(() => source.stop());
  const mended = Promise.withResolvers<void>();
  const sink = new BrittleSink();
  const { report } = sink;
  sink.report = (subject, findings) => {
    report.call(sink, subject, findings);
    if (subject.endsWith('bad.yaml') && findings.length === 0) mended.resolve();
  };
  await source.start(sink);
  assert.deepEqual(sink.codes.get(path.join(root, 'bad.yaml')), ['WEIR0500']);
  assert.match(sink.messages, /it is tried again every minute and when it changes/u);
  await mended.promise;
  assert.deepEqual([sink.names.sort(), failures], [['a', 'bad'], -1]);
});

test('a look at a folder that weir fails at is repeated until it works', async (t) => {
  const root = folder(t, 'a');
  const { look } = ManifestTree.prototype;
  let failures = 3;
  t.mock.method(ManifestTree.prototype, 'look', function (this: ManifestTree, ...args: Parameters<typeof look>) {
    if (failures-- > 0) throw new Error('a bug');
    return look.apply(this, args);
  });
  const source = sourceOf(t, root);
  const synced = Promise.withResolvers<void>();
  const sink = new BrittleSink();
  sink.synced = () => synced.resolve();
  await source.start(sink);
  await synced.promise;
  assert.deepEqual(sink.names, ['a']);
  assert.deepEqual(sink.codes.get(`fault ${root}`), []);
});
