import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { X509Certificate } from 'node:crypto';
import type { Status } from '../../src/controller/status.ts';
import { type Backend, startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { request } from '../support/clients/http-client.ts';
import { handshake } from '../support/clients/tls-client.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { backendService, ingress, type Manifest, tlsSecret } from '../support/manifests.ts';
import { runCommand } from '../support/run-command.ts';
import { eventually, freePorts, temporaryDirectory } from '../support/scope.ts';
import { startWeir, type Weir } from '../support/weir.ts';
import { leftovers, nginxPids } from './nginx-processes.ts';

const HOST = 'kept.example';

function kept(backend: Backend): readonly Manifest[] {
  return [
    ingress({ name: 'kept', host: HOST, paths: [{ service: 'kept' }] }),
    ...backendService({ name: 'kept', endpoints: [backend] }),
  ];
}

const backendOf = async (weir: Weir, host = HOST) =>
  (await request({ port: weir.httpPort, host })).headers['x-backend'];

/** kill -9 of weir and of all nginx processes, at once. */
async function killEverything(weir: Weir): Promise<void> {
  const { master, workers } = nginxPids(weir);
  for (const pid of [weir.pid, master, ...workers]) process.kill(pid, 'SIGKILL');
  await eventually('all to be gone', () => leftovers(weir).length === 0);
}

/** What is in force is on disk, too, within about 100 ms. */
async function saved(weir: Weir): Promise<void> {
  await weir.settled();
  await eventually('the model to be saved', async () => {
    const { savedState } = await weir.admin<Status>('/api/v1/status');
    return savedState.pending === 0 && savedState.error === undefined;
  });
}

function takeAway(folder: ManifestFolder): void {
  renameSync(folder.path, `${folder.path}.away`);
}

test('after kill -9 of everything and a start with the folder gone, the previous configuration is served', async (t) => {
  const backend = await startBackend(t, { name: 'blue' });
  const pair = await (await makeAuthority()).issue(['secure.example']);
  const folder = new ManifestFolder(t, {
    'kept.yaml': kept(backend),
    'secure.yaml': [
      ingress({
        name: 'secure',
        host: 'secure.example',
        paths: [{ path: '/shop', service: 'kept' }],
        tls: [{ hosts: ['secure.example'], secretName: 'pair' }],
      }),
      tlsSecret({ name: 'pair', ...pair }),
    ],
  });
  const first = await startWeir(t, { manifests: folder });
  await saved(first);
  await killEverything(first);
  await assert.rejects(backendOf(first), 'nothing serves any more');
  takeAway(folder);
  const weir = await startWeir(t, { manifests: folder, again: first });
  assert.equal(await backendOf(weir), 'blue');
  const secure = { port: weir.httpsPort, host: 'secure.example', tls: { ca: pair.certificate } };
  const shown = await handshake(weir.httpsPort, { servername: 'secure.example' });
  assert.equal(shown.certificate.fingerprint256, new X509Certificate(pair.certificate).fingerprint256);
  assert.equal((await request({ ...secure, tls: true, path: '/shop/cart' })).headers['x-backend'], 'blue');
  assert.equal((await request({ ...secure, tls: true, path: '/else' })).status, 404);
  const redirect = await request({ port: weir.httpPort, host: 'secure.example', path: '/shop' });
  assert.equal(redirect.status, 308);
  assert.equal((await request({ port: weir.adminPort, path: '/readyz' })).status, 200);
  const status = await weir.admin<Status>('/api/v1/status');
  assert.deepEqual([status.model.origin, status.source.healthy, status.ready], ['saved', false, true]);
  const { items } = await weir.admin<{ items: { code: string; object: { name: string } }[] }>('/api/v1/diagnostics');
  assert.deepEqual(
    items.map(({ code, object }) => [code, object.name]),
    [['WEIR0001', folder.path]],
  );
  assert.match(weir.output(), new RegExp(folder.path));
});

test('the saved model and its keys are for weir’s eyes only', async (t) => {
  const backend = await startBackend(t);
  const pair = await (await makeAuthority()).issue(['secure.example']);
  const folder = new ManifestFolder(t, {
    'a.yaml': [
      ...kept(backend),
      ingress({
        name: 'secure',
        host: 'secure.example',
        paths: [{ service: 'kept' }],
        tls: [{ hosts: ['secure.example'], secretName: 'pair' }],
      }),
      tlsSecret({ name: 'pair', ...pair }),
    ],
  });
  const stateDir = join(temporaryDirectory(t, 'parent'), 'state');
  const weir = await startWeir(t, { manifests: folder, args: ['--state-dir', stateDir, '--log-level', 'trace'] });
  await weir.settled();
  const model = join(stateDir, 'model.jsonl');
  await eventually('the model to be saved', () => existsSync(model) && readFileSync(model, 'utf8').includes('secure'));
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  assert.deepEqual([mode(model), mode(stateDir), mode(join(stateDir, 'nginx', 'run'))], ['600', '711', '700']);
  const secret = pair.key.split('\n')[1] ?? '';
  assert.ok(secret.length > 30);
  const holders = filesBelow(stateDir).filter((path) => readFileSync(path, 'latin1').includes(secret));
  assert.deepEqual(holders, [model]);
  assert.doesNotMatch(weir.output(), new RegExp(secret.replace(/[+/]/g, '\\$&')));
  assert.equal(await weir.stop(), 0);
});

test('whatever a crash leaves of the state file, a model that was in force is served', async (t) => {
  const [blue, green] = await Promise.all([startBackend(t, { name: 'blue' }), startBackend(t, { name: 'green' })]);
  const folder = new ManifestFolder(t, { 'kept.yaml': kept(blue) });
  const first = await startWeir(t, { manifests: folder });
  await saved(first);
  folder.write('kept.yaml', kept(green));
  await saved(first);
  await killEverything(first);
  takeAway(folder);
  const file = join(first.stateDir, 'model.jsonl');
  /** Two commits: `blue`, then `green`. */
  const bytes = readFileSync(file);

  /** Starts with the file as it is, and once more with what that start saved. */
  const serves = async (t: TestContext, backend: string, told: RegExp | undefined) => {
    const weir = await startWeir(t, { manifests: folder, again: first });
    assert.equal(await backendOf(weir), backend);
    if (told === undefined) assert.doesNotMatch(weir.output(), /saved state:/);
    else assert.match(weir.output(), told);
    assert.equal((statSync(file).mode & 0o777).toString(8), '600');
    assert.equal(await weir.stop(), 0);
    const next = await startWeir(t, { manifests: folder, again: first });
    assert.equal(await backendOf(next), backend);
    assert.doesNotMatch(next.output(), /saved state:/);
    assert.equal(await next.stop(), 0);
  };

  await t.test('a line that was being written', async (t) => {
    writeFileSync(file, Buffer.concat([bytes, Buffer.from('1234abcd {"put":"hosts","key":"half')]));
    await serves(t, 'green', /saved state: line \d+ is torn/);
  });
  await t.test('a last line without its newline', async (t) => {
    writeFileSync(file, bytes.subarray(0, -1));
    await serves(t, 'blue', /saved state: line \d+ is torn/);
  });
  await t.test('changes without their commit', async (t) => {
    writeFileSync(file, bytes.subarray(0, bytes.lastIndexOf('\n', bytes.length - 2) + 1));
    await serves(t, 'blue', /saved state: the last changes were not finished/);
  });
  await t.test('a new snapshot that was not finished beside the old one', async (t) => {
    writeFileSync(file, bytes);
    writeFileSync(`${file}.new`, bytes.subarray(0, bytes.length / 3));
    await serves(t, 'green', undefined);
  });
});

test('without saved state and without the folder, run ends with 2 and says why', async (t) => {
  const ended = async (prepare: (stateDir: string) => void) => {
    const stateDir = temporaryDirectory(t, 'state');
    prepare(stateDir);
    const [http = 0, https = 0, admin = 0] = await freePorts(3);
    const ports = ['--http-port', `${http}`, '--https-port', `${https}`, '--admin-address', `127.0.0.1:${admin}`];
    const result = await runCommand(['run', '--manifests', '/nowhere/at-all', '--state-dir', stateDir, ...ports]);
    assert.deepEqual(leftovers({ stateDir, httpPort: http, httpsPort: https, pid: 0 } as Weir), []);
    return result;
  };
  const nothing = await ended(() => undefined);
  assert.equal(nothing.code, 2);
  assert.match(nothing.err, /\/nowhere\/at-all .*does not exist/);
  assert.match(nothing.err, /nothing to serve/);
  const damaged = await ended((stateDir) => writeFileSync(join(stateDir, 'model.jsonl'), 'no model at all\n'));
  assert.equal(damaged.code, 2);
  assert.match(damaged.err, /saved state: line 1 is torn or damaged/);
  assert.match(damaged.err, /\/nowhere\/at-all .*does not exist/);
});

test('the saved configuration is in force before the folder was read', async (t) => {
  const [blue, green] = await Promise.all([startBackend(t, { name: 'blue' }), startBackend(t, { name: 'green' })]);
  const folder = new ManifestFolder(t, { 'kept.yaml': kept(blue) });
  const first = await startWeir(t, { manifests: folder });
  await saved(first);
  await killEverything(first);
  folder.write('kept.yaml', kept(green));
  await many(folder, 10_000);
  const weir = await startWeir(t, { manifests: folder, again: first, wait: false });
  const answers: { backend: unknown; at: number }[] = [];
  const began = performance.now();
  const ask = () => backendOf(weir).catch(() => undefined);
  await eventually(
    'the new configuration',
    async () => {
      const backend = await ask();
      const last = answers.at(-1)?.backend;
      if (backend !== undefined && backend !== last) answers.push({ backend, at: performance.now() - began });
      return backend === 'green';
    },
    { withinMs: 120_000, everyMs: 10 },
  );
  t.diagnostic(
    `start with 10,000 files to read: ${answers.map(({ backend, at }) => `${String(backend)} after ${(at / 1000).toFixed(2)} s`).join(', ')}`,
  );
  assert.deepEqual(
    answers.map(({ backend }) => backend),
    ['blue', 'green'],
  );
  await weir.settled();
  assert.equal((await request({ port: weir.httpPort, host: 'many-9999.example' })).headers['x-backend'], 'green');
  assert.equal((await weir.admin<Status>('/api/v1/status')).model.hosts, 10_001);
});

test('a second weir on the same state directory is refused and leaves the first alone', async (t) => {
  const backend = await startBackend(t, { name: 'blue' });
  const folder = new ManifestFolder(t, { 'kept.yaml': kept(backend) });
  const weir = await startWeir(t, { manifests: folder });
  const before = nginxPids(weir);
  const second = await startWeir(t, { manifests: folder, args: ['--state-dir', weir.stateDir], wait: false });
  assert.equal(await Promise.race([second.exited, delay(20_000, 'still running')]), 2);
  assert.match(
    second.output(),
    new RegExp(`another weir \\(process ${weir.pid}\\) uses the state directory ${weir.stateDir}`),
  );
  assert.match(second.output(), /--state-dir/);
  assert.equal(await backendOf(weir), 'blue');
  assert.deepEqual(nginxPids(weir).master, before.master);
  await weir.settled();
  await weir.stop('SIGKILL');
  const again = await startWeir(t, { manifests: folder, again: weir });
  assert.equal(await backendOf(again), 'blue', 'a lock left behind by kill -9 does not count');
});

test('of several weirs started at the same moment on one state directory exactly one serves', async (t) => {
  const backend = await startBackend(t, { name: 'blue' });
  const folder = new ManifestFolder(t, { 'kept.yaml': kept(backend) });
  const stateDir = temporaryDirectory(t, 'state');
  // Left behind by one that was killed: whoever takes it over must be one.
  writeFileSync(join(stateDir, 'weir.pid'), '999999 1\n');
  const started = await Promise.all(
    Array.from({ length: 3 }, () => startWeir(t, { manifests: folder, args: ['--state-dir', stateDir], wait: false })),
  );
  const ends = started.map((weir) => ({ weir, code: undefined as number | string | undefined }));
  for (const end of ends) void end.weir.exited.then((code) => (end.code = code));
  const running = () => ends.filter(({ code }) => code === undefined);
  await eventually('all but one to end', () => running().length <= 1, { withinMs: 30_000 });
  const [serving] = running();
  assert.ok(serving, started.map((weir) => weir.output()).join('\n'));
  await eventually('the one to serve', async () => (await backendOf(serving.weir)) === 'blue', { withinMs: 30_000 });
  for (const { weir, code } of ends) {
    if (weir === serving.weir) continue;
    assert.equal(code, 2);
    assert.match(weir.output(), /another weir \(process \d+\) uses the state directory/);
  }
  assert.equal(await serving.weir.stop(), 0);
});

/** Ingresses in files of their own, written in place: nobody watches. */
async function many(folder: ManifestFolder, count: number): Promise<void> {
  const inside = join(folder.path, 'many');
  mkdirSync(inside);
  for (let index = 0; index < count; index += 1) {
    const object = ingress({ name: `many-${index}`, host: `many-${index}.example`, paths: [{ service: 'kept' }] });
    writeFileSync(join(inside, `${index}.yaml`), JSON.stringify(object));
  }
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
