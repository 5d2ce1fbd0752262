/**
 * Constant changes and load for a long time: memory and descriptors of every process must stay as they are after
 * warming up, no change may stick, no worker of a former configuration may stay.
 *
 * Usage: test/soak/soak.ts     20 minutes; SOAK_MINUTES=3 for a quick look
 * Exit 0: all was flat and nothing failed. 1 otherwise.
 */
import Table from 'cli-table3';
import { setTimeout as delay } from 'node:timers/promises';
import { residentParts } from '../bench/process-figures.ts';
import { UndoList } from '../bench/undo-list.ts';
import { Scene } from '../resilience/faults/scene.ts';
import { loadText } from '../resilience/load/load.ts';
import { drainingWorkers } from '../resilience/nginx-processes.ts';
import { eventually, type Scope } from '../support/scope.ts';
import { ingress } from '../support/manifests.ts';
import { Churn } from './churn.ts';
import { ProcessSamples } from './process-samples.ts';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 20);
const SAMPLE_MS = 2000;
/** Shares of the time: warming up, then no reload so that workers live, then one reload after another. */
const WARM_UP = 0.2;
const RELOADS_FROM = 0.8;
const RELOADS = 10;

const words = (line: string) => process.stderr.write(`soak: ${line}\n`);

async function soak(scope: Scope): Promise<readonly string[]> {
  const scene = await Scene.open(scope);
  const { weir, folder, load } = scene;
  const churn = await Churn.open(scope, folder, weir);
  const { reloads } = await scene.status();
  const samples = new ProcessSamples();
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const total = MINUTES * 60;
  const churning = churn.run(() => seconds() > total);
  const { master, workers } = scene.nginx;
  const steady = new Map([
    ['weir', weir.pid],
    ['nginx master', master],
    ...workers.map((pid, index) => [`nginx worker ${index + 1}`, pid] as const),
  ]);
  for (let minute = 0; seconds() < total * RELOADS_FROM; await delay(SAMPLE_MS)) {
    samples.take(seconds(), steady);
    if (seconds() / 60 < minute) continue;
    const { own, shared } = residentParts(workers[0]!);
    words(
      `minute ${minute}: ${churn.changes} changes, a worker has ${own.toFixed(1)} MiB and shares ${shared.toFixed(1)}`,
    );
    minute += 1;
  }
  const flatness = samples.flatness(total * WARM_UP);
  const before = await load.report();
  const problems: string[] = [];
  const expect = (right: boolean, problem: string) => void (right || problems.push(problem));
  expect(before.failed === 0, `${before.failed} requests failed: ${before.failures.slice(0, 5).join('; ')}`);
  expect((await scene.status()).reloads === reloads, 'nginx was reloaded by changes that are data');

  for (let count = 0; count < RELOADS; count += 1) {
    const annotations = { 'nginx.ingress.kubernetes.io/proxy-body-size': `${count + 11}k` };
    folder.write('profile.yaml', [
      ingress({ name: 'p', host: 'p.example', paths: [{ service: 'moving' }], annotations }),
    ]);
    await delay((total * (1 - RELOADS_FROM) * 1000) / RELOADS);
  }
  await churning;
  await scene.everyWorkerAgrees();
  const report = await load.stop();
  expect(
    report.failed === report.idleClosed,
    `${report.failed - report.idleClosed} requests failed: ${report.failures.slice(0, 5).join('; ')}`,
  );
  expect(churn.wrong.length === 0, `wrong answers: ${churn.wrong.slice(0, 5).join('; ')}`);
  const status = await scene.status();
  expect(status.reloads === reloads + RELOADS, `${status.reloads - reloads} reloads instead of ${RELOADS}`);
  expect(status.appliedGeneration === status.generation, `generation ${status.generation} is not in force`);
  await eventually('workers of former configurations to be gone', () => drainingWorkers({ master }).length === 0, {
    withinMs: 300_000,
  }).catch((error: Error) => problems.push(error.message));
  for (const { name, flat } of flatness) expect(flat, `${name} grew`);

  const table = new Table({
    head: ['', 'own MiB', 'shared MiB', 'descriptors', 'flat'],
    style: { head: [], border: [] },
  });
  const course = (mib: readonly number[]) => mib.map((each) => each.toFixed(1)).join(' → ');
  for (const { name, own, shared, descriptors, flat } of flatness) {
    table.push([name, course(own), course(shared), descriptors.join(' → '), flat ? 'yes' : 'NO']);
  }
  process.stdout.write(
    `${table.toString()}\n${churn.changes} changes in ${MINUTES} minutes, ${RELOADS} reloads, ${loadText(report)}; ${report.idleClosed} met a connection closed as idle\n`,
  );
  return problems;
}

const scope = new UndoList();
try {
  const problems = await soak(scope);
  for (const problem of problems) words(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await scope.undo();
}
