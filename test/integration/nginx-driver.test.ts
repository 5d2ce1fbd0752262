import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import {
  sampleBackend,
  sampleDelta,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleOrigin,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { findNginx } from '../../src/drivers/nginx/supervisor/nginx-installation.ts';
import { Redacted } from '../../src/lib/redacted.ts';
import type { Certificate } from '../../src/model/certificate.ts';
import { makeAuthority } from '../support/certificates.ts';
import { echoBackend, freePort, nginxHarness, request, visit } from './nginx-harness.ts';

test('nginx opens its ports with routes in force, and later changes need no reload', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const one = await echoBackend(t, 'one');
  const two = await echoBackend(t, 'two');
  const driver = make();
  await driver.start();
  await assert.rejects(request(port, 'a.example'));
  const listeners = [sampleListener('http', port)];
  const model = (endpoint: readonly [string, number], hosts: readonly string[]) =>
    sampleModel({
      listeners,
      hosts: hosts.map((name) => sampleHost(name, [sampleRoute('/', 'b')])),
      backends: [sampleBackend('b', [[...endpoint]])],
    });
  const first = await driver.apply(model(one, ['a.example']), undefined);
  assert.deepEqual([first.reloaded, first.quarantined], [true, []]);
  assert.deepEqual(await request(port, 'a.example'), { status: 200, body: 'one' });
  assert.equal((await request(port, 'b.example')).status, 404);
  const second = await driver.apply(
    model(two, ['a.example', 'b.example']),
    sampleDelta({ hosts: ['default/b.example'], backends: ['b'] }),
  );
  assert.equal(second.reloaded, false);
  for (const host of ['a.example', 'b.example'])
    assert.deepEqual(await request(port, host), { status: 200, body: 'two' });
  await driver.apply(model(two, ['b.example']), sampleDelta({ hosts: ['default/a.example'] }));
  assert.equal((await request(port, 'a.example')).status, 404);
});

test('a driver that comes back adopts the running nginx with what it has, without a reload', async (t) => {
  const { driver: make, events } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const model = (hosts: readonly string[]) =>
    sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: hosts.map((name) => sampleHost(name, [sampleRoute('/', 'b')])),
      backends: [sampleBackend('b', [[...endpoint]])],
    });
  const before = make();
  await before.start();
  await before.apply(model(['a.example', 'b.example']), undefined);
  const { detail } = await before.observe();
  await before.stop('leave');
  assert.equal((await request(port, 'a.example')).status, 200);
  events.length = 0;
  const after = make();
  await after.start();
  const applied = await after.apply(model(['b.example', 'c.example']), undefined);
  assert.equal(applied.reloaded, false);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['adopted'],
  );
  const now = (await after.observe()).detail;
  assert.equal(now['pid'], detail['pid']);
  assert.deepEqual(
    await Promise.all(['a', 'b', 'c'].map(async (name) => (await request(port, `${name}.example`)).status)),
    [404, 200, 200],
  );
});

test('a new body limit costs one reload that names the route, and its removal none', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const driver = make();
  await driver.start();
  const model = (bodyLimit?: number) =>
    sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: [sampleHost('a.example', [sampleRoute('/', 'b', bodyLimit === undefined ? {} : { bodyLimit })])],
      backends: [sampleBackend('b', [[...endpoint]])],
    });
  const delta = sampleDelta({ hosts: ['default/a.example'] });
  await driver.apply(model(), undefined);
  const plan = driver.plan(model(7_340_032), delta);
  assert.equal(plan.reload?.reason, 'profile');
  assert.deepEqual(
    plan.reload?.origins.map(({ object }) => object.name),
    ['web'],
  );
  assert.equal((await driver.apply(model(7_340_032), delta)).reloaded, true);
  assert.equal((await request(port, 'a.example')).status, 200);
  assert.equal(driver.plan(model(), delta).reload, undefined);
  assert.equal((await driver.apply(model(), delta)).reloaded, false);
  assert.equal((await driver.apply(model(7_340_032), delta)).reloaded, false);
});

