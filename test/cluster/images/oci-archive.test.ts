import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../support/scope.ts';
import { runTool } from '../machine/run-tool.ts';
import { importedNames } from '../parts/node-images.ts';
import { writeOciArchive } from './oci-archive.ts';

const NAME = 'weir.test/sample:1';

test('an image is an OCI archive whose blobs have the checksums that name them', async (t) => {
  const directory = temporaryDirectory(t);
  const archive = await write(directory, 'one.tar');
  await runTool('tar', ['-xf', archive, '-C', directory]);
  const blob = (digest: string) => {
    const content = readFileSync(join(directory, 'blobs', ...digest.split(':')));
    assert.equal(`sha256:${createHash('sha256').update(content).digest('hex')}`, digest);
    return content;
  };
  const index = JSON.parse(readFileSync(join(directory, 'index.json'), 'utf8'));
  assert.equal(index.manifests[0].annotations['io.containerd.image.name'], NAME);
  const manifest = JSON.parse(blob(index.manifests[0].digest).toString());
  const config = JSON.parse(blob(manifest.config.digest).toString());
  assert.deepEqual(config.config, { Entrypoint: ['/bin/program'], User: '65534:65534' });
  assert.deepEqual(config.rootfs.diff_ids, [manifest.layers[0].digest]);
  assert.equal(blob(manifest.layers[0].digest).length, manifest.layers[0].size);
  writeFileSync(join(directory, 'layer.tar'), blob(manifest.layers[0].digest));
  const listed = await runTool('tar', ['-tvf', join(directory, 'layer.tar')]);
  assert.match(listed, /^-rwxr-xr-x 0\/0 +5 1970-01-01 \S+ \.\/bin\/program$/m);
});

test('the same files make the same archive', async (t) => {
  const directory = temporaryDirectory(t);
  const [one, other] = [await write(directory, 'one.tar'), await write(directory, 'other.tar')];
  assert.deepEqual(readFileSync(one), readFileSync(other));
});

test('the names of imported images are read from what containerd 1 and 2 say', () => {
  assert.deepEqual(importedNames('unpacking weir.test/echo:1 (sha256:abc)...done\n'), ['weir.test/echo:1']);
  assert.deepEqual(importedNames('weir.test/echo:1                   saved\n'), ['weir.test/echo:1']);
  assert.deepEqual(importedNames(''), []);
});

async function write(directory: string, name: string): Promise<string> {
  writeFileSync(join(directory, 'source'), 'hello');
  const archive = join(directory, name);
  const files = { '/bin/program': join(directory, 'source') };
  await writeOciArchive({ name: NAME, files, entrypoint: ['/bin/program'] }, archive);
  return archive;
}
