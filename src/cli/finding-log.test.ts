import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Finding, Severity } from '../diagnostics/finding.ts';
import { FindingLog } from './finding-log.ts';

function harness(level = 'debug') {
  const lines: { level: string; msg: string; finding?: Finding }[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  const log = pino({ level, base: null, formatters: { level: (label) => ({ level: label }) } }, stream);
  const located: string[] = [];
  const findings = new FindingLog(log, async (finding) => {
    located.push(finding.object.name);
    return { ...finding, line: 7, column: 3 };
  });
  const note = async (...all: readonly Finding[]) => {
    lines.length = 0;
    await findings.note(all);
    return lines.map((line) => `${line.level} ${line.msg}`);
  };
  return { note, lines, located };
}

function finding(name: string, severity: Severity = 'error', more: Partial<Finding> = {}): Finding {
  const object = { kind: 'Ingress', namespace: 'shop', name };
  const texts = { message: 'It is wrong.', fix: 'Mend it.' };
  return { code: 'WEIR0103', severity, object, field: 'spec', file: 'a.yaml', line: 1, ...texts, ...more };
}

test('a finding is one line with place, code, object, field, message and fix; its level is its severity', async () => {
  const { note, lines } = harness();
  assert.deepEqual(await note(finding('i', 'info'), finding('w', 'warning'), finding('e')), [
    'error a.yaml:7:3: error WEIR0103 Ingress/shop/e spec: It is wrong; Mend it.',
    'warn a.yaml:7:3: warning WEIR0103 Ingress/shop/w spec: It is wrong; Mend it.',
    'debug a.yaml:7:3: info WEIR0103 Ingress/shop/i spec: It is wrong; Mend it.',
  ]);
  assert.deepEqual([lines[0]?.finding?.code, lines[0]?.finding?.line], ['WEIR0103', 7]);
});

test('what is about a file or folder names it once', async () => {
  const { note } = harness();
  const object = { kind: 'File', namespace: '', name: 'a.yaml' };
  assert.deepEqual(await note(finding('', 'error', { object, field: '' })), [
    'error a.yaml:7:3: error WEIR0103: It is wrong; Mend it.',
  ]);
});

test('a finding is told once, also where its line moves, and again when it comes back', async () => {
  const { note } = harness();
  assert.equal((await note(finding('a'))).length, 1);
  assert.deepEqual(await note(finding('a', 'error', { line: 9 })), []);
  assert.deepEqual(await note(), ['info 1 finding is gone; none is left']);
  assert.equal((await note(finding('a'))).length, 1);
});

test('what is left is told when findings go; infos come and go unnoticed', async () => {
  const { note } = harness('info');
  await note(finding('a'), finding('b'), finding('c'), finding('d', 'warning'), finding('i', 'info'));
  assert.deepEqual(await note(finding('c'), finding('d', 'warning'), finding('i', 'info')), [
    'info 2 findings are gone; 1 error and 1 warning left',
  ]);
  assert.deepEqual(await note(finding('c'), finding('d', 'warning')), []);
});

test('of many at once 20 are told, the errors first, and how many there are more', async () => {
  const { note, located } = harness('info');
  const many = Array.from({ length: 25 }, (_, index) => finding(`e${index}`));
  const lines = await note(finding('w', 'warning'), finding('i', 'info'), ...many);
  assert.equal(lines.length, 22);
  assert.match(lines[19] ?? '', /e19 spec/);
  assert.match(lines[20] ?? '', /^error and 5 more of severity error: .*weir check.*\/api\/v1\/diagnostics/);
  assert.match(lines[21] ?? '', /^warn .*w spec/);
  // What isn't written isn't looked for, either.
  assert.equal(located.length, 21);
});