test('three of a thousand objects whose configuration nginx refuses are quarantined, the rest goes live, and mending heals', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const bad = new Set([7, 500, 998]);
  const limit = (index: number) => 2_000_000 + index;
  const driver = make({
    faultProfile: (profile) => (bad.has(profile.bodyLimit - 2_000_000) ? { ...profile, bodyLimit: -1 } : profile),
  });
  await driver.start();
  const host = (index: number, bodyLimit: number) =>
    sampleHost(`h${index}.example`, [sampleRoute('/', 'b', { bodyLimit, origin: sampleOrigin(`web-${index}`) })]);
  const model = (mended: boolean) =>
    sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: Array.from({ length: 1000 }, (_, index) =>
        host(index, mended && index === 500 ? 3_000_000 : limit(index)),
      ),
      backends: [sampleBackend('b', [[...endpoint]])],
    });
  const { quarantined } = await driver.apply(model(false), undefined);
  assert.deepEqual(quarantined.map(({ code, object }) => `${code} ${object.name}`).sort(), [
    'WEIR0407 web-500',
    'WEIR0407 web-7',
    'WEIR0407 web-998',
  ]);
  assert.match(quarantined[0]?.message ?? '', /client_max_body_size/u);
  assert.equal((await request(port, 'h7.example')).status, 503);
  for (const index of [0, 6, 8, 499, 501, 999]) assert.equal((await request(port, `h${index}.example`)).status, 200);
  const mended = await driver.apply(model(true), sampleDelta({ hosts: ['default/h500.example'] }));
  assert.deepEqual(mended.quarantined.map(({ object }) => object.name).sort(), ['web-7', 'web-998']);
  assert.equal((await request(port, 'h500.example')).status, 200);
});

test('a route whose pattern does not compile costs only itself', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const driver = make();
  await driver.start();
  const broken = sampleRoute('/x/(', 'b', {
    match: { path: { kind: 'regex', value: '/x/(', ignoreCase: false } },
    origin: sampleOrigin('broken'),
  });
  const model = sampleModel({
    listeners: [sampleListener('http', port)],
    hosts: [sampleHost('a.example', [broken, sampleRoute('/', 'b')])],
    backends: [sampleBackend('b', [[...endpoint]])],
  });
  const { quarantined } = await driver.apply(model, undefined);
  assert.deepEqual(
    quarantined.map(({ code, object }) => `${code} ${object.name}`),
    ['WEIR0405 broken'],
  );
  assert.equal((await request(port, 'a.example', '/x/1')).status, 503);
  assert.equal((await request(port, 'a.example', '/y')).status, 200);
});

test('an nginx whose master is killed is replaced, and its orphaned workers serve until then', async (t) => {
  const { driver: make, events } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const driver = make();
  await driver.start();
  const model = sampleModel({
    listeners: [sampleListener('http', port)],
    hosts: [sampleHost('a.example', [sampleRoute('/', 'b')])],
    backends: [sampleBackend('b', [[...endpoint]])],
  });
  await driver.apply(model, undefined);
  const pid = Number((await driver.observe()).detail['pid']);
  process.kill(pid, 'SIGKILL');
  const { statuses, resets } = await visit(port, 'a.example', () =>
    events.some(({ event }) => event === 'orphans-quit'),
  );
  await delay(200);
  assert.equal((await request(port, 'a.example')).status, 200);
  assert.deepEqual(statuses, [200]);
  assert.ok(resets <= 2, `${resets} requests were reset`);
  const { detail, healthy } = await driver.observe();
  assert.equal(healthy, true);
  assert.notEqual(detail['pid'], pid);
});

test('after kill -9 of master and weir a new driver starts beside the orphans, removes what is stale and serves', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const model = sampleModel({
    listeners: [sampleListener('http', port)],
    hosts: [sampleHost('a.example', [sampleRoute('/', 'b')])],
    backends: [sampleBackend('b', [[...endpoint]])],
  });
  const before = make();
  await before.start();
  await before.apply(model, undefined);
  const pid = Number((await before.observe()).detail['pid']);
  await before.stop('leave');
  process.kill(pid, 'SIGKILL');
  const after = make();
  await after.start();
  await after.apply(model, undefined);
  assert.deepEqual(await request(port, 'a.example'), { status: 200, body: 'one' });
  assert.notEqual((await after.observe()).detail['pid'], pid);
});

