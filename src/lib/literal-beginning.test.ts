import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closableBeginning, literalBeginning } from './literal-beginning.ts';

test('the literal beginning ends before the first thing that may be something else', () => {
  for (const [pattern, beginning] of [
    ['/shop/(item', '/shop/'],
    ['^/shop/[a', '/shop/'],
    ['/shop?x', '/sho'],
    ['/shop*', '/sho'],
    ['/shop{2}', '/sho'],
    ['/shop+(', '/shop'],
    ['/a|/b(', ''],
    ['/(.*)', '/'],
    ['/shop', '/shop'],
    ['', ''],
  ] as const) {
    assert.equal(literalBeginning(pattern), beginning, pattern);
  }
});

test('what begins with no more than a slash can not be closed without the whole host', () => {
  assert.equal(closableBeginning('/(a'), undefined);
  assert.equal(closableBeginning('/a|/b('), undefined);
  assert.equal(closableBeginning('/x(a'), '/x');
});
