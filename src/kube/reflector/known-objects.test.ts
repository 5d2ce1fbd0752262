import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../kube-object.ts';
import { KnownObjects } from './known-objects.ts';

function object(name: string, version: number | string, uid = `uid-${name}`): KubeObject {
  return { metadata: { name, namespace: 'shop', uid, resourceVersion: String(version) } };
}

function listed(...objects: readonly KubeObject[]): KnownObjects {
  const known = new KnownObjects();
  known.beginList();
  for (const each of objects) known.put(each);
  known.endList();
  return known;
}

function words(
  changes: readonly { type: string; object: Pick<KubeObject, 'metadata'> }[] | undefined,
): readonly string[] | undefined {
  return changes?.map(
    ({ type, object: { metadata } }) => `${type} ${metadata.name} ${metadata.uid}@${metadata.resourceVersion}`,
  );
}

test('an object that is told again, or of an earlier version, is no change', () => {
  const known = listed(object('a', 100));
  assert.deepEqual(known.put(object('a', 100), '100'), []);
  assert.deepEqual(known.put(object('a', 99), '100'), []);
  assert.deepEqual(words(known.put(object('a', 101), '100')), ['put a uid-a@101']);
  assert.deepEqual(known.delete(object('a', 99)), []);
});

test('versions are compared as numbers of any length', () => {
  const known = listed(object('a', '9'));
  assert.equal(known.put(object('a', '10'), '9')?.length, 1);
  assert.equal(known.put(object('a', '98765432109876543210'), '9')?.length, 1);
  assert.equal(known.put(object('a', '98765432109876543209'), '9')?.length, 0);
});

test('versions that are no numbers are taken in the order in which they come', () => {
  const known = listed(object('a', 'x1'));
  assert.equal(known.put(object('a', 'x0'), 'x1')?.length, 1);
  assert.deepEqual(known.put(object('a', 'x0'), 'x0'), []);
});

test('another uid under a name ends the life before', () => {
  const known = listed(object('a', 5, 'one'));
  assert.deepEqual(words(known.put(object('a', 9, 'two'), '5')), ['delete a one@5', 'put a two@9']);
  assert.deepEqual(known.put(object('a', 5, 'one'), '9'), []);
  assert.deepEqual(words(known.delete(object('a', 12, 'three'))), ['delete a two@9']);
});

test('an unknown object from before what has been told can not be judged', () => {
  const known = listed(object('a', 5));
  assert.deepEqual(words(known.delete(object('a', 7))), ['delete a uid-a@7']);
  assert.equal(known.put(object('a', 5), '7'), undefined);
  assert.deepEqual(words(known.put(object('a', 8, 'new'), '7')), ['put a new@8']);
});

test('what a list does not have is deleted at its end, with name, namespace and uid', () => {
  const known = listed(object('a', 1), object('b', 2));
  known.beginList();
  known.put(object('b', 2));
  assert.deepEqual(known.endList(), [
    { type: 'delete', object: { metadata: { name: 'a', namespace: 'shop', uid: 'uid-a', resourceVersion: '1' } } },
  ]);
  assert.equal(known.size, 1);
});

test('what goes while a list comes in does not come back with a late word of it', () => {
  const known = new KnownObjects();
  known.beginList();
  known.put(object('a', 5));
  assert.deepEqual(words(known.delete(object('a', 8))), ['delete a uid-a@8']);
  assert.deepEqual(known.put(object('a', 5)), []);
  assert.deepEqual(words(known.put(object('a', 9, 'new'))), ['put a new@9']);
  assert.deepEqual(known.endList(), []);
});

test('a list that begins anew forgets what the one before had', () => {
  const known = new KnownObjects();
  known.beginList();
  known.put(object('a', 5));
  known.beginList();
  known.put(object('b', 6));
  assert.deepEqual(words(known.endList()), ['delete a uid-a@5']);
});

test('when versions are forgotten everything is told again, without a delete', () => {
  const known = listed(object('a', 50));
  known.forgetVersions();
  known.beginList();
  assert.deepEqual(words(known.put(object('a', 20))), ['put a uid-a@20']);
  assert.deepEqual(known.endList(), []);
});
