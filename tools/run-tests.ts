/**
 * Runs every test that needs no cluster and ends with one line, `N passed, N failed`.
 *
 * Usage: tools/run-tests.ts [--update] [--no-types] [--e2e] [--root FOLDER] [FILE|TEXT…]
 * A FILE or TEXT keeps only test files whose path contains it. `--update` rewrites golden files.
 * Files named `*.alone.test.ts` measure time or load and run one at a time, after the others.
 * `--e2e`: those of test/e2e instead, which need a cluster, one at a time in the order of their names.
 * Exit 0: at least one test ran and none failed. 1 otherwise.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { parseArgs } from 'node:util';
import { TestReport } from './test-report.ts';

const FILE_TIMEOUT_MS = 10 * 60_000;

const PATTERNS = {
  unclustered: ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts', 'examples/**/*.test.ts'],
  e2e: ['test/e2e/*.e2e.ts'],
} as const;

function testFiles(root: string, filters: readonly string[], which: keyof typeof PATTERNS): string[] {
  const files = globSync(PATTERNS[which], { cwd: root, exclude: ['**/node_modules/**'] }).sort();
  return filters.length === 0 ? files : files.filter((file) => filters.some((text) => file.includes(text)));
}

/** Rejects nothing: what goes wrong with a file is a failed test of the report. */
async function runFiles(
  root: string,
  files: readonly string[],
  concurrency: number,
  update: boolean,
  report: TestReport,
) {
  if (files.length === 0) return;
  const stream = run({
    files: files.map((file) => join(root, file)),
    cwd: root,
    concurrency,
    timeout: FILE_TIMEOUT_MS,
    execArgv: update ? ['--test-update-snapshots'] : [],
  });
  await report.follow(stream);
}

function typecheck(root: string, report: TestReport): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const checked = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
  });
  report.check('types (tsc)', checked.status === 0, checked.stdout + checked.stderr);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      update: { type: 'boolean' },
      'no-types': { type: 'boolean' },
      e2e: { type: 'boolean' },
      root: { type: 'string' },
    },
  });
  const root = values.root ?? join(import.meta.dirname, '..');
  const filters = positionals.map((path) => (path.startsWith('/') ? relative(root, path) : path));
  const e2e = values.e2e === true;
  const which = e2e ? 'e2e' : 'unclustered';
  const files = testFiles(root, filters, which);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const report = new TestReport(root, print);
  const idle = positionals.filter((_, index) => testFiles(root, filters.slice(index, index + 1), which).length === 0);
  if (idle.length > 0) {
    print(`No test file has ${idle.join(' or ')} in its path (they are ${PATTERNS[which].join(', ')}).`);
  }
  if (filters.length === 0 && values['no-types'] !== true && !e2e) typecheck(root, report);
  const isAlone = (file: string) => e2e || file.endsWith('.alone.test.ts');
  const alone = files.filter(isAlone);
  const together = files.filter((file) => !isAlone(file));
  const update = values.update === true;
  await runFiles(root, together, availableParallelism(), update, report);
  await runFiles(root, alone, 1, update, report);
  process.exitCode = report.finish() ? 0 : 1;
}

await main();
