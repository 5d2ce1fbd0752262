import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotToBeHad } from './not-to-be-had.ts';
import { PrivateApt } from './private-apt.ts';

test('without a source for the release that the machine runs there is nothing to ask, and that is the reason', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'weir-private-apt-'));
  t.after(() => rmSync(directory, { recursive: true }));
  await assert.rejects(new PrivateApt(directory).download('no-such-release', 'trixie', ['nginx']), (error) => {
    assert.ok(error instanceof NotToBeHad);
    assert.match(error.message, /no-such-release|apt|keys/u);
    return true;
  });
});
