import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { NginxDriver } from '../../src/drivers/nginx/nginx-driver.ts';
import { nginxProcesses } from '../../src/drivers/nginx/supervisor/nginx-processes.ts';
import { allProcesses, processInfo } from '../../src/drivers/nginx/supervisor/process-info.ts';
import {
  sampleBackend,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { buildDataplane } from '../../tools/build-dataplane.ts';
import { echoBackend, freePort, nginxHarness, request, visit } from './nginx-harness.ts';

const mastersOf = (run: string) => nginxProcesses('nginx', run, undefined).masters;

/** An nginx that serves a.example, and the means to have another driver serve more. */
async function served(t: TestContext) {
  const { driver: make, directory, events } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const model = (...hosts: string[]) =>
    sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: hosts.map((name) => sampleHost(name, [sampleRoute('/', 'b')])),
      backends: [sampleBackend('b', [[...endpoint]])],
    });
  const run = join(directory, 'run');
  const paths = { run, pidFile: join(run, 'nginx.pid'), socket: join(run, 'control.sock') };
  const first = make();
  await first.start();
  await first.apply(model('a.example'), undefined);
  return { make, events, port, model, first, paths };
}

/** All is well: one master, which the pid file names, and changes come into force. */
async function assertWhole(scene: Awaited<ReturnType<typeof served>>, driver: NginxDriver): Promise<void> {
  const { port, model, paths } = scene;
  for (const name of ['b.example', 'c.example']) {
    await driver.apply(model('a.example', name), undefined);
    for (const host of ['a.example', name]) assert.equal((await request(port, host)).status, 200);
  }
  // Whatever was ended has had the time to take something away with it.
  for (let wait = 0; wait < 100 && mastersOf(paths.run).length > 1; wait += 1) await delay(20);
  await delay(500);
  await driver.apply(model('a.example', 'd.example'), undefined);
  assert.equal((await request(port, 'd.example')).status, 200);
  assert.deepEqual(
    mastersOf(paths.run).map(({ pid }) => pid),
    [Number(readFileSync(paths.pidFile, 'utf8'))],
  );
  assert.ok(existsSync(paths.socket));
  assert.equal((await driver.observe()).healthy, true);
}

const WRONG_PIDS: Readonly<Record<string, (pid: { sleep: number; worker: number }) => string | undefined>> = {
  'of another program': ({ sleep }) => `${sleep}\n`,
  'of one of its workers': ({ worker }) => `${worker}\n`,
  'that is empty': () => '',
  'that is gone': () => undefined,
};

for (const [which, text] of Object.entries(WRONG_PIDS)) {
  test(`with a pid file ${which} the running nginx is adopted all the same, and the file is right again`, async (t) => {
    const scene = await served(t);
    const { paths, events, make, first } = scene;
    const { pid: master } = (await first.observe()).detail;
    await first.stop('leave');
    const sleep = spawn('sleep', ['60']);
    t.after(() => sleep.kill());
    const worker = allProcesses().find(({ parent }) => parent === master);
    const wrong = text({ sleep: sleep.pid ?? 0, worker: worker?.pid ?? 0 });
    if (wrong === undefined) rmSync(paths.pidFile);
    else writeFileSync(paths.pidFile, wrong);
    events.length = 0;
    const next = make();
    await next.start();
    assert.deepEqual(
      events.map(({ event }) => event),
      ['adopted'],
    );
    await assertWhole(scene, next);
    assert.equal(Number(readFileSync(paths.pidFile, 'utf8')), master);
    assert.equal(processInfo(sleep.pid ?? 0)?.pid, sleep.pid);
  });
}

