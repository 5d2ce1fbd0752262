import assert from 'node:assert/strict';
import type { FileHandle } from 'node:fs/promises';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { StateStore } from '../../src/controller/state-store.ts';
import type { Status } from '../../src/controller/status.ts';
import { startBackend } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { backendService, ingress } from '../support/manifests.ts';
import { backendPart, backendsDelta, mutableModel } from '../support/model-parts.ts';
import { eventually, temporaryDirectory } from '../support/scope.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { startWeir, type Weir } from '../support/weir.ts';
import { nginxPids } from './nginx-processes.ts';

const BULK = 1600;
const PATIENCE = { withinMs: 20_000, everyMs: 100 };

const statusOf = (weir: Weir) => weir.admin<Status>('/api/v1/status');
const codeOf = async (weir: Weir, host: string, path = '/') =>
  (await request({ port: weir.httpPort, host, path })).status;
const readiness = async (weir: Weir) => (await request({ port: weir.adminPort, path: '/readyz' })).status;
const saved = (weir: Weir) => statusOf(weir).then(({ savedState }) => savedState);
const allSaved = async (weir: Weir) => {
  const { pending, error } = await saved(weir);
  return pending === 0 && error === undefined;
};

/** Where nothing may be mounted, at least the part that writes is tried, and nobody is left to believe otherwise. */
async function diskOf(t: TestContext, size: string): Promise<SmallDisk | undefined> {
  const tell = (message: string) => {
    const text = `${message}. Without a full disk only the writing of the saved state is tested, by a failing append.`;
    t.diagnostic(text);
    process.stderr.write(`\n*** ${t.name}: ${text}\n\n`);
  };
  const disk = mountSmallDisk(t, size, tell);
  if (disk === undefined) await testWithoutDisk(t);
  return disk;
}

