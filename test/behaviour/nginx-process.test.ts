import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { before, test, type TestContext } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { commandLine } from '../support/leftover-processes.ts';
import { eventually, temporaryDirectory } from '../support/scope.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
/** The weir that runs now: tests end it and start the next one in its place. */
let site: Site;
let backend: Backend;
let logs: string;
let args: readonly string[];

before(async () => {
  logs = join(temporaryDirectory(scope, 'access'), 'logs');
  mkdirSync(logs, { mode: 0o755 });
  args = ['--access-log', join(logs, 'access.log')];
  [site, backend] = await Promise.all([Site.open(scope, args), startBackend(scope, { name: 'one' })]);
  await site.expose({ host: 'steady.test', backends: [backend] });
});

function masterPid(): number {
  return Number(readFileSync(join(site.weir.stateDir, 'nginx', 'run', 'nginx.pid'), 'utf8'));
}

interface Traffic {
  /** Ends it: what each request got, a status or an error's code. */
  stop(): Promise<readonly (number | string)[]>;
  readonly count: () => number;
}

/** Requests to steady.test one after the other, each on a connection of its own, until it is stopped. */
function startTraffic(t: TestContext): Traffic {
  const outcomes: (number | string)[] = [];
  const stopping = new AbortController();
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      try {
        outcomes.push((await site.http('steady.test')).status);
      } catch (error) {
        outcomes.push((error as NodeJS.ErrnoException).code ?? String(error));
      }
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  })();
  const stop = async () => {
    stopping.abort();
    await ended;
    return outcomes;
  };
  t.after(stop);
  return { stop, count: () => outcomes.length };
}

test('weir is killed and started again: it takes over the nginx that runs, and no request is lost', async (t) => {
  const pid = masterPid();
  const traffic = startTraffic(t);
  await site.weir.stop('SIGKILL');
  const alone = traffic.count();
  await eventually('nginx to serve alone', () => traffic.count() > alone + 20);
  site.folder.write(
    'added-meanwhile.yaml',
    await site.manifestsOf({ host: 'added-meanwhile.test', backends: [backend] }),
  );
  site = await site.reopen(scope, args);
  await site.settled();
  assert.equal((await site.http('added-meanwhile.test')).status, 200, 'what came meanwhile is served');
  await site.expose({ host: 'added-later.test', backends: [backend] });
  assert.equal((await site.http('added-later.test')).status, 200, 'changes go on');
  assert.deepEqual(new Set(await traffic.stop()), new Set([200]));
  assert.equal(masterPid(), pid, 'the same nginx process');
  assert.equal((await site.status()).reloads, 0);
});

test('the nginx master is killed: a new one is started with everything in force, and follows changes', async (t) => {
  const pid = masterPid();
  const traffic = startTraffic(t);
  process.kill(pid, 'SIGKILL');
  await eventually('another master', async () => masterPid() !== pid && commandLine(masterPid()).includes('master'));
  await site.expose({ host: 'after-restart.test', backends: [backend] });
  await eventually('the new nginx to serve', async () => (await site.http('after-restart.test')).status === 200);
  const outcomes = await traffic.stop();
  const failed = outcomes.filter((outcome) => outcome !== 200);
  // A connection that an orphaned worker had not yet taken when it closed its socket is reset.
  assert.ok(outcomes.length > 20 && failed.length <= 1, `${failed.join()} of ${outcomes.length}`);
});

test('while nginx -t fails the last good configuration stays, changes that need none go on, and it heals by itself', async () => {
  const before = await site.status();
  const away = `${logs}.away`;
  renameSync(logs, away);
  const limit = { 'proxy-body-size': '77777' };
  site.folder.write(
    'limited.yaml',
    await site.manifestsOf({ host: 'limited.test', backends: [backend], annotations: limit }),
  );
  const failing = await eventually('the failure to be told', async () => {
    const [driver] = (await site.status()).drivers;
    return driver?.error !== undefined && driver;
  });
  assert.match(failing.error ?? '', /access\.log.*The last good configuration stays in force/s);
  assert.equal((await site.http('steady.test')).json<Echo>().backend, 'one');
  assert.equal((await site.status()).reloads, before.reloads);
  renameSync(away, logs);
  await site.settled();
  assert.equal((await site.http('limited.test')).status, 200);
  const after = await site.status();
  assert.deepEqual([after.drivers[0]?.error, after.reloads], [undefined, before.reloads + 1]);
});

test('an object whose pattern only the data plane’s engine refuses costs itself alone, is told, and heals when it is mended', async () => {
  const host = 'broken.test';
  const paths = (pattern: string) => [{ path: pattern, pathType: 'ImplementationSpecific' }];
  const annotations = { 'use-regex': 'true' };
  await site.expose({ host, name: 'broken-rest', backends: [backend], paths: ['/fine'] });
  await site.expose({ host, name: 'broken', backends: [backend], paths: paths('/x/(?<=a+)b'), annotations });
  assert.equal((await site.http(host, '/x/ab')).status, 503);
  assert.equal((await site.http(host, '/fine')).status, 200);
  assert.equal((await site.http('steady.test')).status, 200);
  const findings = await site.findings('broken');
  assert.ok(
    findings.some(({ severity, message }) => severity === 'error' && message.includes('/x/(?<=a+)b')),
    JSON.stringify(findings),
  );
  await site.expose({ host, name: 'broken', backends: [backend], paths: paths('/x/(?<=/)a*b'), annotations });
  assert.equal((await site.http(host, '/x/ab')).status, 200);
  assert.deepEqual(
    (await site.findings('broken')).filter(({ severity }) => severity === 'error'),
    [],
  );
});

test('stopped, weir lets the requests that run come to their end, takes no new ones, and nginx is gone', async (t) => {
  let arrived = false;
  const slow = await startBackend(t, {
    respond: (_request, response) => {
      arrived = true;
      setTimeout(() => response.end('late but whole'), 1000);
    },
  });
  await site.expose({ host: 'slow.test', backends: [slow] });
  const pid = masterPid();
  const running = site.http('slow.test');
  await eventually('the request to arrive', () => arrived);
  const [reply, code] = await Promise.all([running, site.weir.stop('SIGTERM')]);
  assert.deepEqual([reply.status, reply.body, code], [200, 'late but whole', 0]);
  await assert.rejects(site.http('steady.test'), { code: 'ECONNREFUSED' });
  assert.equal(commandLine(pid), '');
  site = await site.reopen(scope, args);
  assert.equal((await site.http('steady.test')).status, 200, 'and it starts again');
});
