import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hasLoneSurrogate } from './lone-surrogate.ts';

test('half of a surrogate pair is found in a JSON text, and nothing that only looks like its escape', () => {
  const texts = ['\ud800', 'a\udfffb', '\\\ud800', '\\ud800', '\\\\ud800', '\\ud', '🦫', '\u{e000}', ''];
  assert.deepEqual(
    texts.map((text) => hasLoneSurrogate(JSON.stringify({ text }))),
    [true, true, true, false, false, false, false, false, false],
  );
});

test('it is found in whatever text is not well-formed', () => {
  const unit = fc.constantFrom('\\', 'u', 'd', '8', '0', '\ud800', '\udc00', '"', 'a');
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      assert.equal(hasLoneSurrogate(JSON.stringify([text])), !text.isWellFormed());
    }),
  );
});
