import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstClosed, type Ownership } from './worker-access.ts';

const ROOT = { uid: 0, gid: 0 };
const worker = { uid: 33, groups: new Set([33, 1000]) };

/** `/` is open; so is every directory that isn't named. */
function tree(directories: Readonly<Record<string, Ownership>>) {
  return (path: string) => directories[path] ?? { ...ROOT, mode: 0o40755 };
}

test('a path whose directories all let others pass is open, also where they may not be listed', () => {
  assert.equal(firstClosed('/srv/weir/temp', worker, tree({ '/srv/weir': { ...ROOT, mode: 0o40711 } })), undefined);
});

test('of several closed directories the one nearest to the root is named', () => {
  const closed = { ...ROOT, mode: 0o40700 };
  const place = tree({ '/root': closed, '/root/state': closed });
  assert.equal(firstClosed('/root/state/nginx/temp', worker, place), '/root');
});

test('the last directory counts, too', () => {
  assert.equal(firstClosed('/srv/temp', worker, tree({ '/srv/temp': { ...ROOT, mode: 0o40700 } })), '/srv/temp');
});

test('owner, group and others: the first that fits decides alone', () => {
  const asked = (ownership: Ownership) => firstClosed('/srv/temp', worker, tree({ '/srv': ownership }));
  assert.equal(asked({ uid: 33, gid: 0, mode: 0o40100 }), undefined);
  assert.equal(asked({ uid: 33, gid: 33, mode: 0o40011 }), '/srv');
  assert.equal(asked({ uid: 0, gid: 1000, mode: 0o40010 }), undefined);
  assert.equal(asked({ uid: 0, gid: 1000, mode: 0o40001 }), '/srv');
  assert.equal(asked({ uid: 0, gid: 5, mode: 0o40010 }), '/srv');
});

test('root passes everywhere', () => {
  const root = { uid: 0, groups: new Set([0]) };
  assert.equal(
    firstClosed('/a/b', root, () => ({ uid: 5, gid: 5, mode: 0 })),
    undefined,
  );
});
