import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  sampleBackend,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { echoBackend, freePort, nginxHarness, request as ask } from '../integration/nginx-harness.ts';
import { startBackend } from '../support/backends/echo-backend.ts';
import { type Fault, startFaultyBackend } from '../support/backends/faulty-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { commandLine } from '../support/leftover-processes.ts';
import { backendService, ingress, type Manifest } from '../support/manifests.ts';
import { eventually } from '../support/scope.ts';
import { FaultTally } from './faults/fault-tally.ts';
import { Scene } from './faults/scene.ts';
import { leftovers, type NginxPids } from './nginx-processes.ts';

/** How often each fault is made; `make pressure` makes each twenty times. */
const TIMES = Number(process.env['FAULTS'] ?? 2);

interface Kill {
  readonly what: string;
  victims(nginx: NginxPids): readonly number[];
  readonly weirToo: boolean;
  /** Whether requests can be answered meanwhile: then hardly any new connection may fail. */
  readonly served: boolean;
}

const KILLS: readonly Kill[] = [
  { what: 'nginx’s master', victims: ({ master }) => [master], weirToo: false, served: true },
  { what: 'weir and nginx’s master', victims: ({ master }) => [master], weirToo: true, served: true },
  { what: 'a worker', victims: ({ workers }) => workers.slice(0, 1), weirToo: false, served: true },
  { what: 'all of nginx', victims: ({ master, workers }) => [master, ...workers], weirToo: false, served: false },
  {
    what: 'weir and all of nginx',
    victims: ({ master, workers }) => [master, ...workers],
    weirToo: true,
    served: false,
  },
];

for (const kill of KILLS) {
  test(`kill -9 of ${kill.what} under load, again and again: changes go on, nothing is left over`, async (t) => {
    const scene = await Scene.open(t);
    const tally = new FaultTally();
    for (let count = 0; count < TIMES; count += 1) {
      const nginx = await scene.whole();
      const before = await scene.load.report();
      const victims = kill.victims(nginx);
      const began = performance.now();
      for (const pid of victims) process.kill(pid, 'SIGKILL');
      if (kill.weirToo) await scene.weir.stop('SIGKILL');
      const inForce = scene.change();
      if (kill.weirToo) await scene.restartWeir();
      await inForce();
      const seconds = (performance.now() - began) / 1000;
      await scene.whole();
      await scene.everyWorkerAgrees();
      await eventually('nothing of the former nginx to be left', () => victims.every((pid) => commandLine(pid) === ''));
      if (victims.includes(nginx.master))
        await eventually('its workers to be gone', () => nginx.workers.every((pid) => commandLine(pid) === ''));
      await delay(300);
      tally.add(before, await scene.load.report(), seconds);
    }
    const report = await scene.load.stop();
    t.diagnostic(`kill -9 of ${kill.what}, ${tally}`);
    const { opened, kept, seconds } = tally.worst;
    assert.ok(seconds < 15, `${seconds} s until a change was in force`);
    // A closing listener's queue is reset by the kernel; a process that is killed takes what it was about to answer along.
    if (kill.served) assert.ok(opened <= 5 && kept <= 32, report.failures.join('\n'));
    else assert.ok(report.longestGap < 15, `${report.longestGap} s without an answer`);
    assert.equal(await scene.weir.stop(), 0);
    assert.deepEqual(leftovers(scene.weir), []);
  });
}

const PUSHED = 400;

test('a worker killed while changes are being pushed: all of them are in force, in every worker', async (t) => {
  const [blue, green] = await Promise.all([startBackend(t, { name: 'b' }), startBackend(t, { name: 'g' })]);
  const host = (index: number) => `pushed-${index}.example`;
  const names = Array.from({ length: PUSHED }, (_, index) => `pushed-${index}`);
  const endpoints = (name: string): readonly Manifest[] =>
    names.flatMap((service) => backendService({ name: service, endpoints: [name === 'b' ? blue : green] }));
  const ingresses = names.map((name, index) => ingress({ name, host: host(index), paths: [{ service: name }] }));
  const scene = await Scene.open(t, { 'ingresses.yaml': ingresses, 'pushed.yaml': endpoints('b') });
  const tally = new FaultTally();
  for (let count = 0; count < TIMES; count += 1) {
    const { workers } = await scene.whole();
    const before = await scene.load.report();
    const wanted = count % 2 === 0 ? 'g' : 'b';
    scene.folder.write('pushed.yaml', endpoints(wanted));
    // From before the file is read until after the push, over the repetitions.
    await delay((count * 37) % 200);
    const began = performance.now();
    process.kill(workers[count % 2]!, 'SIGKILL');
    const inForce = scene.change();
    await inForce();
    const seconds = (performance.now() - began) / 1000;
    await scene.weir.settled();
    const wrong: string[] = [];
    for (let index = 0; index < PUSHED; index += 1) {
      const reply = await request({ port: scene.weir.httpPort, host: host(index) });
      if (reply.headers['x-backend'] !== wanted)
        wrong.push(`${host(index)}: ${reply.status} by ${reply.headers['x-backend']}`);
    }
    assert.deepEqual(wrong, [], `repetition ${count}`);
    await scene.whole();
    tally.add(before, await scene.load.report(), seconds);
  }
  const report = await scene.load.stop();
  t.diagnostic(`a worker killed during a push, ${tally}`);
  const { opened, kept } = tally.worst;
  assert.ok(opened <= 5 && kept <= 32, report.failures.join('\n'));
  assert.equal((await scene.status()).reloads, 1, 'only the one at the start');
  assert.equal(await scene.weir.stop(), 0);
  assert.deepEqual(leftovers(scene.weir), []);
});

