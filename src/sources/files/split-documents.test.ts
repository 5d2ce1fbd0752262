import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { splitDocuments } from './split-documents.ts';

const lines = (text: string): number[] => splitDocuments(text).map((document) => document.line);

test('a document starts at the line of its first content, not at its separator or comment', () => {
  assert.deepEqual(lines('# head\n\na: 1\n---\n# why\nb: 2\n'), [3, 6]);
});

test('documents of comments and blank lines alone are left out', () => {
  assert.deepEqual(lines('---\n# nothing\n---\n\n---\na: 1\n---\n'), [6]);
  assert.deepEqual(lines(''), []);
});

test('content on the line of the separator belongs to the document it opens', () => {
  const [document] = splitDocuments('--- {a: 1}\n');
  assert.deepEqual(document, { text: '--- {a: 1}\n', start: 1, line: 1 });
});

test('dashes that are followed by text or stand within a block do not separate', () => {
  assert.equal(splitDocuments('a: |\n  x\n  ---\n  y\n---x: 1\n').length, 1);
});

test('Windows line ends and a byte order mark change nothing', () => {
  assert.deepEqual(lines('\uFEFFa: 1\r\n---\r\nb: 2\r\n'), [1, 3]);
});

test('directives stay with the document they are for', () => {
  const documents = splitDocuments('%YAML 1.2\n---\na: 1\n---\nb: 2\n');
  assert.deepEqual(
    documents.map((document) => document.text),
    ['%YAML 1.2\n---\na: 1\n', '---\nb: 2\n'],
  );
});

test('JSON values one after the other are documents of their own, also when pretty-printed', () => {
  assert.deepEqual(lines('{"a":1}\n{"b":{}}\n'), [1, 2]);
  assert.deepEqual(lines('{\n  "a": {\n  }\n}\n{\n  "b": [\n{}\n,\n{}]}\n'), [1, 5]);
});

test('the texts of all documents, put at their lines, are lines of the file', () => {
  const line = fc.constantFrom('---', '--- # c', 'a: 1', '  b: 2', '# c', '', '- x', '{"a": 1}', '%YAML 1.2');
  fc.assert(
    fc.property(fc.array(line), (all) => {
      for (const document of splitDocuments(all.join('\n'))) {
        const own = document.text.replace(/\n$/, '').split('\n');
        assert.deepEqual(own, all.slice(document.start - 1, document.start - 1 + own.length));
        assert.ok(document.line >= document.start);
      }
    }),
  );
});
