/**
 * Makes the image, starts a cluster of its own, runs test/e2e in it and takes it down whatever happened. Tells how long each part took;
 * the last line is `N passed, N failed`. Usage: tools/e2e.ts [TEXT…] (files of test/e2e with one of these in their path)
 *
 * KUBECONFIG names somebody's own cluster to be used instead: with WEIR_IMAGE (and ECHO_IMAGE) where it can pull them from.
 * CLUSTER (1 to 9, default 7) is the number of the cluster that is started, so that one which runs already is left alone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(import.meta.dirname, '..');
const OWN_CLUSTER = '7';

interface Part {
  readonly name: string;
  readonly seconds: number;
}

async function main(texts: readonly string[]): Promise<void> {
  const foreign = (process.env.KUBECONFIG ?? '') !== '';
  const env = foreign ? {} : { CLUSTER: process.env.CLUSTER ?? OWN_CLUSTER };
  const parts: Part[] = [];
  const timed = async (name: string, work: Promise<number>) => {
    const began = performance.now();
    const code = await work;
    parts.push({ name, seconds: (performance.now() - began) / 1000 });
    return code;
  };
  const node = (script: string, ...args: readonly string[]) =>
    run(process.execPath, [join(ROOT, script), ...args], env);
  const end = new AbortController();
  // The children get the same signal from the terminal; this program stays to take the cluster down.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end.abort());

  let last = '0 passed, 1 failed';
  let failed = true;
  try {
    if (!foreign || process.env.WEIR_IMAGE === undefined) {
      if ((await timed('image', run('make', ['-s', 'package'], env))) !== 0) return;
    }
    if (!foreign) {
      // One that an earlier run left behind would have its objects in it.
      if ((await timed('cluster down (before)', node('test/cluster/down.ts'))) !== 0) return;
      if ((await timed('cluster up', node('test/cluster/up.ts'))) !== 0) return;
    }
    if (end.signal.aborted) return;
    const tests = [process.execPath, [join(ROOT, 'tools/run-tests.ts'), '--e2e', ...texts], env] as const;
    const code = timed(
      'tests',
      run(...tests, (line) => (last = line)),
    );
    failed = (await code) !== 0;
  } finally {
    if (!foreign && (await timed('cluster down', node('test/cluster/down.ts'))) !== 0) failed = true;
    for (const { name, seconds } of parts) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
    console.log(last);
    process.exitCode = failed ? 1 : 0;
  }
}

/** Its exit code; 1 after a signal. `lastLine` gets the last line instead of the terminal. */
async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  lastLine?: (line: string) => void,
): Promise<number> {
  const stdout = lastLine === undefined ? 'inherit' : 'pipe';
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', stdout, 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  if (child.stdout !== null && lastLine !== undefined) {
    let held: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      if (held !== undefined) console.log(held);
      held = line;
    }
    lastLine(held ?? '0 passed, 1 failed');
  }
  const [code] = await exited;
  return code ?? 1;
}

await main(process.argv.slice(2));
