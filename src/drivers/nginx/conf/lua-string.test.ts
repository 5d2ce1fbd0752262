import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { luaString } from './lua-string.ts';

it('a Lua string holds every byte of its text, and only letters, digits, _ . / : - and numbers between its quotes', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      (text) => {
        const literal = luaString(text);
        assert.match(literal, /^"(?:[A-Za-z0-9_./:-]|\\\d{3})*"$/);
        const bytes = [...literal.slice(1, -1).matchAll(/\\(\d{3})|(.)/g)].map(([, number, character]) =>
          number === undefined ? (character ?? '').charCodeAt(0) : Number(number),
        );
        assert.deepEqual(bytes, [...Buffer.from(text)]);
      },
    ),
  );
});
