import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Redacted } from '../lib/redacted.ts';
import type { Backend } from './backend.ts';
import type { Certificate } from './certificate.ts';
import { applyDelta, deltaSize, diffModels, emptyDelta, isEmptyDelta, mergeDeltas, wholeModel } from './diff.ts';
import { equalParts } from './equality.ts';
import { emptyModel, type Model } from './model.ts';

const origin = { object: { kind: 'Service', namespace: 'shop', name: 'web' }, field: 'spec' };

function backend(id: string, port: number): Backend {
  return {
    id,
    protocol: 'http',
    balancing: { kind: 'round-robin' },
    endpoints: [{ address: '10.0.0.1', port, weight: 1, state: 'ready' }],
    origin,
  };
}

function certificate(id: string, key: string): Certificate {
  return {
    id,
    chain: 'chain',
    privateKey: new Redacted(key),
    keyType: 'ec',
    names: ['shop.example'],
    notBefore: '2026-01-01T00:00:00Z',
    notAfter: '2027-01-01T00:00:00Z',
    fingerprint: 'f',
    origin,
  };
}

const ids = fc.constantFrom('a', 'b', 'c', 'd');
const anyModel = fc
  .record({
    backends: fc.uniqueArray(fc.tuple(ids, fc.integer({ min: 1, max: 2 })), { selector: ([id]) => id }),
    certificates: fc.uniqueArray(fc.tuple(ids, fc.constantFrom('k1', 'k2')), { selector: ([id]) => id }),
  })
  .map(
    ({ backends, certificates }): Model => ({
      ...emptyModel(),
      backends: new Map(backends.map(([id, port]) => [id, backend(id, port)])),
      certificates: new Map(certificates.map(([id, key]) => [id, certificate(id, key)])),
    }),
  );

test('applying the difference of two models to the first gives the second', () => {
  fc.assert(
    fc.property(anyModel, anyModel, (a, b) => {
      const result = applyDelta(a, b, diffModels(a, b));
      assert.ok(isEmptyDelta(diffModels(result, b)));
      assert.deepEqual([...result.backends.keys()].sort(), [...b.backends.keys()].sort());
    }),
  );
});

test('a model does not differ from itself, nor from a copy', () => {
  fc.assert(
    fc.property(anyModel, (a) => {
      assert.ok(isEmptyDelta(diffModels(a, a)));
      const copy = { ...a, backends: new Map([...a.backends].map(([id, part]) => [id, { ...part }])) };
      assert.ok(isEmptyDelta(diffModels(a, copy)));
    }),
  );
});

test('merged deltas lead from the first of three models to the last', () => {
  fc.assert(
    fc.property(anyModel, anyModel, anyModel, (a, b, c) => {
      const merged = mergeDeltas(diffModels(a, b), diffModels(b, c));
      assert.ok(isEmptyDelta(diffModels(applyDelta(a, c, merged), c)));
    }),
  );
});

test('a difference names exactly the keys that were added, replaced and removed', () => {
  const before: Model = {
    ...emptyModel(),
    backends: new Map([
      ['a', backend('a', 1)],
      ['b', backend('b', 1)],
      ['c', backend('c', 1)],
    ]),
  };
  const after: Model = {
    ...emptyModel(),
    backends: new Map([
      ['a', backend('a', 1)],
      ['b', backend('b', 2)],
      ['d', backend('d', 1)],
    ]),
  };
  const delta = diffModels(before, after);
  assert.deepEqual([...delta.backends].sort(), ['b', 'c', 'd']);
  assert.equal(deltaSize(delta), 3);
});

test('a private key that changed is a change, although it prints the same', () => {
  const before: Model = { ...emptyModel(), certificates: new Map([['a', certificate('a', 'old')]]) };
  const after: Model = { ...emptyModel(), certificates: new Map([['a', certificate('a', 'new')]]) };
  assert.deepEqual([...diffModels(before, after).certificates], ['a']);
  assert.ok(
    isEmptyDelta(diffModels(before, { ...emptyModel(), certificates: new Map([['a', certificate('a', 'old')]]) })),
  );
});

test('applying a delta leaves both models as they were and shares what did not change', () => {
  const base: Model = { ...emptyModel(), backends: new Map([['a', backend('a', 1)]]) };
  const source: Model = { ...emptyModel(), backends: new Map([['b', backend('b', 1)]]) };
  const result = applyDelta(base, source, { ...emptyDelta(), backends: new Set(['b']) });
  assert.deepEqual([...base.backends.keys()], ['a']);
  assert.deepEqual([...result.backends.keys()], ['a', 'b']);
  assert.equal(result.certificates, base.certificates);
});

test('the whole of a model is its difference to nothing', () => {
  fc.assert(fc.property(anyModel, (a) => assert.deepEqual(wholeModel(a), diffModels(emptyModel(), a))));
});

test('an undefined field equals an absent one, the order of a list counts', () => {
  assert.ok(equalParts({ a: 1, b: undefined }, { a: 1 }));
  assert.ok(equalParts({ a: 1 }, { a: 1, b: undefined }));
  assert.ok(!equalParts({ a: 1 }, { a: 1, b: null }));
  assert.ok(!equalParts([1, 2], [2, 1]));
  assert.ok(!equalParts([], {}));
  assert.ok(!equalParts(new Redacted('a'), new Redacted('b')));
  assert.ok(!equalParts(new Redacted('a'), '[redacted]'));
});