test('a listener whose port is taken is left out by name, the others serve, and it opens when the port is free', async (t) => {
  const { driver: make } = nginxHarness(t);
  const [port, taken] = [await freePort(), await freePort()];
  const stranger = createServer();
  await new Promise<void>((resolve) => stranger.listen(taken, '127.0.0.1', resolve));
  t.after(() => stranger.close());
  const endpoint = await echoBackend(t, 'one');
  const driver = make();
  await driver.start();
  const model = sampleModel({
    listeners: [sampleListener('http', port), sampleListener('http-other', taken)],
    hosts: [sampleHost('a.example', [sampleRoute('/', 'b')])],
    backends: [sampleBackend('b', [[...endpoint]])],
  });
  const { quarantined } = await driver.apply(model, undefined);
  assert.deepEqual(
    quarantined.map(({ code, object }) => `${code} ${object.name}`),
    ['WEIR0408 http-other'],
  );
  assert.match(quarantined[0]?.message ?? '', new RegExp(`port ${taken} is taken by process ${process.pid} `, 'u'));
  assert.equal((await request(port, 'a.example')).status, 200);
  await new Promise<void>((resolve) => stranger.close(() => resolve()));
  await driver.apply(model, undefined);
  assert.equal((await request(taken, 'a.example')).status, 200);
});

test('when no listener can be opened the error names port and holder', async (t) => {
  const { driver: make } = nginxHarness(t);
  const taken = await freePort();
  const stranger = createServer();
  await new Promise<void>((resolve) => stranger.listen(taken, '127.0.0.1', resolve));
  t.after(() => stranger.close());
  const driver = make();
  await driver.start();
  const model = sampleModel({ listeners: [sampleListener('http', taken)] });
  await assert.rejects(driver.apply(model, undefined), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'WEIR_NGINX_PORT');
    assert.match(error.message, new RegExp(`port ${taken} is taken by process ${process.pid}`, 'u'));
    return true;
  });
});

test('an nginx that is not there is told with the packages to install', async (t) => {
  const { driver: make } = nginxHarness(t);
  await assert.rejects(make({ nginx: '/nonexistent/nginx' }).start(), {
    code: 'WEIR_NGINX_MISSING',
    message: /apt-get install nginx libnginx-mod-http-lua lua-resty-core lua-cjson/u,
  });
});

test('an nginx that ends without a word is started again, and one that always does is told with its signal', async (t) => {
  const { driver: make, directory } = nginxHarness(t);
  const { executable } = await findNginx();
  const wrapper = (name: string, deaths: number): string => {
    const path = join(directory, name);
    const count = `${path}.count`;
    // Asked for its version, or for a test, it answers as nginx does.
    const script = `case "$1" in -V|-t) exec ${executable} "$@";; esac
n=$(cat ${count} 2>/dev/null || echo 0); echo $((n + 1)) > ${count}
[ "$n" -lt ${deaths} ] && kill -SEGV $$
exec ${executable} "$@"
`;
    writeFileSync(path, `#!/bin/sh\n${script}`, { mode: 0o755 });
    return path;
  };
  const always = make({ nginx: wrapper('always', 99) });
  await assert.rejects(always.start(), /nginx did not start: it ended with SIGSEGV, and wrote nothing about why/u);
  await always.stop('leave');
  const twice = make({ nginx: wrapper('twice', 2) });
  await twice.start();
  assert.equal(readFileSync(join(directory, 'twice.count'), 'utf8').trim(), '3');
});

test('draining ends nginx and frees its port', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const driver = make();
  await driver.start();
  await driver.apply(sampleModel({ listeners: [sampleListener('http', port)] }), undefined);
  assert.equal((await request(port, 'a.example')).status, 404);
  await driver.stop('drain');
  await assert.rejects(request(port, 'a.example'));
});

