import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldHeaderChanges } from './header-changes.ts';

test('a later filter replaces what an earlier one did to the same header, whatever its case', () => {
  const folded = foldHeaderChanges([
    { set: [{ name: 'X-A', value: '1' }], add: [{ name: 'X-B', value: '1' }] },
    { remove: ['x-b'], set: [{ name: 'x-a', value: '2' }] },
  ]);
  assert.deepEqual(folded, { set: [['x-a', '2']], remove: ['x-b'] });
});

test('a header that is removed and then added begins anew', () => {
  assert.deepEqual(foldHeaderChanges([{ remove: ['X'] }, { add: [{ name: 'X', value: '1' }] }]), { set: [['X', '1']] });
});

test('filters that change nothing leave nothing in the record', () => {
  assert.equal(foldHeaderChanges([{}, { set: [], add: [], remove: [] }]), undefined);
});
