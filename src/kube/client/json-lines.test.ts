import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLines } from './json-lines.ts';

async function* chunks(...texts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield typeof text === 'string' ? Buffer.from(text) : text;
}

async function read(source: AsyncIterable<Uint8Array>, most = 1000): Promise<{ lists: unknown[]; error: unknown }> {
  const lists: unknown[] = [];
  try {
    for await (const list of jsonLines(source, most)) lists.push(list);
    return { lists, error: undefined };
  } catch (error) {
    return { lists, error };
  }
}

test('the documents of one chunk come together, and one that spans chunks with the last of them', async () => {
  const { lists, error } = await read(chunks('{"a":1}\n{"a":2}\n{"a"', ':3', '}\n\n{"a":4}\n'));
  assert.equal(error, undefined);
  assert.deepEqual(lists, [
    [{ a: 1 }, { a: 2 }],
    [{ a: 3 }, { a: 4 }],
  ]);
});

test('a character that is cut between two chunks is whole again', async () => {
  const bytes = Buffer.from('{"a":"ü€"}\n');
  for (let cut = 1; cut < bytes.length; cut++) {
    const { lists } = await read(chunks(bytes.subarray(0, cut), bytes.subarray(cut)));
    assert.deepEqual(lists.flat(), [{ a: 'ü€' }]);
  }
});

test('a last line without its end counts if it is whole, and is an error if it is cut', async () => {
  assert.deepEqual((await read(chunks('{"a":1}'))).lists, [[{ a: 1 }]]);
  const { lists, error } = await read(chunks('{"a":1}\n{"a":2'));
  assert.deepEqual(lists, [[{ a: 1 }]]);
  assert.ok(error instanceof SyntaxError);
});

test('what stood before a broken line in its chunk is given first', async () => {
  const { lists, error } = await read(chunks('{"a":1}\nnonsense\n{"a":2}\n'));
  assert.deepEqual(lists, [[{ a: 1 }]]);
  assert.ok(error instanceof SyntaxError);
});

test('a line without end is not gathered for ever', async () => {
  const { error } = await read(chunks('x'.repeat(600), 'x'.repeat(600)), 1000);
  assert.ok(error instanceof RangeError);
});
