import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceKind } from './open-cluster.ts';

const NOTHING = { manifests: [] };
const IN_POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1' };

test('manifests are taken wherever weir runs, if they are given', () => {
  for (const environment of [{}, IN_POD, { KUBECONFIG: 'elsewhere' }]) {
    assert.equal(sourceKind({ ...NOTHING, manifests: ['sites'] }, environment), 'files');
  }
});

test('a cluster is taken where a kubeconfig, a context, KUBECONFIG or the pod names one', () => {
  assert.equal(sourceKind({ ...NOTHING, kubeconfig: 'config' }, {}), 'kubernetes');
  assert.equal(sourceKind({ ...NOTHING, context: 'test' }, {}), 'kubernetes');
  assert.equal(sourceKind(NOTHING, { KUBECONFIG: 'config' }), 'kubernetes');
  assert.equal(sourceKind(NOTHING, IN_POD), 'kubernetes');
});

test('manifests and a cluster at once are refused, and so is neither', () => {
  assert.throws(
    () => sourceKind({ ...NOTHING, manifests: ['sites'], kubeconfig: 'config' }, {}),
    /--kubeconfig exclude/,
  );
  assert.throws(() => sourceKind({ ...NOTHING, manifests: ['sites'], context: 'test' }, {}), /--context exclude/);
  assert.throws(() => sourceKind(NOTHING, { HOME: '/root' }), /nothing says where the objects are/);
});
