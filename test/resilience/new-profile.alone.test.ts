import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { WebSocketClient } from '../support/clients/websocket-client.ts';
import { request } from '../support/clients/http-client.ts';
import { backendService, ingress, type Manifest } from '../support/manifests.ts';
import { eventually } from '../support/scope.ts';
import { toEachWorker } from './changes/each-worker.ts';
import { Scene } from './faults/scene.ts';
import { drainingWorkers, leftovers } from './nginx-processes.ts';

/** How many new profiles are asked for, one after another; `make pressure` asks for twenty. */
const TIMES = Number(process.env['FAULTS'] ?? 2);
const SLOW_MS = 2500;
const SLOW_REQUESTS = 20;
/** As the supervisor's limit says: generations of draining workers. */
const GENERATIONS = 8;
const WORKERS = 2;

/** A host whose route needs a configuration that nothing else has. */
function withBodyLimit(kilobytes: number): readonly Manifest[] {
  const annotations = { 'nginx.ingress.kubernetes.io/proxy-body-size': `${kilobytes}k` };
  return [ingress({ name: 'limited', host: 'limited.example', paths: [{ service: 'slow' }], annotations })];
}

test('a new profile costs one reload, told with its reason; requests under way and new connections don’t notice', async (t) => {
  const slow = await startBackend(t, {
    name: 'slow',
    respond: (_request, response) => void setTimeout(() => response.end('slow'), SLOW_MS),
  });
  const scene = await Scene.open(t, {
    'slow.yaml': [
      ingress({ name: 'slow', host: 'slow.example', paths: [{ service: 'slow' }] }),
      ...backendService({ name: 'slow', endpoints: [slow] }),
    ],
  });
  const { weir, folder, load } = scene;
  for (let count = 0; count < TIMES; count += 1) {
    const { reloads } = await scene.status();
    const arrived = slow.requests();
    const underWay = Array.from({ length: SLOW_REQUESTS }, () =>
      request({ port: weir.httpPort, host: 'slow.example' }),
    );
    await eventually('the slow requests to be under way', () => slow.requests() === arrived + SLOW_REQUESTS);
    folder.write('limited.yaml', withBodyLimit(11 + count));
    await weir.settled();
    const after = await scene.status();
    assert.equal(after.reloads, reloads + 1);
    assert.equal(after.lastReloadReasons[0]?.reason, 'profile', JSON.stringify(after.lastReloadReasons));
    const body = 'x'.repeat((11 + count) * 1024 + 1);
    const { status } = await request({ port: weir.httpPort, host: 'limited.example', method: 'POST', body });
    assert.equal(status, 413);
    const answers = await Promise.all(underWay);
    assert.deepEqual([...new Set(answers.map((answer) => `${answer.status} ${answer.body}`))], ['200 slow']);
  }
  const report = await load.stop();
  t.diagnostic(
    `${TIMES} new profiles, ${TIMES} reloads: failed ${report.failed - report.idleClosed} of ${report.requests} requests and 0 of ${TIMES * SLOW_REQUESTS} under way; ${report.idleClosed} met a kept connection that nginx closed as idle`,
  );
  assert.equal(report.failed, report.idleClosed, report.failures.join('\n'));
  assert.ok(report.requests > 100);
  assert.equal(await weir.stop(), 0);
  assert.deepEqual(leftovers(weir), []);
});

test('however many reloads there are, draining workers are bounded: the oldest end with what they hold', async (t) => {
  const scene = await Scene.open(t);
  const { weir, folder } = scene;
  await scene.load.stop();
  const backends = backendService({ name: 'slow', endpoints: [{ address: '127.0.0.1', port: 9 }] });
  const sockets: WebSocketClient[] = [];
  const openSocket = () => WebSocketClient.open(weir.httpPort, 'steady-0.example');
  t.after(() => sockets.forEach((socket) => socket.close()));
  for (let count = 0; count < GENERATIONS + 4; count += 1) {
    const { workers } = await scene.whole();
    sockets.push(...(await toEachWorker(workers, weir.httpPort, openSocket)));
    folder.write('limited.yaml', [...withBodyLimit(101 + count), ...backends]);
    await weir.settled();
    const draining = drainingWorkers(scene.nginx);
    assert.ok(draining.length <= GENERATIONS * WORKERS, `${draining.length} after ${count + 1} reloads`);
  }
  assert.equal((await scene.status()).reloads, GENERATIONS + 4 + 1);
  // The youngest live on, the oldest don't: a WebSocket holds its worker until its generation is one too many.
  await eventually('the oldest WebSocket to be closed', () => sockets.slice(0, WORKERS).every(({ ended }) => ended));
  assert.match(await sockets.at(-1)!.ask('still here'), /still here/u);
  assert.equal(await weir.stop(), 0);
  assert.deepEqual(leftovers(weir), []);
});
