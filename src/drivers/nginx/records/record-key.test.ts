import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { recordId, recordKey, recordName } from './record-key.ts';

test('a plain id is its own name', () => {
  assert.equal(recordKey('b', 'shop/web:http'), 'b:shop/web:http');
  assert.equal(recordKey('h', 'default/*.shop.example'), 'h:default/*.shop.example');
});

test('whatever an id is, its name is printable, without spaces, and leads back to it', () => {
  const id = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('%', '2', '0', ' ', '\n', 'a') }),
  );
  fc.assert(
    fc.property(id, (text) => {
      assert.match(recordName(text), /^[\x21-\x7e]*$/);
      assert.equal(recordId(recordName(text)), text.toWellFormed());
    }),
  );
});
