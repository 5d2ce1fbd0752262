import assert from 'node:assert/strict';
import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { manifestText } from '../support/manifest-folder.ts';
import { backendService, ingress, type Manifest } from '../support/manifests.ts';
import { eventually, temporaryDirectory } from '../support/scope.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: ServedFolder;
let volume: string;
let backends: readonly Manifest[];

before(async () => {
  const one = await startBackend(scope, { name: 'one' });
  const two = await startBackend(scope, { name: 'two', address: '127.0.0.2' });
  backends = [
    ...backendService({ name: 'one', endpoints: [one] }),
    ...backendService({ name: 'two', endpoints: [two] }),
  ];
  volume = join(temporaryDirectory(scope, 'volume'), 'config');
  mkdirSync(volume);
  publish('..2026_01', 'one');
  for (const file of ['a.yaml', 'b.yaml']) symlinkSync(`..data/${file}`, join(volume, file));
  site = await ServedFolder.start(scope, { also: [volume] });
  await site.write('backends.yaml', backends);
});

const route = (name: string, to: string) => ingress({ name, host: `${name}.test`, paths: [{ service: to }] });
const served = (host: string, by: string) =>
  eventually(`${host} to be answered by ${by}`, async () => (await site.answer(host)) === by);

/** As the kubelet does it: a folder of its own, and `..data` pointed to it in one step. */
function publish(version: string, to: string): void {
  mkdirSync(join(volume, version));
  writeFileSync(join(volume, version, 'a.yaml'), manifestText([route('volume-a', to)]));
  writeFileSync(join(volume, version, 'b.yaml'), manifestText([route('volume-b', to)]));
  symlinkSync(version, join(volume, '..data_tmp'));
  renameSync(join(volume, '..data_tmp'), join(volume, '..data'));
}

/** Asks `host` again and again; the answers of all that while, when told to stop. */
function ask(host: string): () => Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const stop = new AbortController();
  const asking = (async () => {
    while (!stop.signal.aborted) seen.add(await site.answer(host));
  })();
  return async () => {
    stop.abort();
    await asking;
    return seen;
  };
}

test('files that appear, change and go are followed without being asked', async () => {
  site.folder.write('live.yaml', [route('live', 'one')]);
  await served('live.test', 'one');
  site.folder.write('live.yaml', [route('live', 'two')]);
  await served('live.test', 'two');
  site.folder.write('new/folder/more.yaml', [route('more', 'one')]);
  await served('more.test', 'one');
  site.folder.remove('live.yaml');
  site.folder.remove('new');
  await served('live.test', '404');
  await served('more.test', '404');
});

test('an editor that writes beside and renames, or moves the old file away first, costs no request', async () => {
  const path = join(site.folder.path, 'edited.yaml');
  /** vim with its backup, emacs: the old file becomes another one, then the new one is written. */
  const moveAway = async (to: string) => {
    const stop = ask('edited.test');
    const began = performance.now();
    renameSync(path, `${path}~`);
    // Makes weir look while there is no file.
    await site.weir.admin('/api/v1/status?wait=0.01');
    writeFileSync(path, manifestText([route('edited', to)]));
    const gap = performance.now() - began;
    unlinkSync(`${path}~`);
    await served('edited.test', to);
    return { gap, seen: await stop() };
  };
  await site.write('edited.yaml', [route('edited', 'one')]);
  let save = await moveAway('two');
  // A machine that is too busy to save a file in an editor's time tells nothing about editors.
  for (let tries = 1; save.gap > 100 && tries < 20; tries += 1) save = await moveAway(tries % 2 === 0 ? 'two' : 'one');
  for (const answer of save.seen) assert.match(answer, /^(one|two)$/);
  const stop = ask('edited.test');
  for (const to of ['one', 'two', 'one']) {
    writeFileSync(join(site.folder.path, '.edited.yaml.swp'), manifestText([route('edited', to)]));
    renameSync(join(site.folder.path, '.edited.yaml.swp'), path);
    await served('edited.test', to);
  }
  assert.deepEqual([...(await stop())].sort(), ['one', 'two']);
  assert.deepEqual(await site.findings(), []);
});

test('a half-written file takes nothing away; what it says counts when it is whole', async () => {
  const before = manifestText([route('half-a', 'one'), route('half-b', 'one')]);
  const after = manifestText([route('half-a', 'two'), route('half-b', 'two')]);
  await site.write('half.yaml', before);
  const stop = ask('half-b.test');
  const file = openSync(join(site.folder.path, 'half.yaml'), 'w');
  writeSync(file, after.slice(0, after.length / 2));
  await site.weir.settled();
  assert.equal(await site.answer('half-a.test'), 'one');
  assert.equal(await site.answer('half-b.test'), 'one');
  assert.deepEqual(
    (await site.findings()).map(({ code, object }) => `${code} ${object.kind}`),
    ['WEIR0003 File'],
  );
  writeSync(file, after.slice(after.length / 2));
  closeSync(file);
  await served('half-b.test', 'two');
  assert.deepEqual([...(await stop())].sort(), ['one', 'two']);
  assert.equal(await site.answer('half-a.test'), 'two');
  assert.deepEqual(await site.findings(), []);
});

test('a ConfigMap volume that is swapped behind its links costs no request', async () => {
  await served('volume-a.test', 'one');
  const stop = ask('volume-b.test');
  publish('..2026_02', 'two');
  rmSync(join(volume, '..2026_01'), { recursive: true });
  await served('volume-a.test', 'two');
  await served('volume-b.test', 'two');
  publish('..2026_03', 'one');
  rmSync(join(volume, '..2026_02'), { recursive: true });
  await served('volume-b.test', 'one');
  assert.deepEqual([...(await stop())].sort(), ['one', 'two']);
  assert.deepEqual(await site.findings(), []);
});
