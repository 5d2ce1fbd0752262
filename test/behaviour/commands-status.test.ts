import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Value } from 'typebox/value';
import { parse } from 'yaml';
import { Status } from '../../src/controller/status.ts';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { ingress } from '../support/manifests.ts';
import { runCommand } from '../support/run-command.ts';
import { eventually, freePort, type Scope } from '../support/scope.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { startWeir } from '../support/weir.ts';

const scope = suiteScope();
let site: Site;
let one: Backend;
let two: Backend;

before(async () => {
  [site, one, two] = await Promise.all([
    Site.open(scope),
    startBackend(scope, { name: 'one' }),
    startBackend(scope, { name: 'two' }),
  ]);
});

const status = (...args: string[]) => runCommand(['status', '--admin', `127.0.0.1:${site.weir.adminPort}`, ...args]);

test('status as text, JSON and YAML: what /api/v1/status says', async () => {
  await site.expose({ host: 'status.example', backends: [one] });
  site.folder.write('broken.yaml', [ingress({ name: 'broken', host: 'broken.example', paths: [{ service: 'gone' }] })]);
  await site.settled();
  const json = await status('-o', 'json');
  assert.deepEqual([json.code, json.err], [0, ''], json.out);
  const told = JSON.parse(json.out) as Status;
  assert.deepEqual([...Value.Errors(Status, told)], []);
  assert.deepEqual(
    [told.state, told.ready, told.source.name, told.findings.errors, told.quarantined],
    ['running', true, 'files', 1, []],
  );
  assert.equal(told.appliedGeneration, told.generation);
  assert.equal((parse((await status('-o', 'yaml')).out) as Status).generation, told.generation);
  const { code, out, err } = await status();
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^weir [0-9.]+: running, ready, since /);
  assert.ok(out.includes(`\ngeneration ${told.generation}, in force ${told.generation}, `), out);
  assert.match(out, /^findings: 1 error, 0 warnings, 0 infos$/m);
  assert.match(out, /^\S+Z nginx \(start\): \S/m);
  assert.match(out, /^driver nginx: idle, healthy, /m);
  site.folder.remove('broken.yaml');
});

test('status lists errors and warnings with their place, everything with --all, and what of the folder is not read', async () => {
  await site.expose({ host: 'listed.example', backends: [one] });
  await site.apply('torn.yaml', [ingress({ name: 'torn', host: 'torn.example', paths: [{ service: 'listed' }] })]);
  const file = join(site.folder.path, 'torn.yaml');
  appendFileSync(file, '---\nkind: [Ingress\n');
  const many = Array.from({ length: 60 }, (_, index) =>
    ingress({ name: `lost-${index}`, host: `lost-${index}.example`, paths: [{ service: 'gone' }] }),
  );
  await site.apply('lost.yaml', many);
  const { out } = await status();
  assert.match(out, /^source files: read, healthy, but 1 file not in full$/m);
  assert.ok(out.includes(`counts: ${file}\n`), out);
  assert.match(out, /^findings: 61 errors, /m);
  assert.match(out, /^ {2}\S+torn\.yaml:[0-9]+:[0-9]+: error WEIR0003: The document cannot be read: .*; /m);
  assert.match(
    out,
    /^ {2}\S+lost\.yaml:[0-9]+:[0-9]+: error WEIR0103 Ingress\/default\/lost-0 spec\.rules\[0\]\S+: .*; /m,
  );
  const lines = (text: string) => text.split('\n').filter((line) => / (?:error|warning|info) WEIR/.test(line));
  assert.equal(lines(out).length, 50);
  const [, hidden] = /^ {2}([0-9]+) more: weir status --all$/m.exec(out) ?? [];
  const all = await status('--all');
  assert.equal(lines(all.out).length, 50 + Number(hidden));
  assert.doesNotMatch(all.out, / more: /);
  site.folder.remove('torn.yaml');
  site.folder.remove('lost.yaml');
  await site.settled();
});