test('of two masters in one run directory the one that answers is adopted, and the other takes nothing with it', async (t) => {
  const scene = await served(t);
  const { paths, make, first } = scene;
  const { pid: old } = (await first.observe()).detail;
  await first.stop('leave');
  // Hidden from the next driver, the old one stays; its files are as they were before it was started.
  renameSync(paths.socket, `${paths.socket}.old`);
  copyFileSync(paths.pidFile, `${paths.pidFile}.old`);
  const configuration = join(paths.run, 'nginx.conf');
  const other = spawn(process.env['WEIR_NGINX'] ?? 'nginx', ['-e', 'stderr', '-p', paths.run, '-c', configuration], {
    cwd: paths.run,
    stdio: 'ignore',
  });
  await new Promise((resolve) => other.on('exit', resolve));
  for (let wait = 0; wait < 200 && mastersOf(paths.run).length < 2; wait += 1) await delay(20);
  assert.equal(mastersOf(paths.run).length, 2);
  copyFileSync(`${paths.pidFile}.old`, paths.pidFile);
  const next = make();
  await next.start();
  await assertWhole(scene, next);
  assert.notEqual((await next.observe()).detail['pid'], old);
});

test('a control socket that vanishes leads to another nginx, while requests are served', async (t) => {
  const scene = await served(t);
  const { paths, first, events, port } = scene;
  const { pid: old } = (await first.observe()).detail;
  events.length = 0;
  rmSync(paths.socket);
  const statuses = new Set<number>();
  // Nobody changes anything: the watch alone must find it.
  for (let wait = 0; wait < 100 && !events.some(({ event }) => event === 'orphans-quit'); wait += 1) {
    statuses.add((await request(port, 'a.example')).status);
    await delay(50);
  }
  assert.match(events[0]?.message ?? '', /control socket of nginx is gone/u);
  assert.deepEqual([...statuses], [200]);
  await assertWhole(scene, first);
  assert.notEqual((await first.observe()).detail['pid'], old);
});

test('a change right after the control socket vanished is in force at its end', async (t) => {
  const scene = await served(t);
  rmSync(scene.paths.socket);
  await assertWhole(scene, scene.first);
});

test('a control socket that nobody listens on leads to another nginx at the next try', async (t) => {
  const scene = await served(t);
  const { paths, first, model } = scene;
  rmSync(paths.socket);
  // Node takes the file away when it stops listening, unless it goes by another name by then.
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(`${paths.socket}.dead`, resolve));
  renameSync(`${paths.socket}.dead`, paths.socket);
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(first.apply(model('a.example', 'b.example'), undefined), { code: 'WEIR_NGINX_CONTROL' });
  await assertWhole(scene, first);
});

test('a control socket that vanished while no driver ran leads to another nginx, whatever the pid file says', async (t) => {
  const scene = await served(t);
  const { paths, make, first } = scene;
  await first.stop('leave');
  rmSync(paths.socket);
  writeFileSync(paths.pidFile, '');
  const next = make();
  await next.start();
  await assertWhole(scene, next);
});

test('a weir with another program inside nginx takes over without one wrong answer, by one reload', async (t) => {
  const { make, events, port, model, first } = await served(t);
  const many = Array.from({ length: 1500 }, (_, index) => `h${index}.example`);
  await first.apply(model('a.example', ...many), undefined);
  await first.stop('leave');
  const build = await buildDataplane();
  const other = mkdtempSync(join(tmpdir(), 'weir-program-'));
  t.after(() => rmSync(other, { recursive: true }));
  cpSync(build.dir, other, { recursive: true });
  const state = { ended: false };
  const visitors = Promise.all(
    ['a.example', 'h0.example', 'h1499.example'].map((host) => visit(port, host, () => state.ended)),
  );
  events.length = 0;
  const second = make({ dataplane: () => Promise.resolve({ dir: other, hash: 'other' }) });
  await second.start();
  const applied = await second.apply(model('a.example', ...many, 'new.example'), undefined);
  await delay(300);
  state.ended = true;
  for (const { statuses, resets } of await visitors) assert.deepEqual([statuses, resets], [[200], 0]);
  assert.equal(applied.reloaded, true);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['adopted', 'reloaded'],
  );
  assert.equal((await request(port, 'new.example')).status, 200);
});
