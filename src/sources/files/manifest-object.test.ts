import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManifestObject } from './manifest-object.ts';

const REF = { kind: 'Service', namespace: 'shop', name: 'web' };
const PLACE = { file: 'a.yaml', line: 3, document: 0 };
const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const made = (object: unknown) => ManifestObject.of(REF, object, JSON.stringify(object), PLACE);

test('what is kept is what was read', () => {
  const object = {
    kind: 'Service',
    metadata: { name: 'web', annotations: { a: 'ü' } },
    spec: { ports: [{ port: 80 }] },
  };
  const { ref, body, place } = made(object);
  assert.deepEqual([ref, body, place], [REF, object, PLACE]);
});

test('what API server and kubectl note for themselves is left out, and nothing beside it', () => {
  const spec = { ports: [{ port: 80 }] };
  const annotations = { [APPLIED]: '{"spec":{}}', keep: 'this' };
  const managed = { name: 'web', managedFields: [{ manager: 'kubectl' }], labels: { a: 'b' } };
  assert.deepEqual(made({ metadata: { ...managed, annotations }, spec }).body, {
    metadata: { name: 'web', labels: { a: 'b' }, annotations: { keep: 'this' } },
    spec,
  });
  assert.deepEqual(made({ metadata: managed, spec }).body, { metadata: { name: 'web', labels: { a: 'b' } }, spec });
});

test('metadata of a wrong shape stays, so that it is told', () => {
  for (const metadata of [null, 'text', [], { annotations: { [APPLIED]: 5 } }, { annotations: 'text' }]) {
    assert.deepEqual(made({ metadata }).body, { metadata });
  }
});

test('objects say the same when their content does, wherever they stand', () => {
  const object = { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } };
  const moved = made(object).at({ ...PLACE, line: 9 });
  assert.ok(moved.saysSameAs(made(object)));
  assert.equal(moved.place.line, 9);
  assert.ok(!made({ ...object, spec: {} }).saysSameAs(made(object)));
});

test('one that was saved says the same when it is read again', () => {
  const object = made({ metadata: { name: 'web' }, data: { '1': 'x', __proto__x: 'y' } });
  const saved = JSON.parse(JSON.stringify(object)) as ReturnType<ManifestObject['toJSON']>;
  assert.ok(ManifestObject.from(saved).saysSameAs(object));
});