async function testWithoutDisk(t: TestContext): Promise<void> {
  const directory = temporaryDirectory(t, 'state');
  let full = false;
  const append = async (file: FileHandle, text: string) => {
    await file.writeFile(full ? text.slice(0, text.length / 2) : text);
    if (full) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
  const model = mutableModel();
  const { store } = await StateStore.open({ directory, append });
  for (const name of ['a', 'b']) {
    model.backends.set(name, backendPart(name, 1));
    store.record(model, backendsDelta(name));
    await store.flush();
    assert.equal(store.problem === undefined, !full);
    full = true;
  }
  full = false;
  await store.close();
  const { store: again, reading } = await StateStore.open({ directory });
  await again.close();
  assert.deepEqual([reading.model, reading.problem], [model, undefined]);
}

/** A host of its own with the backend `web`. */
function site(name: string, annotations: Record<string, string> = {}, path = '/') {
  return ingress({ name, host: `${name}.test`, paths: [{ path, service: 'web' }], annotations });
}

const NEW_PROFILE = { 'nginx.ingress.kubernetes.io/proxy-body-size': '7k' };

async function sceneOf(t: TestContext, disk: SmallDisk) {
  const backend = await startBackend(t, { name: 'web' });
  const folder = new ManifestFolder(t, {
    'web.yaml': backendService({ name: 'web', endpoints: [backend] }),
    'first.yaml': [site('first')],
  });
  const stateDir = join(disk.path, 'state');
  const args = ['--workers', '1', '--access-log', '/dev/null'];
  const weir = await startWeir(disk.scope, { manifests: folder, stateDir, args });
  await eventually('all to be saved', () => allSaved(weir), PATIENCE);
  return { folder, weir, args };
}

test('a model too large for the disk is served; when it has shrunk all is saved again by itself', async (t) => {
  const disk = await diskOf(t, '2m');
  if (disk === undefined) return;
  const { folder, weir } = await sceneOf(t, disk);
  const bulk = Array.from({ length: BULK }, (_, index) => site(`bulk${index}`, {}, `/${'p'.repeat(1500)}${index}`));
  folder.write('bulk.yaml', bulk);
  await weir.settled();
  assert.equal(await codeOf(weir, 'bulk7.test', `/${'p'.repeat(1500)}7`), 200);
  const { error } = await eventually('the failure in the status', async () => {
    const state = await saved(weir);
    return state.error !== undefined && state;
  });
  assert.match(error ?? '', /ENOSPC/);
  assert.match(weir.output(), /the model can't be saved: ENOSPC/);
  folder.remove('bulk.yaml');
  folder.write('last.yaml', [site('last'), site('small', NEW_PROFILE)]);
  await weir.settled();
  await eventually(
    'both to be served',
    async () => {
      const codes = [await codeOf(weir, 'last.test'), await codeOf(weir, 'small.test')];
      return codes.every((code) => code === 200);
    },
    PATIENCE,
  );
  await eventually('all to be saved', () => allSaved(weir), PATIENCE);
  assert.equal(await readiness(weir), 200);
  assert.ok(statSync(join(weir.stateDir, 'model.jsonl')).size < 100_000);
});

test('on a full disk data go live, what needs another nginx.conf is named and waits, and it heals by itself', async (t) => {
  const disk = await diskOf(t, '2m');
  if (disk === undefined) return;
  const { folder, weir } = await sceneOf(t, disk);
  disk.fill();
  folder.write('next.yaml', [site('plain'), site('small', NEW_PROFILE), site('first')]);
  await weir.settled();
  assert.equal(await codeOf(weir, 'plain.test'), 200);
  assert.equal(await codeOf(weir, 'small.test'), 404);
  assert.equal(await codeOf(weir, 'first.test'), 200);
  const status = await statusOf(weir);
  assert.deepEqual(
    status.quarantined.map(({ code, object }) => [code, object.name]),
    [['WEIR0416', 'small']],
  );
  assert.match(String(status.drivers[0]?.detail['failure'] ?? status.quarantined[0]?.message), /file system is full/);
  folder.write('later.yaml', [site('later')]);
  await weir.settled();
  assert.equal(await codeOf(weir, 'later.test'), 200, 'later changes do not wait either');
  assert.equal(await readiness(weir), 200);
  disk.free();
  await eventually('the waiting host', async () => (await codeOf(weir, 'small.test')) === 200, PATIENCE);
  await eventually('all to be saved', () => allSaved(weir), PATIENCE);
  await eventually('the finding to go', async () => (await statusOf(weir)).quarantined.length === 0);
});

test('weir killed and started on a full disk takes nginx over, serves changes, and keeps a second weir out', async (t) => {
  const disk = await diskOf(t, '2m');
  if (disk === undefined) return;
  const { folder, weir, args } = await sceneOf(t, disk);
  const nginx = nginxPids(weir);
  await weir.stop('SIGKILL');
  rmSync(join(weir.stateDir, 'weir.pid'));
  disk.fill();
  const again = await startWeir(disk.scope, { manifests: folder, again: weir, args });
  assert.match(again.output(), /held without its file weir\.pid/);
  folder.write('plain.yaml', [site('plain')]);
  await again.settled();
  assert.equal(await codeOf(again, 'plain.test'), 200);
  assert.equal(await codeOf(again, 'first.test'), 200);
  assert.deepEqual(nginxPids(again), nginx);
  const second = await startWeir(disk.scope, { manifests: folder, again, args, wait: false });
  assert.equal(await second.exited, 2);
  assert.match(second.output(), new RegExp(`another weir \\(process ${again.pid}\\) uses the state directory`));
  disk.free();
  await eventually('all to be saved', () => allSaved(again), PATIENCE);
  assert.equal(await again.stop(), 0);
});

test('nginx and weir killed and started on a full disk: the last good configuration is served', async (t) => {
  const disk = await diskOf(t, '2m');
  if (disk === undefined) return;
  const { folder, weir, args } = await sceneOf(t, disk);
  const { master, workers } = nginxPids(weir);
  disk.fill();
  await weir.stop('SIGKILL');
  for (const pid of [master, ...workers]) process.kill(pid, 'SIGKILL');
  const again = await startWeir(disk.scope, { manifests: folder, again: weir, args });
  assert.equal(await codeOf(again, 'first.test'), 200);
});

test('a directory in the place of the saved state ends the start with 2, its name and the remedy', async (t) => {
  const stateDir = temporaryDirectory(t, 'state');
  mkdirSync(join(stateDir, 'model.jsonl'));
  const weir = await startWeir(t, { manifests: new ManifestFolder(t), stateDir, wait: false });
  assert.equal(await weir.exited, 2);
  assert.match(weir.output(), /model\.jsonl can't be read: it is a directory/);
  assert.match(weir.output(), /Move it away/);
});
