import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Finding } from '../diagnostics/finding.ts';
import { FindingBook } from './finding-book.ts';

const sample: fc.Arbitrary<Finding> = fc
  .record({ name: fc.constantFrom('a', 'b'), index: fc.nat(12), message: fc.constantFrom('x', 'y') })
  .map(({ name, index, message }) => ({
    code: 'WEIR0100',
    severity: 'error',
    object: { kind: 'Ingress', namespace: 'n', name },
    field: `spec.rules[${index}]`,
    message,
    fix: '',
  }));

test('whatever the order of changes, all findings of all subjects stand there once, by object and place', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('s', 't', 'u'), fc.array(sample, { maxLength: 4 }), fc.boolean())),
      (steps) => {
        const book = new FindingBook();
        const expected = new Map<string, readonly Finding[]>();
        for (const [subject, findings, look] of steps) {
          book.set(subject, findings);
          expected.set(subject, findings);
          if (look) book.all();
        }
        const texts = [...expected.values()].flat().map((finding) => JSON.stringify(finding));
        const shown = book.all().map((finding) => JSON.stringify(finding));
        assert.deepEqual([...shown].sort(), [...new Set(texts)].sort());
      },
    ),
  );
});

test('rules[2] comes before rules[10]', () => {
  const book = new FindingBook();
  const at = (field: string): Finding => ({
    code: 'WEIR0100',
    severity: 'error',
    object: { kind: 'Ingress', namespace: 'n', name: 'a' },
    field,
    message: 'x',
    fix: '',
  });
  book.set('s', [at('spec.rules[10]'), at('spec.rules[2]')]);
  assert.deepEqual(
    book.all().map(({ field }) => field),
    ['spec.rules[2]', 'spec.rules[10]'],
  );
});

test('findings that did not change are one list', () => {
  const book = new FindingBook();
  assert.equal(book.all(), book.all());
});
