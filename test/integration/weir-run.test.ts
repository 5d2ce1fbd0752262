import assert from 'node:assert/strict';
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Value } from 'typebox/value';
import { Status } from '../../src/controller/status.ts';
import { Explanation } from '../../src/explain/explanation.ts';
import { request } from '../support/clients/http-client.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { backendService, ingress } from '../support/manifests.ts';
import { runCommand } from '../support/run-command.ts';
import { eventually, freePorts, temporaryDirectory } from '../support/scope.ts';
import { startWeir, type Weir } from '../support/weir.ts';

/** A backend that answers with its text, and the manifests that serve it under a host. */
async function backend(context: TestContext, text: string): Promise<number> {
  const server = createServer((_request, response) => response.end(text)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function served(name: string, port: number) {
  return backendService({ name, endpoints: [{ address: '127.0.0.1', port }] });
}

function hostManifests(host: string, port: number) {
  const name = host.replaceAll('.', '-');
  return [ingress({ name, host, paths: [{ path: '/', service: name }] }), ...served(name, port)];
}

async function get(weir: Weir, host: string, path = '/') {
  return request({ port: weir.httpPort, path, headers: { host } });
}

function nginxPid(weir: Weir): string {
  return readFileSync(join(weir.stateDir, 'nginx', 'run', 'nginx.pid'), 'utf8').trim();
}

test('manifests in, traffic out: served, changed without a reload, and taken away again', async (context) => {
  const port = await backend(context, 'shop');
  const folder = new ManifestFolder(context, { 'shop.yaml': hostManifests('shop.example', port) });
  const weir = await startWeir(context, { manifests: folder });
  assert.equal((await get(weir, 'shop.example')).body, 'shop');
  const before = await weir.admin<Status>('/api/v1/status');
  folder.write('blog.yaml', hostManifests('blog.example', port));
  await weir.settled();
  assert.equal((await get(weir, 'blog.example')).status, 200);
  folder.remove('blog.yaml');
  await weir.settled();
  assert.equal((await get(weir, 'blog.example')).status, 404);
  const after = await weir.admin<Status>('/api/v1/status');
  assert.deepEqual([...Value.Errors(Status, after)], []);
  assert.equal(after.reloads, before.reloads);
  assert.ok(after.generation > before.generation);
  assert.equal(await weir.stop(), 0);
  await assert.rejects(get(weir, 'shop.example'), 'nginx still serves');
});

test('after kill -9 nginx serves on, and the next weir takes the same nginx over', async (context) => {
  const port = await backend(context, 'shop');
  const folder = new ManifestFolder(context, { 'shop.yaml': hostManifests('shop.example', port) });
  const weir = await startWeir(context, { manifests: folder });
  const pid = nginxPid(weir);
  await weir.stop('SIGKILL');
  assert.equal((await get(weir, 'shop.example')).body, 'shop');
  folder.write('blog.yaml', hostManifests('blog.example', port));
  const again = await startWeir(context, { manifests: folder, again: weir });
  await again.settled();
  assert.equal(nginxPid(again), pid);
  assert.equal((await get(again, 'blog.example')).body, 'shop');
  assert.equal((await again.admin<Status>('/api/v1/status')).reloads, 0);
});

test('--leave-nginx lets nginx serve on when weir stops', async (context) => {
  const port = await backend(context, 'shop');
  const folder = new ManifestFolder(context, { 'shop.yaml': hostManifests('shop.example', port) });
  const weir = await startWeir(context, { manifests: folder, args: ['--leave-nginx'] });
  const pid = nginxPid(weir);
  assert.equal(await weir.stop(), 0);
  assert.equal((await get(weir, 'shop.example')).body, 'shop');
  const again = await startWeir(context, { manifests: folder, again: weir });
  assert.equal(nginxPid(again), pid);
});

test('with the folder gone the saved model is served, and told; when it is back, it is followed', async (context) => {
  const port = await backend(context, 'shop');
  const folder = new ManifestFolder(context, { 'shop.yaml': hostManifests('shop.example', port) });
  const first = await startWeir(context, { manifests: folder });
  await first.stop();
  assert.equal(statSync(join(first.stateDir, 'model.jsonl')).mode & 0o777, 0o600);
  const away = `${folder.path}.away`;
  renameSync(folder.path, away);
  context.after(() => rmSync(away, { recursive: true, force: true }));
  const weir = await startWeir(context, { manifests: folder, again: first });
  assert.equal((await get(weir, 'shop.example')).body, 'shop');
  const status = await weir.admin<Status>('/api/v1/status');
  assert.deepEqual([status.model.origin, status.source.healthy, status.ready], ['saved', false, true]);
  const { items } = await weir.admin<{ items: { code: string; object: { name: string } }[] }>('/api/v1/diagnostics');
  assert.deepEqual(
    items.map(({ code, object }) => [code, object.name]),
    [['WEIR0001', folder.path]],
  );
  renameSync(away, folder.path);
  folder.write('blog.yaml', hostManifests('blog.example', port));
  await eventually('the folder to be followed again', async () => (await get(weir, 'blog.example')).status === 200);
});

test('with the folder gone and nothing saved, run ends with 2 and says why', async (context) => {
  const stateDir = temporaryDirectory(context, 'state');
  const [http = 0, https = 0, admin = 0] = await freePorts(3);
  const ports = ['--http-port', `${http}`, '--https-port', `${https}`, '--admin-address', `127.0.0.1:${admin}`];
  const { code, err } = await runCommand(['run', '--manifests', '/nowhere', '--state-dir', stateDir, ...ports]);
  assert.equal(code, 2);
  assert.match(err, /\/nowhere .*does not exist/);
});

test('a state directory that nginx’s workers can not reach is refused at start, by name, with the remedy', {
  skip: process.getuid?.() !== 0 && 'only root has workers of another account',
}, async (context) => {
  const closed = temporaryDirectory(context, 'closed');
  chmodSync(closed, 0o700);
  const folder = new ManifestFolder(context, {});
  const [http = 0, https = 0, admin = 0] = await freePorts(3);
  const ports = ['--http-port', `${http}`, '--https-port', `${https}`, '--admin-address', `127.0.0.1:${admin}`];
  const where = ['--state-dir', join(closed, 'deeper', 'state'), ...ports];
  const { code, err } = await runCommand(['run', '--manifests', folder.path, ...where]);
  assert.equal(code, 3);
  assert.ok(err.includes(`may not pass through ${closed} to `), err);
  assert.ok(err.includes(`chmod o+x ${closed}`), err);
  assert.doesNotMatch(err, /tried again/);
  // What the remedy says is enough.
  chmodSync(closed, 0o701);
  const weir = await startWeir(context, { manifests: folder, args: ['--state-dir', join(closed, 'deeper', 'state')] });
  assert.equal((await request({ port: weir.httpPort, path: '/' })).status, 404);
  assert.equal(await weir.stop(), 0);
});

test('two weirs do not share a state directory, nor an admin address', async (context) => {
  const folder = new ManifestFolder(context, {});
  const weir = await startWeir(context, { manifests: folder });
  const other = (...args: string[]) => runCommand(['run', '--manifests', folder.path, ...args]);
  const locked = await other('--state-dir', weir.stateDir);
  assert.equal(locked.code, 2);
  assert.match(locked.err, new RegExp(`another weir \\(process ${weir.pid}\\)`));
  const taken = await other(
    '--state-dir',
    temporaryDirectory(context, 'other'),
    '--admin-address',
    `127.0.0.1:${weir.adminPort}`,
  );
  assert.equal(taken.code, 2);
  assert.match(taken.err, /admin-address .* \(EADDRINUSE\)/);
});

test('explain asks the running weir, whose nginx tries the patterns', async (context) => {
  const port = await backend(context, 'shop');
  const annotations = { 'nginx.ingress.kubernetes.io/use-regex': 'true' };
  const paths = [{ path: '/(?:item|article)s?/[0-9]++', pathType: 'ImplementationSpecific' as const, service: 'web' }];
  const folder = new ManifestFolder(context, {
    'a.yaml': [ingress({ name: 'web', host: 'shop.example', annotations, paths }), ...served('web', port)],
  });
  const weir = await startWeir(context, { manifests: folder });
  const url = 'http://shop.example/items/42';
  const { code, out } = await runCommand(['explain', url, '--admin', `127.0.0.1:${weir.adminPort}`, '-o', 'json']);
  assert.equal(code, 0);
  const explanation = JSON.parse(out) as Explanation;
  assert.deepEqual([...Value.Errors(Explanation, explanation)], []);
  // A possessive quantifier is PCRE's; JavaScript can't compile it.
  assert.deepEqual([explanation.outcome.kind, explanation.approximate], ['forward', false]);
  assert.equal((await get(weir, 'shop.example', '/items/42')).body, 'shop');
});

test('a token opens the admin API to the command that has it', async (context) => {
  const token = join(temporaryDirectory(context, 'token'), 'token');
  writeFileSync(token, 'open sesame\n');
  const weir = await startWeir(context, {
    manifests: new ManifestFolder(context, {}),
    args: ['--admin-token-file', token],
  });
  const status = (...args: string[]) => runCommand(['status', '--admin', `127.0.0.1:${weir.adminPort}`, ...args]);
  assert.equal((await status()).code, 2);
  const { code, out } = await status('--admin-token-file', token, '--wait', '20s');
  assert.equal(code, 0, out);
  assert.ok(!weir.output().includes('open sesame'));
});

test('where there is no nginx, run says what to install and ends with 3', async (context) => {
  const stateDir = temporaryDirectory(context, 'state');
  const [http = 0, https = 0, admin = 0] = await freePorts(3);
  const ports = ['--http-port', `${http}`, '--https-port', `${https}`, '--admin-address', `127.0.0.1:${admin}`];
  const folder = new ManifestFolder(context, {});
  const args = ['run', '--manifests', folder.path, '--state-dir', stateDir, '--nginx', '/nowhere/nginx', ...ports];
  const { code, err } = await runCommand(args);
  assert.equal(code, 3);
  assert.match(err, /\/nowhere\/nginx[^]*apt-get install nginx/);
});

test('an exception that nothing caught ends weir as a fault that is told; nginx goes on serving, and the next weir adopts it', async (context) => {
  const port = await backend(context, 'shop');
  const folder = new ManifestFolder(context, { 'shop.yaml': hostManifests('shop.example', port) });
  const fault = "process.on('SIGUSR2', () => { throw new Error('injected') })";
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` };
  const weir = await startWeir(context, { manifests: folder, env });
  const pid = nginxPid(weir);
  assert.equal(await weir.stop('SIGUSR2'), 70);
  assert.match(weir.output(), /fault of weir \(an exception that nothing caught\): injected/);
  assert.equal((await get(weir, 'shop.example')).body, 'shop');
  const next = await startWeir(context, { manifests: folder, again: weir });
  assert.equal(nginxPid(next), pid);
  assert.equal((await next.admin<Status>('/api/v1/status')).reloads, 0);
  assert.equal((await get(next, 'shop.example')).body, 'shop');
});

test('paths that are given relative to the working directory mean the same to weir and to nginx', async (context) => {
  const folder = new ManifestFolder(context, {
    'shop.yaml': hostManifests('shop.example', await backend(context, 'shop')),
  });
  const stateDir = relative(process.cwd(), temporaryDirectory(context, 'state'));
  const accessLog = relative(process.cwd(), join(temporaryDirectory(context, 'log'), 'requests.log'));
  const weir = await startWeir(context, { manifests: folder, stateDir, args: ['--access-log', accessLog] });
  assert.equal((await get(weir, 'shop.example')).body, 'shop');
  await eventually('the line', async () => readFileSync(accessLog, 'utf8').includes('shop.example'));
});
