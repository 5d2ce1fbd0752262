import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { backendService, ingress } from '../support/manifests.ts';
import { runCommand } from '../support/run-command.ts';
import { eventually, freePorts, type Scope, temporaryDirectory } from '../support/scope.ts';
import { startWeir, type Weir } from '../support/weir.ts';

async function shop(scope: Scope): Promise<ManifestFolder> {
  const backend = await startBackend(scope, { name: 'shop' });
  return new ManifestFolder(scope, {
    'shop.yaml': [
      ingress({ name: 'shop', host: 'shop.example', paths: [{ service: 'shop' }] }),
      ...backendService({ name: 'shop', endpoints: [backend] }),
    ],
  });
}

async function answer(port: number): Promise<unknown> {
  const { status, headers } = await request({ port, host: 'shop.example' });
  return status === 200 ? headers['x-backend'] : status;
}

test('run is told folders, ports and directories by flags, by the environment or by a file', async (context) => {
  const folder = await shop(context);
  for (const by of ['flags', 'environment', 'file'] as const) {
    const weir = await startWeir(context, { manifests: folder, by });
    assert.equal(await answer(weir.httpPort), 'shop', by);
    assert.equal(await weir.stop(), 0, by);
  }
});

test('a flag counts more than the environment, and that more than the file', async (context) => {
  const [flag = 0, environment = 0, https = 0] = await freePorts(3);
  const weir = await startWeir(context, {
    manifests: await shop(context),
    by: 'file',
    env: { WEIR_HTTP_PORT: `${environment}`, WEIR_HTTPS_PORT: `${https}` },
    args: ['--http-port', `${flag}`],
  });
  assert.equal(await answer(flag), 'shop');
  const overTls = await request({ port: https, host: 'shop.example', tls: true });
  assert.equal(overTls.headers['x-backend'], 'shop');
  for (const port of [environment, weir.httpPort, weir.httpsPort]) {
    await assert.rejects(answer(port), { code: 'ECONNREFUSED' }, `${port}`);
  }
});

test('run logs JSON lines to standard error, writes nothing to standard output, and ends with 0 when told to', async (context) => {
  const folder = await shop(context);
  const [http = 0, https = 0, admin = 0] = await freePorts(3);
  const ports = ['--http-port', `${http}`, '--https-port', `${https}`, '--admin-address', `127.0.0.1:${admin}`];
  const state = temporaryDirectory(context, 'state');
  const args = ['run', '--manifests', folder.path, '--state-dir', state, ...ports];
  const child = spawn(join(import.meta.dirname, '../../bin/weir'), args, { stdio: 'pipe' });
  context.after(() => void child.kill('SIGTERM'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = new Promise((resolve) => child.once('close', resolve));
  await eventually('the shop', async () => (await answer(http)) === 'shop', { withinMs: 30_000 });
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
  assert.equal(out, '');
  const lines = err
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; msg: string; admin?: string });
  assert.equal(lines.find(({ msg }) => msg.startsWith('serving '))?.admin, `http://127.0.0.1:${admin}`);
  assert.deepEqual([lines.at(-1)?.msg, lines.at(-1)?.level], ['stopped', 'info']);
  assert.ok(lines.some(({ msg }) => msg === 'Opened the listeners.'));
});

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly finding?: { readonly code: string; readonly line?: number };
}

function logOf(weir: Weir): readonly LogLine[] {
  const lines = weir.output().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LogLine);
}

/** The first line whose message has these words. */
function logged(weir: Weir, words: RegExp): Promise<LogLine> {
  return eventually(`${words} in the log`, () => logOf(weir).find(({ msg }) => words.test(msg)), { withinMs: 30_000 });
}

test('run logs each finding once, with its place and its fix, and that it is gone', async (context) => {
  const folder = await shop(context);
  const weir = await startWeir(context, { manifests: folder });
  folder.write('wrong.yaml', [ingress({ name: 'wrong', host: 'wrong.example', paths: [{ service: 'nobody' }] })]);
  const told = await logged(weir, /WEIR0103/);
  assert.equal(told.level, 'error');
  const place = /^(.*):[0-9]+:[0-9]+: error WEIR0103 Ingress\/default\/wrong spec\.rules\[0\]\S+: .*nobody.*; \S/;
  assert.equal(place.exec(told.msg)?.[1], join(folder.path, 'wrong.yaml'), told.msg);
  assert.deepEqual([told.finding?.code, typeof told.finding?.line], ['WEIR0103', 'number']);
  // Another change leaves it as it is.
  folder.write('other.yaml', [ingress({ name: 'other', host: 'other.example', paths: [{ service: 'shop' }] })]);
  await weir.settled();
  folder.remove('wrong.yaml');
  assert.equal((await logged(weir, / gone/)).msg, '1 finding is gone; none is left');
  assert.equal(logOf(weir).filter(({ msg }) => msg.includes('WEIR0103')).length, 1);
});

test('run logs that a folder is gone, which and why, and that it is back', async (context) => {
  const folder = await shop(context);
  const weir = await startWeir(context, { manifests: folder });
  const aside = `${folder.path}.aside`;
  context.after(() => rmSync(aside, { recursive: true, force: true }));
  renameSync(folder.path, aside);
  const gone = await logged(weir, /is not healthy/);
  assert.equal(gone.level, 'error');
  assert.ok(gone.msg.startsWith(`source files is not healthy: ${folder.path} can't be read: `), gone.msg);
  renameSync(aside, folder.path);
  await logged(weir, /^source files is healthy again$/);
});

test('run beside one that holds its ports logs an error that names them', async (context) => {
  const folder = await shop(context);
  const first = await startWeir(context, { manifests: folder });
  const ports = ['--http-port', `${first.httpPort}`, '--https-port', `${first.httpsPort}`];
  const second = await startWeir(context, { manifests: folder, args: ports, wait: false });
  const { level, msg } = await logged(second, /No listener can be opened/);
  assert.equal(level, 'error');
  assert.ok(msg.includes(`${first.httpPort}`), msg);
  assert.doesNotMatch(second.output(), /NginxError:/);
});

test('run without a folder of manifests says how to name one, and ends with 2', async () => {
  const { code, out, err } = await runCommand(['run']);
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /--manifests DIR/);
});
