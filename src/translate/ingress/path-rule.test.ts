import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverMatches } from './path-rule.ts';

function reasonOf(value: string): string | undefined {
  return neverMatches({ type: 'Prefix', value, backend: {}, field: '' });
}

test('a path that no request line has room for never matches', () => {
  assert.equal(reasonOf(`/${'a'.repeat(16_000)}`), undefined);
  assert.equal(reasonOf(`/${'a'.repeat(17_000)}`), 'is longer than a request line may be');
  assert.equal(reasonOf(`/${'ä'.repeat(9_000)}`), 'is longer than a request line may be');
});
