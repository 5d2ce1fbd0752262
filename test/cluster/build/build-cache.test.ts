import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../support/scope.ts';
import { BuildCache, contentsOf } from './build-cache.ts';
import { isAtLeast } from './go-toolchain.ts';

const put = (text: string) => async (scratch: string) => writeFileSync(join(scratch, 'program'), text);
const never = async () => assert.fail('it was built again');

test('what was built is found by the same inputs, and built anew for others', async (t) => {
  const cache = new BuildCache(temporaryDirectory(t));
  const first = await cache.folder('etcd', ['a', 'b'], put('1'));
  assert.equal(await cache.folder('etcd', ['a', 'b'], never), first);
  const other = await cache.folder('etcd', ['ab', ''], put('2'));
  assert.notEqual(other, first);
  assert.equal(readFileSync(join(first, 'program'), 'utf8'), '1');
  assert.equal(readFileSync(join(other, 'program'), 'utf8'), '2');
});

test('a build that fails leaves nothing, and the next one starts over', async (t) => {
  const cache = new BuildCache(temporaryDirectory(t));
  const failing = cache.folder('etcd', ['a'], async (scratch) => {
    writeFileSync(join(scratch, 'program'), 'half');
    throw new Error('no memory');
  });
  await assert.rejects(failing, /no memory/);
  assert.deepEqual(readdirSync(cache.directory), []);
  const folder = await cache.folder('etcd', ['a'], put('whole'));
  assert.equal(readFileSync(join(folder, 'program'), 'utf8'), 'whole');
});

test('a folder that was not finished is not trusted', async (t) => {
  const cache = new BuildCache(temporaryDirectory(t));
  const folder = await cache.folder('etcd', ['a'], put('whole'));
  rmSync(join(folder, '.complete'));
  writeFileSync(join(folder, 'program'), 'half');
  assert.equal(await cache.folder('etcd', ['a'], put('again')), folder);
  assert.equal(readFileSync(join(folder, 'program'), 'utf8'), 'again');
});

test('what a killed build began is removed, what a living one began is not', async (t) => {
  const cache = new BuildCache(temporaryDirectory(t));
  const { pid: ended } = spawnSync('true');
  mkdirSync(join(cache.directory, `.${ended}-etcd-abc`));
  mkdirSync(join(cache.directory, `.${process.ppid}-etcd-abc`));
  await cache.folder('helm', ['a'], put('1'));
  assert.equal(existsSync(join(cache.directory, `.${ended}-etcd-abc`)), false);
  assert.equal(existsSync(join(cache.directory, `.${process.ppid}-etcd-abc`)), true);
});

test('the contents of a folder change with a file, its name and its place', (t) => {
  const folder = temporaryDirectory(t);
  mkdirSync(join(folder, 'inner'));
  writeFileSync(join(folder, 'b'), '2');
  writeFileSync(join(folder, 'inner', 'a'), '1');
  assert.deepEqual(contentsOf(folder), ['/b', '2', '/inner/a', '1']);
});

test('versions of Go compare as numbers', () => {
  assert.equal(isAtLeast('1.26.8', '1.26.8'), true);
  assert.equal(isAtLeast('1.27', '1.26.8'), true);
  assert.equal(isAtLeast('1.19.8', '1.26.8'), false);
  assert.equal(isAtLeast('1.26', '1.26.8'), false);
  assert.equal(isAtLeast('1.9', '1.10'), false);
  assert.equal(isAtLeast('', '1.26.8'), false);
});
