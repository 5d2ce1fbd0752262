import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthorityBook, type AuthorityUses } from './authority-book.ts';
import { recordChecksum } from './record-text.ts';

const bundle = (id: string) => ({ id, text: `text of ${id}` });
const uses = (of: Readonly<Record<string, string | undefined>>): AuthorityUses =>
  new Map(Object.entries(of).map(([user, id]) => [user, id === undefined ? undefined : bundle(id)]));
const checksum = (id: string) => recordChecksum(`text of ${id}`);

function bookOf(of: Readonly<Record<string, string | undefined>>): AuthorityBook {
  const book = new AuthorityBook();
  book.commit(uses(of));
  return book;
}

test('a bundle comes with the first who asks for it and goes with the last', () => {
  const book = bookOf({});
  assert.deepEqual([...book.changes(uses({ a: 'x', b: 'x' }))], [['a:x', checksum('x')]]);
  book.commit(uses({ a: 'x', b: 'x' }));
  assert.equal(book.text('x'), 'text of x');
  assert.deepEqual([...book.changes(uses({ a: undefined }))], []);
  book.commit(uses({ a: undefined }));
  assert.deepEqual([...book.changes(uses({ b: undefined }))], [['a:x', undefined]]);
  book.commit(uses({ b: undefined }));
  assert.equal(book.text('x'), undefined);
});

test('whoever asks for another bundle gives up the former one', () => {
  const book = bookOf({ a: 'x', b: 'x' });
  assert.deepEqual([...book.changes(uses({ a: 'y' }))], [['a:y', checksum('y')]]);
  assert.deepEqual([...book.changes(uses({ a: 'y', b: 'y' }))].sort(), [
    ['a:x', undefined],
    ['a:y', checksum('y')],
  ]);
  book.commit(uses({ a: 'y', b: 'y' }));
  assert.deepEqual([book.text('x'), book.text('y')], [undefined, 'text of y']);
});

test('two who change places change nothing, and asking again is no second use', () => {
  const book = bookOf({ a: 'x', b: 'y' });
  assert.deepEqual([...book.changes(uses({ a: 'y', b: 'x' }))], []);
  book.commit(uses({ a: 'x' }));
  book.commit(uses({ a: 'x' }));
  assert.deepEqual([...book.changes(uses({ a: undefined }))], [['a:x', undefined]]);
});

test('to look at changes changes nothing', () => {
  const book = bookOf({ a: 'x' });
  book.changes(uses({ a: 'y' }));
  assert.equal(book.text('y'), undefined);
  assert.deepEqual([...book.changes(uses({ a: 'y' }))].map(([key]) => key).sort(), ['a:x', 'a:y']);
});
