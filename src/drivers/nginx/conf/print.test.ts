import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { block, directive, entry, luaBlock, variables } from './build-directive.ts';
import { print } from './print.ts';

/** What nginx's own reader makes of a quoted argument: a backslash takes the next quote or backslash as it is. */
function unquote(text: string): string {
  const match = /^"((?:[^"\\]|\\[\s\S])*)"$/.exec(text);
  assert.ok(match, `not one quoted argument: ${text}`);
  const escapes: Record<string, string> = { t: '\t', r: '\r', n: '\n', '"': '"', "'": "'", '\\': '\\' };
  return (match[1] ?? '').replaceAll(/\\([\s\S])/g, (whole, character: string) => escapes[character] ?? whole);
}

const printable = fc
  .string({ unit: 'grapheme', maxLength: 60 })
  .filter((text) => text.isWellFormed() && !/[\p{Cc}$]/u.test(text));

describe('print', () => {
  it('writes directives, blocks, entries and Lua', () => {
    const tree = [
      directive('worker_processes', 2),
      block(
        'http',
        [],
        [
          block('map', [variables('$a'), variables('$b')], [directive('default', 1), entry('', 'x y')]),
          luaBlock('init_by_lua_block', 'weir = 1'),
        ],
      ),
    ];
    assert.equal(
      print(tree),
      'worker_processes "2";\nhttp {\n  map "$a" "$b" {\n    default "1";\n    "" "x y";\n  }\n  init_by_lua_block { weir = 1 }\n}\n',
    );
  });

  it('quotes every literal so that it is read as exactly its characters', () => {
    fc.assert(
      fc.property(printable, (text) => {
        const line = print([directive('a', text)]);
        assert.equal(unquote(line.slice(2, -2)), text);
      }),
    );
  });

  it('never lets a value end its argument', () => {
    const hostile = ['"; load_module x; #', '\\', '\\"', "'", '}', ';', '#', 'a b', '{', '\\n', '\\\\"'];
    for (const text of hostile) {
      const line = print([directive('a', text)]);
      assert.equal(line.split('\n').length, 2);
      assert.equal(unquote(line.slice(2, -2)), text);
    }
  });

  it('refuses what nginx can not be told: control characters, a dollar sign, half a character, too much', () => {
    for (const text of ['a\nb', 'a\0', '\t', '\u007f', '$host', 'a$', '\ud800', 'x'.repeat(4000)]) {
      assert.throws(() => print([directive('proxy_pass', text)]), /directive proxy_pass/);
    }
    assert.throws(() => print([directive('proxy_pass', variables('a\n'))]), /control character/);
  });

  it('says nothing of the value it refuses', () => {
    assert.throws(
      () => print([directive('proxy_pass', 'secret$')]),
      (error: Error) => !error.message.includes('secret'),
    );
  });

  it('refuses a name that is none', () => {
    for (const name of ['a b', 'a;', 'A', '{']) assert.throws(() => print([directive(name)]));
  });
});
