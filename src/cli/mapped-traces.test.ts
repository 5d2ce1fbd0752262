import assert from 'node:assert/strict';
import type { SourceMapPayload } from 'node:module';
import { test } from 'node:test';
import vm from 'node:vm';
import { mapTraces } from './mapped-traces.ts';

/** One generated line, whose column 12 (the throw) comes from line 7, column 5 of the source. */
const MAP: SourceMapPayload = {
  file: 'bundle.cjs',
  version: 3,
  sources: ['src/cli/deep.ts'],
  sourcesContent: [],
  names: [],
  mappings: 'AAMI',
  sourceRoot: '',
};

test('a trace names the source where the bundle came from it, and stays as it is elsewhere', (t) => {
  const before = Error.prepareStackTrace;
  t.after(() => (Error.prepareStackTrace = before));
  let readings = 0;
  mapTraces('bundle.cjs', () => {
    readings += 1;
    return MAP;
  });
  const fail = (filename: string): string => {
    try {
      vm.runInThisContext('throw new TypeError("no")', { filename, displayErrors: false });
    } catch (error) {
      return (error as Error).stack!;
    }
    return assert.fail('it did not throw');
  };
  assert.match(fail('other.cjs'), /^TypeError: no\n {4}at other\.cjs:1:7\n/u);
  assert.equal(readings, 0);
  assert.match(fail('bundle.cjs'), /^TypeError: no\n {4}at src\/cli\/deep\.ts:7:5\n {4}at /u);
  fail('bundle.cjs');
  assert.equal(readings, 1);
});
