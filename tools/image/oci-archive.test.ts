import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileTree } from './file-tree.ts';
import { missingFiles } from './missing-files.ts';
import { ociArchive } from './oci-archive.ts';
import { unpackImage } from './unpack-image.ts';

const CONFIG = {
  architecture: 'amd64',
  user: '101:101',
  environment: ['PATH=/usr/bin'],
  entrypoint: ['/usr/bin/weir'],
  command: ['run'],
  volumes: ['/var/lib/weir'],
  labels: { title: 'weir' },
};

function tree(content: string): FileTree {
  const made = new FileTree(1000);
  const owner = { uid: process.getuid!(), gid: process.getgid!() };
  made.symlink('bin', 'usr/bin');
  // As packages of old say it.
  made.file('bin/weir', content, { mode: 0o755, ...owner });
  made.file('usr/bin/weir', `${content} again`, { mode: 0o755, ...owner });
  return made;
}

test('an image unpacks to the files of its layers, and is the same bytes each time', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'weir-oci-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const layers = () => [
    { comment: 'first', tree: tree('first') },
    { comment: 'second', tree: tree('second') },
  ];
  const [image, same] = [
    await ociArchive('localhost/weir:1', CONFIG, layers(), 1000),
    await ociArchive('localhost/weir:1', CONFIG, layers(), 1000),
  ];
  assert.equal(Buffer.compare(image.archive, same.archive), 0);
  const [archive, root] = [join(directory, 'image.tar'), join(directory, 'root')];
  writeFileSync(archive, image.archive);
  mkdirSync(root);
  assert.deepEqual(unpackImage(archive, root), {
    user: '101:101',
    environment: ['PATH=/usr/bin'],
    entrypoint: ['/usr/bin/weir'],
  });
  assert.equal(readlinkSync(join(root, 'bin')), 'usr/bin');
  assert.equal(readFileSync(join(root, 'bin/weir'), 'utf8'), 'second again');
  assert.equal(existsSync(join(root, 'usr/bin')), true);

  const at = image.archive.indexOf(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]));
  image.archive[at + 12]! ^= 1;
  writeFileSync(archive, image.archive);
  assert.throws(() => unpackImage(archive, root), /is another/u);
});

test('a library or a link whose target the image lacks is named', () => {
  const made = tree('#!');
  made.symlink('etc/here', '../usr/bin/weir');
  made.symlink('etc/absolute', '/bin/weir');
  made.symlink('etc/nowhere', 'gone');
  made.file('usr/bin/node', readFileSync(process.execPath));
  const missing = missingFiles(made.entries());
  assert.ok(missing.includes('etc/nowhere needs etc/gone'), missing.join('\n'));
  assert.ok(missing.includes('usr/bin/node needs libc.so.6'), missing.join('\n'));
  assert.equal(
    missing.some((line) => /\/here|absolute/u.test(line)),
    false,
  );
});
