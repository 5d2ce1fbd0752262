import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { FileEntry } from './file-entry.ts';
import { readTar } from './read-tar.ts';
import { writeTar } from './write-tar.ts';

const PLAIN = { uid: 0, gid: 0, mtime: 1_700_000_000, mode: 0o644, content: new Uint8Array() };
const CAPABILITY = Buffer.from('0100000200040000000000000000000000000000', 'hex');
const LONG = `usr/${'directory/'.repeat(12)}file`;

test('GNU tar reads an archive with long names, links, owners and a capability as it was meant', () => {
  const entries: FileEntry[] = [
    { ...PLAIN, path: 'etc', kind: 'directory', mode: 0o1777 },
    { ...PLAIN, path: 'etc/link', kind: 'symlink', mode: 0o777, target: `../${LONG}` },
    {
      ...PLAIN,
      path: 'etc/program',
      kind: 'file',
      mode: 0o755,
      uid: 101,
      gid: 102,
      content: Buffer.from('x'.repeat(513)),
      attributes: { 'security.capability': CAPABILITY },
    },
    { ...PLAIN, path: 'etc/same', kind: 'hardlink', mode: 0o755, target: 'etc/program' },
    { ...PLAIN, path: LONG, kind: 'file' },
  ];
  const archive = writeTar(entries);
  const record = Buffer.concat([Buffer.from('57 SCHILY.xattr.security.capability='), CAPABILITY, Buffer.from('\n')]);
  assert.equal(record.length, 57);
  assert.ok(archive.includes(record));
  const listed = execFileSync('tar', ['--xattrs', '--xattrs-include=*', '--numeric-owner', '--utc', '-tvv'], {
    input: archive,
    encoding: 'utf8',
  });
  const lines = listed
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ +/gu, ' ').trimEnd());
  const when = '2023-11-14 22:13';
  assert.deepEqual(lines, [
    `drwxrwxrwt 0/0 0 ${when} etc/`,
    `lrwxrwxrwx 0/0 0 ${when} etc/link -> ../${LONG}`,
    // The star: it has extended attributes.
    `-rwxr-xr-x* 101/102 513 ${when} etc/program`,
    `hrwxr-xr-x 0/0 0 ${when} etc/same link to etc/program`,
    `-rw-r--r-- 0/0 0 ${when} ${LONG}`,
  ]);
});

test('what GNU tar writes for a package, long names included, is read as it is', () => {
  const script = `set -e; cd "$(mktemp -d)"; mkdir -p ./${LONG.slice(0, -5)} lib; echo hello >./${LONG}; ln -s ../${LONG} lib/link
    ln ./${LONG} lib/hard; tar --format=gnu --sort=name --owner=0 --group=0 --mtime=@1700000000 --mode=u=rw,go=r,a+X -c ./lib ./usr; rm -rf "$PWD"`;
  const entries = readTar(execFileSync('sh', ['-c', script]));
  const files = entries.filter(({ kind }) => kind !== 'directory');
  assert.deepEqual(
    files.map(({ path, kind, target, content, mtime, mode }) => [
      path,
      kind,
      target,
      Buffer.from(content).toString(),
      mtime,
      kind === 'symlink' ? 0 : mode,
    ]),
    [
      ['lib/hard', 'file', undefined, 'hello\n', 1_700_000_000, 0o644],
      ['lib/link', 'symlink', `../${LONG}`, '', 1_700_000_000, 0],
      [LONG, 'hardlink', 'lib/hard', '', 1_700_000_000, 0o644],
    ],
  );
});
