/**
 * The demo: the manifests of examples/shop, the backends they name, and weir with nginx in front of them.
 *
 * Usage: tools/demo.ts            runs until Ctrl-C, follows edits to examples/shop
 *        tools/demo.ts --check    on a copy of the examples and on free ports: runs every command that it prints,
 *                                 compares the answers with what it says of them, edits a manifest and measures how
 *                                 long the answer takes to follow; exit 0: all as printed, 1: not
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { POD_PORT, PODS } from '../examples/backends/pods.ts';
import { type RunningPod, startPod } from '../examples/backends/start-pod.ts';
import { chooseDemoPorts, type DemoPorts, freeDemoPort, portRemarks } from './demo/demo-ports.ts';
import { type DemoStep, demoSteps } from './demo/demo-steps.ts';
import { DemoWeir } from './demo/demo-weir.ts';
import { followEdits } from './demo/follow-edits.ts';
import { measureEdit } from './demo/measure-edit.ts';
import { writeSampleSecrets } from './demo/sample-secrets.ts';
import { tryStep } from './demo/try-step.ts';

const root = join(import.meta.dirname, '..');
const EDIT_LIMIT_MS = 1000;

const say = (line = '') => process.stdout.write(`${line}\n`);
const done = (what: string, detail: string) => say(`${pc.green('✓')} ${what.padEnd(17)} ${detail}`);

interface Demo {
  readonly weir: DemoWeir;
  readonly ports: DemoPorts;
  readonly steps: readonly DemoStep[];
  readonly manifests: string;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
  const check = values.check === true;
  const undo: (() => Promise<void> | void)[] = [];
  const interrupted = interruption();
  try {
    const demo = await start(check, undo);
    if (check) {
      process.exitCode = (await checkAll(demo)) ? 0 : 1;
    } else {
      show(demo);
      const following = new AbortController();
      undo.push(() => following.abort());
      const tell = (line: string) => say(`${pc.dim(new Date().toTimeString().slice(0, 8))} ${line}`);
      const follower = followEdits(demo.weir, demo.ports.admin, tell, following.signal);
      follower.catch((error: unknown) => tell(`edits are no longer followed here: ${String(error)}`));
      const ended = await Promise.race([interrupted, demo.weir.exited]);
      if (ended !== 'interrupted') throw new Error(`weir ended (${ended}); its log:\n${demo.weir.log()}`);
      say('\nStopping …');
    }
  } catch (error) {
    console.error(pc.red(error instanceof Error ? error.message : String(error)));
    process.exitCode = 1;
  } finally {
    for (const step of undo.toReversed()) await step();
  }
}

async function start(check: boolean, undo: (() => Promise<void> | void)[]): Promise<Demo> {
  let generated = join(root, 'examples/.generated');
  let manifests = join(root, 'examples/shop');
  let podPort = POD_PORT;
  if (check) {
    generated = mkdtempSync(join(tmpdir(), 'weir-demo-check-'));
    undo.push(() => rmSync(generated, { recursive: true, force: true }));
    manifests = join(generated, 'shop');
    cpSync(join(root, 'examples/shop'), manifests, { recursive: true });
    // Another demo on this machine shall not be in the way.
    podPort = await freeDemoPort();
    const endpoints = join(manifests, 'endpoints.yaml');
    writeFileSync(endpoints, readFileSync(endpoints, 'utf8').replaceAll(`port: ${POD_PORT}`, `port: ${podPort}`));
  }
  const secrets = await writeSampleSecrets(generated);
  done('certificates', `Secrets in ${shown(secrets.manifests)}, their authority in ${shown(secrets.authority)}`);
  const pods = await startPods(podPort);
  undo.push(async () => {
    await Promise.all(pods.map((pod) => pod.stop()));
  });
  done('sample backends', `${PODS.length} on ${PODS[0]?.address} and further addresses, port ${podPort}`);
  const ports = await chooseDemoPorts(check);
  if (!check) for (const remark of portRemarks(ports)) say(`${pc.yellow('!')} ${remark}`);
  const startedAt = performance.now();
  const weir = new DemoWeir(root, [manifests, secrets.manifests], ports);
  undo.push(() => weir.stop());
  await weir.ready();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  done('weir', `ready after ${seconds} s; HTTP on port ${ports.http}, HTTPS on ${ports.https}, log in ${weir.logFile}`);
  const steps = demoSteps({
    ports,
    authority: shown(secrets.authority),
    weir: 'bin/weir',
    node: 'node_modules/.bin/node',
    manifests: shown(manifests),
    secrets: shown(secrets.manifests),
  });
  return { weir, ports, steps, manifests };
}

async function startPods(port: number): Promise<RunningPod[]> {
  const started = await Promise.allSettled(PODS.map((pod) => startPod(pod, port)));
  const failed = started.find((result) => result.status === 'rejected');
  const pods = started.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  if (failed === undefined) return pods;
  await Promise.all(pods.map((pod) => pod.stop()));
  const reason = failed.reason as NodeJS.ErrnoException & { address?: string };
  const hint = reason.code === 'EADDRINUSE' ? ' Is another demo running?' : '';
  throw new Error(`A sample backend can't listen on ${reason.address}:${port}: ${reason.message}.${hint}`);
}

function show({ steps, ports, manifests }: Demo): void {
  say('\nTry in another terminal, in this folder:\n');
  for (const { title, command, shows } of steps) {
    say(`  ${pc.dim(`# ${title}`)}`);
    say(`  ${command}`);
    if (shows.length > 0) say(`  ${pc.dim(`→ ${shows.join(' … ')}`)}`);
    say();
  }
  say(`Status: bin/weir status --admin 127.0.0.1:${ports.admin}, or http://127.0.0.1:${ports.admin}/api/v1/status`);
  say(`Edit ${shown(manifests)}/*.yaml: changes are in force as soon as a file is saved. Ctrl-C ends it all.\n`);
}

/** Whether every answer is as printed, and follows an edit within a second. */
async function checkAll({ steps, manifests, ports }: Demo): Promise<boolean> {
  let failed = 0;
  for (const step of steps) {
    const { output, missing } = await tryStep(step, root);
    if (missing === undefined) {
      done('as printed', step.title);
    } else {
      failed += 1;
      say(
        `${pc.red('✗')} ${step.title}: the output does not show ${missing}\n  ${step.command}\n${output.replace(/^/gm, '    ')}`,
      );
    }
  }
  const { changedAfterMs, restoredAfterMs } = await measureEdit(manifests, ports.http);
  done('edit followed', `after ${changedAfterMs} ms; undone after ${restoredAfterMs} ms`);
  if (Math.max(changedAfterMs, restoredAfterMs) > EDIT_LIMIT_MS) {
    failed += 1;
    say(`${pc.red('✗')} an edit took longer than ${EDIT_LIMIT_MS} ms to be in force`);
  }
  say(failed === 0 ? 'All as printed.' : `${failed} not as printed.`);
  return failed === 0;
}

/** A path as it is typed in the project's folder. */
function shown(path: string): string {
  const inside = relative(root, path);
  return inside.startsWith('..') ? path : inside;
}

/** Resolves at the first Ctrl-C (or SIGTERM); a second one ends the demo at once. */
function interruption(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve('interrupted'));
  });
}

await main();
