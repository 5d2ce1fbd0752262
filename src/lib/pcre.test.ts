import assert from 'node:assert/strict';
import { test } from 'node:test';
import { captureCount, pcreProblem } from './pcre.ts';

for (const pattern of [
  '/a',
  '/a(/|$)(.*)',
  '/[a-z]+',
  '/x{2,3}',
  '(?i)/a',
  '(?>a+)b',
  '/a++',
  '\\A/a',
  '(?P<n>x)',
  '/[[:alpha:]]+',
  '/[]a]++',
  '(?<n>x)',
]) {
  test(`${pattern} is let pass`, () => assert.equal(pcreProblem(pattern), undefined));
}
for (const pattern of ['/a(b', '/a)', '/[a', '*', '/a**', '/a\\', '(?>a', '/a++)', '(?i)[a', '(?i)a\\']) {
  test(`${pattern} is surely wrong`, () => assert.ok(pcreProblem(pattern)));
}

test('groups that capture are counted, where JavaScript reads the expression as PCRE does', () => {
  for (const [pattern, count] of [
    ['/app', 0],
    ['/app(/|$)(.*)', 2],
    ['/a(?:b|c)(d(e))', 2],
    ['/\\(x[(]', 0],
    ['(?<name>x)', 1],
    ['(?P<n>x)', undefined],
    ['/a(b', undefined],
  ] as const) {
    assert.equal(captureCount(pattern), count, pattern);
  }
});
