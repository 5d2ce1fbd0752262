import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocument } from './parse-document.ts';

const parse = (text: string) => parseDocument({ text, start: 11, line: 11 });
const value = (scalar: string) => {
  const [document] = parse(`v: ${scalar}\n`).values ?? [];
  return (document as { v: unknown }).v;
};

test('scalars are read as Kubernetes reads them', () => {
  const cases: readonly [string, unknown][] = [
    ['yes', true],
    ['Off', false],
    ['y', true],
    ['true', true],
    ['0777', 511],
    ['0o17', 15],
    ['0x1F', 31],
    ['0b11', 3],
    ['-08', -8],
    ['1_000', 1000],
    ['1e3', 1000],
    ['.5', 0.5],
    ['80', 80],
    ['~', null],
    ['', null],
    ['12:30', '12:30'],
    ['2024-05-01', '2024-05-01'],
    ['2024-05-01T10:00:00Z', '2024-05-01T10:00:00Z'],
    ['1.2.3', '1.2.3'],
    ['10m', '10m'],
    ['.inf', '.inf'],
    ['"yes"', 'yes'],
    ["'80'", '80'],
    ['!!str 80', '80'],
  ];
  for (const [text, expected] of cases) assert.deepEqual(value(text), expected, text);
});

test('merge keys merge, and the own key wins', () => {
  const { values } = parse('base: &base {a: 1, b: 2}\nuse:\n  <<: *base\n  b: 3\n');
  assert.deepEqual(values, [{ base: { a: 1, b: 2 }, use: { a: 1, b: 3 } }]);
});

test('a mistake is told with its line and column in the file', () => {
  const { failure } = parse('a: b\n c: d\n');
  assert.deepEqual([failure?.entry.code, failure?.line, failure?.column], ['WEIR0003', 12, 3]);
});

test('a quote or bracket that is not closed is named as what may be the mistake, for the place is after it', () => {
  for (const text of ['a: "x\nb: 1\n', 'a: [x\nb: 1\n', 'a: [\n  - x: 1\n']) {
    assert.match(parse(text).failure?.reason ?? '', /quote or bracket that was opened before/, text);
    assert.match(parse(text).failure?.fix ?? '', /^Close the quote or bracket/, text);
  }
  assert.doesNotMatch(parse('a: b\n c: d\n').failure?.reason ?? '', /quote or bracket/);
});

test('a key given twice is a finding of its own, in YAML and in JSON', () => {
  assert.equal(parse('a: 1\nb: 2\na: 3\n').failure?.entry.code, 'WEIR0004');
  assert.equal(parse('a: 1\nb: 2\na: 3\n').failure?.line, 13);
  assert.equal(parse('{"a": 1,\n\t"a": 2}').failure?.entry.code, 'WEIR0004');
});

test('what went wrong never quotes the document, which may hold a Secret', () => {
  const { failure } = parse('kind: Secret\nstringData:\n  password: hunter2\n bad: hunter2\n');
  assert.ok(failure !== undefined);
  assert.doesNotMatch(JSON.stringify(failure), /hunter2/);
});

test('aliases that expand to billions of nodes are refused', () => {
  const levels = Array.from({ length: 40 }, (_, i) => `l${i}: &l${i} [${i === 0 ? 'x' : `*l${i - 1}, *l${i - 1}`}]`);
  assert.equal(parse(levels.join('\n')).failure?.entry.code, 'WEIR0005');
});

test('an alias that contains itself is refused, and so is a chain of aliases too deep to walk', () => {
  assert.equal(parse('a: &a\n  b: *a\n').failure?.entry.code, 'WEIR0005');
  const chain = Array.from({ length: 20_000 }, (_, i) => `l${i}: &l${i} {x: ${i === 0 ? '1' : `*l${i - 1}`}}`);
  assert.equal(parse(chain.join('\n')).failure?.entry.code, 'WEIR0005');
});

test('a few harmless aliases are read', () => {
  assert.deepEqual(parse('a: &x {k: 1}\nb: *x\n').values, [{ a: { k: 1 }, b: { k: 1 } }]);
});

test('a template that was not rendered is told what to do, at a mistake that is none of its own making too', () => {
  for (const text of [
    'name: {{ .Values.name }}\n',
    'a:\n{{- if .Values.x }}\n  b: 1\n{{- end }}\n',
    '{{ include "x" . }}',
  ]) {
    assert.match(parse(text).failure?.fix ?? '', /looks like a Helm template.*helm template/, text);
  }
  assert.doesNotMatch(parse('a: {{b: 1}\n').failure?.fix ?? '', /Helm/);
});