/** What has been passed on before it is known can't be taken back: a body that ends early, bytes that nginx takes for HTTP/0.9. */
const PASSED_ON: ReadonlySet<Fault> = new Set(['half', 'garbage']);
const FAULTS: readonly Fault[] = ['hang', 'reset', 'close', 'garbage', 'half', 'unread'];

test('backends that hang, reset, close or answer garbage cost their own requests, and those only where no other endpoint is', async (t) => {
  const good = await startBackend(t, { name: 'good' });
  const sites = await Promise.all(
    FAULTS.map(async (fault) => ({ fault, backend: await startFaultyBackend(t, fault, '127.0.0.2') })),
  );
  const annotations = {
    'nginx.ingress.kubernetes.io/proxy-connect-timeout': '1',
    'nginx.ingress.kubernetes.io/proxy-read-timeout': '1',
    'nginx.ingress.kubernetes.io/proxy-send-timeout': '1',
  };
  const site = (name: string, endpoints: readonly { readonly address: string; readonly port: number }[]) => [
    ingress({ name, host: `${name}.example`, paths: [{ service: name }], annotations }),
    ...backendService({ name, endpoints }),
  ];
  const manifests = sites.flatMap(({ fault, backend }) => [
    ...site(`${fault}-alone`, [backend]),
    ...site(`${fault}-beside`, [backend, good]),
  ]);
  const scene = await Scene.open(t, { 'faulty.yaml': manifests });
  const before = await scene.load.report();
  const answers = new Map<string, Map<string, number>>();
  const count = async (host: string) => {
    const { status } = await request({ port: scene.weir.httpPort, host: `${host}.example` }).catch(() => ({
      status: 'cut',
    }));
    const seen = answers.get(host) ?? new Map<string, number>();
    answers.set(host, seen.set(String(status), (seen.get(String(status)) ?? 0) + 1));
  };
  for (let repetition = 0; repetition < TIMES; repetition += 1) {
    const inForce = scene.change();
    await Promise.all([inForce(), ...FAULTS.flatMap((fault) => [count(`${fault}-alone`), count(`${fault}-beside`)])]);
  }
  const after = await scene.load.stop();
  const seen = (host: string) => [...(answers.get(host)?.keys() ?? [])].join(', ');
  t.diagnostic(
    `faulty backends ${TIMES} times: ${FAULTS.map((fault) => `${fault} alone ${seen(`${fault}-alone`)}, beside a good one ${seen(`${fault}-beside`)}`).join('; ')}; elsewhere ${after.failed} of ${after.requests - before.requests} failed`,
  );
  assert.deepEqual(after.failures, []);
  for (const fault of FAULTS) {
    const silent = fault === 'hang' || fault === 'unread';
    assert.equal(seen(`${fault}-alone`), PASSED_ON.has(fault) ? 'cut' : silent ? '504' : '502', fault);
    if (!PASSED_ON.has(fault)) assert.equal(seen(`${fault}-beside`), '200', fault);
  }
  assert.equal(await scene.weir.stop(), 0);
  assert.deepEqual(leftovers(scene.weir), []);
});

test('a full data zone costs a reload into larger ones; new connections are served all the while', async (t) => {
  const seconds: number[] = [];
  let asked = 0;
  for (let count = 0; count < TIMES; count += 1) {
    const time = await fillZone(t);
    seconds.push(time.seconds);
    asked += time.asked;
  }
  t.diagnostic(
    `a full data zone, ${TIMES} times: failed 0 of ${asked} requests; in force after ${Math.max(...seconds).toFixed(2)} s at most`,
  );
});

async function fillZone(t: TestContext): Promise<{ readonly seconds: number; readonly asked: number }> {
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const { driver: make } = nginxHarness(t);
  const driver = make({ zones: { data: 131_072, certificates: 131_072 } });
  await driver.start();
  const model = (hosts: number) =>
    sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: Array.from({ length: hosts }, (_, index) => sampleHost(`h${index}.example`, [sampleRoute('/', 'b')])),
      backends: [sampleBackend('b', [[...endpoint]])],
    });
  await driver.apply(model(10), undefined);
  const visit = { ended: false };
  let asked = 0;
  const failures: string[] = [];
  const visitor = (async () => {
    for (; !visit.ended; asked += 1) {
      const answer = await ask(port, 'h1.example').catch((error: Error) => error.message);
      if (typeof answer === 'string' || answer.status !== 200) failures.push(JSON.stringify(answer));
    }
  })();
  const began = performance.now();
  const applied = await driver.apply(model(2000), undefined);
  const seconds = (performance.now() - began) / 1000;
  assert.equal(applied.reloaded, true);
  assert.equal((await ask(port, 'h1999.example')).status, 200);
  visit.ended = true;
  await visitor;
  assert.deepEqual(failures, []);
  return { seconds, asked };
}