test('the run directory is closed to others, and so are token, configuration and keys in it', async (t) => {
  const { driver: make, directory } = nginxHarness(t);
  const driver = make();
  await driver.start();
  await driver.apply(sampleModel({ listeners: [sampleListener('https', await freePort())] }), undefined);
  const mode = (name: string) => (statSync(join(directory, name)).mode & 0o777).toString(8);
  assert.equal(mode('run'), '700');
  for (const name of ['token', 'nginx.conf', 'nginx.conf.last-good', 'default-key.pem'])
    assert.equal(mode(`run/${name}`), '600');
});

test('a change that failed half-way is in force after the next apply', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const driver = make();
  await driver.start();
  const model = (hosts: readonly string[]) =>
    sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: hosts.map((name) => sampleHost(name, [sampleRoute('/', 'b')])),
      backends: [sampleBackend('b', [[...endpoint]])],
    });
  await driver.apply(model(['a.example']), undefined);
  // Another writer moves the data plane on behind the driver's back.
  const intruder = make();
  await intruder.start();
  await intruder.apply(model(['z.example']), undefined);
  await intruder.stop('leave');
  const delta = sampleDelta({ hosts: ['default/b.example'] });
  await assert.rejects(driver.apply(model(['a.example', 'b.example']), delta), { code: 'WEIR_NGINX_CONFLICT' });
  await driver.apply(model(['a.example', 'b.example']), delta);
  assert.deepEqual(
    await Promise.all(['a', 'b', 'z'].map(async (name) => (await request(port, `${name}.example`)).status)),
    [200, 200, 404],
  );
});

test('certificates are data: each name gets its own, a new one needs no reload, and unknown names get the default', async (t) => {
  const { driver: make } = nginxHarness(t);
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const authority = await makeAuthority();
  const certificate = async (id: string, name: string): Promise<Certificate> => {
    const pair = await authority.issue([name]);
    return {
      id,
      chain: pair.certificate,
      privateKey: new Redacted(pair.key),
      keyType: 'ec',
      names: [name],
      notBefore: '2026-01-01T00:00:00Z',
      notAfter: '2027-01-01T00:00:00Z',
      fingerprint: '',
      origin: sampleOrigin(id),
    };
  };
  const [a, b, byDefault] = await Promise.all([
    certificate('shop/a', 'a.example'),
    certificate('shop/b', 'b.example'),
    certificate('shop/default', 'default.example'),
  ]);
  const driver = make();
  await driver.start();
  const model = (certificates: readonly Certificate[]) =>
    sampleModel({
      listeners: [sampleListener('https', port, { defaultCertificates: ['shop/default'] })],
      hosts: certificates.map(({ id, names }) =>
        sampleHost(names[0] ?? '', [sampleRoute('/', 'b')], { tls: { certificates: [id] } }),
      ),
      backends: [sampleBackend('b', [[...endpoint]])],
      certificates: [byDefault, ...certificates],
    });
  await driver.apply(model([a]), undefined);
  assert.equal(await shownName(port, 'a.example'), 'a.example');
  assert.equal(await shownName(port, 'b.example'), 'default.example');
  const delta = sampleDelta({ hosts: ['default/b.example'], certificates: ['shop/b'] });
  assert.equal((await driver.apply(model([a, b]), delta)).reloaded, false);
  assert.equal(await shownName(port, 'b.example'), 'b.example');
  assert.deepEqual(await request(port, 'b.example', '/', true), { status: 200, body: 'one' });
  assert.equal((await driver.apply(model([a]), delta)).reloaded, false);
  assert.equal(await shownName(port, 'b.example'), 'default.example');
});

/** The first DNS name of the certificate that is shown to a client asking for this name. */
function shownName(port: number, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
      const names = socket.getPeerCertificate().subjectaltname ?? '';
      socket.destroy();
      resolve(names.split(', ')[0]?.replace('DNS:', '') ?? '');
    });
    socket.on('error', reject);
  });
}