test('status says which folder is gone while the source is not healthy', async (context) => {
  const gone = new ManifestFolder(context, {});
  const weir = await startWeir(context, { manifests: [site.folder.path, gone.path] });
  rmSync(gone.path, { recursive: true });
  const out = await eventually('the folder to be missed', async () => {
    const { out: text } = await runCommand(['status', '--admin', `127.0.0.1:${weir.adminPort}`]);
    return text.includes('not healthy') && text;
  });
  assert.match(out, /^source files: read, not healthy$/m);
  assert.ok(out.includes(`\n  ${gone.path} can't be read: `), out);
});

test('status --wait waits for a weir that is only starting', async (context) => {
  const port = await freePort();
  const asked = runCommand(['status', '--wait', '60s', '--admin', `127.0.0.1:${port}`, '-o', 'json']);
  let ended = false;
  void asked.then(() => (ended = true));
  // Long enough for several refused tries.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.equal(ended, false);
  await startWeir(context, { manifests: site.folder, args: ['--admin-address', `127.0.0.1:${port}`], wait: false });
  const { code, out, err } = await asked;
  assert.equal(code, 0, err);
  assert.equal((JSON.parse(out) as { settled: boolean }).settled, true);
});

test('status --wait returns when what the folder holds now is in force', async () => {
  for (const backend of [one, two, one, two, one]) {
    site.folder.write('waited.yaml', await site.manifestsOf({ host: 'waited.example', backends: [backend] }));
    const { code, out } = await status('--wait', '30s', '-o', 'json');
    assert.equal(code, 0, out);
    assert.equal((JSON.parse(out) as { settled: boolean }).settled, true);
    assert.equal((await site.http('waited.example')).json<Echo>().backend, backend.name);
  }
});

test('status --wait ends with 1 and says so when its time is over before', async (context) => {
  stopNginx(context);
  site.folder.write('late.yaml', await site.manifestsOf({ host: 'late.example', backends: [one] }));
  const { code, out, err } = await status('--wait', '500ms', '-o', 'json');
  assert.deepEqual([code, err], [1, 'Not everything was in force within 500ms.\n']);
  const told = JSON.parse(out) as Status & { settled: boolean };
  assert.equal(told.settled, false);
  assert.ok(told.appliedGeneration < told.generation);
});

/** Halts every nginx process of the site until the test ends. */
function stopNginx(scope: Scope): void {
  const master = Number(readFileSync(join(site.weir.stateDir, 'nginx/run/nginx.pid'), 'utf8'));
  const workers = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ').map(Number);
  for (const pid of [master, ...workers]) {
    process.kill(pid, 'SIGSTOP');
    scope.after(() => void process.kill(pid, 'SIGCONT'));
  }
}

test('status finds the running weir by its environment, too', async () => {
  const { code, out } = await runCommand(['status', '-o', 'json'], {
    env: { WEIR_ADMIN: `127.0.0.1:${site.weir.adminPort}` },
  });
  assert.equal(code, 0);
  assert.equal((JSON.parse(out) as Status).state, 'running');
});

test('status tells that a connection was refused whatever the port, also one that browsers may not ask', async () => {
  const { code, err } = await runCommand(['status', '--admin', '127.0.0.1:1']);
  assert.equal(code, 3);
  assert.match(err, /no weir answers at 127\.0\.0\.1:1 \(ECONNREFUSED\)\./);
});

test('status and explain end with 3 where no weir answers, and name the address', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  for (const args of [['status'], ['status', '--wait', '1s'], ['explain', 'http://shop.example/']]) {
    const { code, out, err } = await runCommand([...args, '--admin', address]);
    assert.deepEqual([code, out], [3, ''], args.join(' '));
    assert.ok(err.includes(`${address} (ECONNREFUSED)`), err);
    assert.match(err, /weir run/);
  }
});

test('status ends with 3 where something else answers, or a weir that is at fault', async (context) => {
  const answers = [
    { status: 200, body: '<h1>hello</h1>', words: /is not weir/ },
    { status: 404, body: 'not found', words: /is not weir/ },
    { status: 500, body: '{"code":"internal","message":"A fault."}', words: /answers 500: A fault\./ },
  ];
  for (const { status: code, body, words } of answers) {
    const server = createServer((_request, response) => response.writeHead(code).end(body)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    context.after(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const result = await runCommand(['status', '--admin', `127.0.0.1:${port}`]);
    assert.deepEqual([result.code, result.out], [3, ''], result.err);
    assert.match(result.err, words);
  }
});
