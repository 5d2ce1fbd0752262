import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleBackend, sampleHost, sampleModel } from '../testing/sample-model.ts';
import { refusedRecords } from './refused-records.ts';

test('a record that the data plane refuses is told on the object it was made from', () => {
  const model = sampleModel({ hosts: [sampleHost('a.example', [])], backends: [sampleBackend('a b')] });
  const bad = [
    { key: 'h:default/a.example', error: 'not a list' },
    { key: 'b:a%20b', error: 'no endpoints' },
    { key: 'h:default/gone.example', error: 'whatever' },
  ];
  assert.deepEqual(
    refusedRecords(bad, model).map(({ code, object }) => `${code} ${object.name}`),
    ['WEIR0409 web', 'WEIR0409 a b'],
  );
});
