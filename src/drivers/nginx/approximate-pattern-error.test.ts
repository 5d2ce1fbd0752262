import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approximatePatternError } from './approximate-pattern-error.ts';

test('parentheses and brackets that do not balance are found', () => {
  for (const pattern of ['/a(', '/a)', '/[a', '/a\\'])
    assert.notEqual(approximatePatternError(pattern), undefined, pattern);
});

test('what PCRE understands and JavaScript does not is left alone', () => {
  for (const pattern of ['/a++', '(?i)/a', '(?P<x>a)', '(?>a)', '/a{,3}']) {
    assert.equal(approximatePatternError(pattern), undefined, pattern);
  }
});
