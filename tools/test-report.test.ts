import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';

const INNER = `
import { describe, it, test } from 'node:test';
import assert from 'node:assert/strict';
test('passes', () => {});
test('compares', () => assert.equal(1, 2));
test('waits', { skip: 'for a tool' }, () => {});
describe('suite', () => { it('inner passes', () => {}); it('inner fails', () => { throw new Error('boo'); }); });
`;

/** In a process of its own: node:test refuses to run tests inside a test. */
function reportOf(files: Record<string, string>, filters: readonly string[] = []): { ok: boolean; lines: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'weir-report-'));
  try {
    mkdirSync(join(folder, 'test'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'test', name), text);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const runner = join(import.meta.dirname, 'run-tests.ts');
    const ran = spawnSync(process.execPath, [runner, '--no-types', '--root', folder, ...filters], {
      env,
      encoding: 'utf8',
    });
    return { ok: ran.status === 0, lines: stripVTControlCharacters(ran.stdout).trimEnd().split('\n') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('tests are summed without suites, failures are shown with their place, and skipped ones are named', () => {
  const { ok, lines } = reportOf({ 'a.test.ts': INNER });
  assert.equal(ok, false);
  assert.equal(lines.at(-1), '2 passed, 2 failed, 1 skipped');
  assert.ok(lines.some((line) => line.startsWith('✖ compares  (test/a.test.ts:5)')));
  assert.ok(lines.some((line) => line.includes('boo')));
  assert.ok(lines.some((line) => line.includes('waits: for a tool')));
});

test('what a test measured stands below its file', () => {
  const { lines } = reportOf({
    'b.test.ts': "import { test } from 'node:test'; test('x', (t) => t.diagnostic('requests 20, failed 0'));",
  });
  const at = lines.findIndex((line) => line.includes('b.test.ts'));
  assert.equal(lines[at + 1], '     requests 20, failed 0');
  assert.equal(lines[at + 2], '');
});

test('a file that does not load fails with what it printed', () => {
  const { ok, lines } = reportOf({ 'broken.test.ts': 'syntax error(' });
  assert.equal(ok, false);
  assert.equal(lines.at(-1), '0 passed, 1 failed');
  assert.ok(lines.some((line) => line.includes('SyntaxError')));
});

test('a file without a test fails', () => {
  const { ok, lines } = reportOf({
    'empty.test.ts': 'export {};',
    'b.test.ts': "import { test } from 'node:test'; test('x', () => {});",
  });
  assert.equal(ok, false);
  assert.equal(lines.at(-1), '1 passed, 1 failed');
  assert.ok(lines.some((line) => line.includes('There is no test in this file.')));
});

test('no test at all is a failure', () => {
  const { ok, lines } = reportOf({});
  assert.equal(ok, false);
  assert.equal(lines.at(-1), '0 passed, 1 failed');
});

test('all is well when every test passes', () => {
  const { ok, lines } = reportOf({ 'b.test.ts': "import { test } from 'node:test'; test('x', () => {});" });
  assert.equal(ok, true);
  assert.equal(lines.at(-1), '1 passed, 0 failed');
});

test('a text that no path of a test file has is named', () => {
  const files = { 'a.test.ts': "import { test } from 'node:test'; test('x', () => {});" };
  const none = reportOf(files, ['docs']);
  assert.equal(none.ok, false);
  assert.match(none.lines[0] ?? '', /^No test file has docs in its path /);
  const some = reportOf(files, ['docs', 'test/a']);
  assert.equal(some.ok, true);
  assert.match(some.lines[0] ?? '', /^No test file has docs in its path /);
  assert.doesNotMatch(reportOf(files, ['test/a']).lines.join('\n'), /No test file/);
});
