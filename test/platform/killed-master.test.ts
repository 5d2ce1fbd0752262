import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  sampleBackend,
  sampleDelta,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { nginxProcesses } from '../../src/drivers/nginx/supervisor/nginx-processes.ts';
import { StateDirectory } from '../../src/drivers/nginx/supervisor/state-directory.ts';
import { echoBackend, freePort, request, visit } from '../integration/nginx-harness.ts';
import { eventually } from '../support/scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

await forEachNginx((nginx) => {
  test('a master that is killed leaves workers that serve until another nginx stands beside them, and then end', async (t) => {
    const harness = nginx.harness(t);
    const port = await freePort();
    const endpoint = await echoBackend(t, 'one');
    const model = (hosts: readonly string[]) =>
      sampleModel({
        listeners: [sampleListener('http', port)],
        hosts: hosts.map((name) => sampleHost(name, [sampleRoute('/', 'b')])),
        backends: [sampleBackend('b', [[...endpoint]])],
      });
    const driver = harness.driver();
    await driver.start();
    await driver.apply(model(['a.example']), undefined);
    const { run } = new StateDirectory(harness.directory);
    const processes = () => nginxProcesses(nginx.path, run, undefined);
    const before = processes();
    assert.equal(before.workers.length, 2);

    process.kill(before.master!.pid, 'SIGKILL');
    const quit = () => harness.events.some(({ event }) => event === 'orphans-quit');
    const { statuses, resets } = await visit(port, 'a.example', quit);
    assert.deepEqual(statuses, [200]);
    assert.ok(resets <= 2, `${resets} requests were reset`);

    const after = await eventually('the orphans to end', () => {
      const now = processes();
      return now.orphans.length === 0 && now.master !== undefined && now.workers.length === 2 ? now : undefined;
    });
    assert.notEqual(after.master?.pid, before.master?.pid);
    const old = new Set(before.workers.map(({ pid }) => pid));
    assert.ok(after.workers.every(({ pid }) => !old.has(pid)));
    await driver.apply(model(['a.example', 'b.example']), sampleDelta({ hosts: ['default/b.example'] }));
    for (const host of ['a.example', 'b.example']) assert.equal((await request(port, host)).body, 'one');
  });

  test('a driver that starts while only orphans are left serves beside them, closed until it has its routes', async (t) => {
    const harness = nginx.harness(t);
    const port = await freePort();
    const [one, two] = [await echoBackend(t, 'one'), await echoBackend(t, 'two')];
    const model = (endpoint: readonly [string, number]) =>
      sampleModel({
        listeners: [sampleListener('http', port)],
        hosts: [sampleHost('a.example', [sampleRoute('/', 'b')])],
        backends: [sampleBackend('b', [[...endpoint]])],
      });
    const first = harness.driver();
    await first.start();
    await first.apply(model(one), undefined);
    await first.stop('leave');
    const { run } = new StateDirectory(harness.directory);
    const before = nginxProcesses(nginx.path, run, undefined);
    process.kill(before.master!.pid, 'SIGKILL');
    await eventually('the master to end', () => nginxProcesses(nginx.path, run, undefined).master === undefined);

    const next = harness.driver();
    await next.start();
    // The orphans alone have the port: the new one does not answer with less than it should know.
    for (let count = 0; count < 20; count += 1) assert.equal((await request(port, 'a.example')).body, 'one');
    await next.apply(model(two), undefined);
    for (let count = 0; count < 20; count += 1) assert.equal((await request(port, 'a.example')).body, 'two');
    await eventually('the orphans to end', () => nginxProcesses(nginx.path, run, undefined).orphans.length === 0);
  });
});
