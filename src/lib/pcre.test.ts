import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcreProblem } from './pcre.ts';

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
