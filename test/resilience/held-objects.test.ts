import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { X509Certificate } from 'node:crypto';
import { type Backend, startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { request } from '../support/clients/http-client.ts';
import { handshake } from '../support/clients/tls-client.ts';
import { ManifestFolder, manifestText } from '../support/manifest-folder.ts';
import { backendService, ingress, type Manifest, tlsSecret } from '../support/manifests.ts';
import { eventually } from '../support/scope.ts';
import { startWeir, type Weir } from '../support/weir.ts';
import { leftovers, nginxPids } from './nginx-processes.ts';

const HELD = 'held-objects.jsonl';

const site = (name: string, backend: Backend): readonly Manifest[] => [
  ingress({ name, host: `${name}.example`, paths: [{ service: name }] }),
  ...backendService({ name, endpoints: [backend] }),
];

const answer = async (weir: Weir, name: string) =>
  (await request({ port: weir.httpPort, host: `${name}.example` })).headers['x-backend'];

const codes = async (weir: Weir) =>
  (await weir.admin<{ items: { code: string }[] }>('/api/v1/diagnostics')).items.map(({ code }) => code);

/** kill -9 of weir and of all nginx processes, at once. */
async function killEverything(weir: Weir): Promise<void> {
  const { master, workers } = nginxPids(weir);
  for (const pid of [weir.pid, master, ...workers]) process.kill(pid, 'SIGKILL');
  await eventually('all to be gone', () => leftovers(weir).length === 0);
}

test('a manifest that broke while weir ran is served as it last was after kill -9 of everything, and heals when it is mended', async (t) => {
  const [blue, green] = await Promise.all([startBackend(t, { name: 'blue' }), startBackend(t, { name: 'green' })]);
  const pair = await (await makeAuthority()).issue(['secure.example']);
  const good = manifestText([
    ...site('kept', blue),
    ingress({
      name: 'secure',
      host: 'secure.example',
      paths: [{ service: 'kept' }],
      tls: [{ hosts: ['secure.example'], secretName: 'pair' }],
    }),
    tlsSecret({ name: 'pair', ...pair }),
  ]);
  const folder = new ManifestFolder(t, { 'kept.yaml': good, 'other.yaml': site('other', blue) });
  const first = await startWeir(t, { manifests: folder, args: ['--log-level', 'trace'] });
  await first.settled();
  folder.write('kept.yaml', good.slice(0, -20));
  await first.settled();
  assert.deepEqual(await codes(first), ['WEIR0003']);
  await killEverything(first);
  // While nobody looked: what isn't broken changes.
  folder.write('other.yaml', site('other', green));

  const weir = await startWeir(t, { manifests: folder, again: first, args: ['--log-level', 'trace'] });
  await weir.settled();
  assert.deepEqual([await answer(weir, 'kept'), await answer(weir, 'other')], ['blue', 'green']);
  const shown = await handshake(weir.httpsPort, { servername: 'secure.example' });
  assert.equal(shown.certificate.fingerprint256, new X509Certificate(pair.certificate).fingerprint256);
  assert.deepEqual(await codes(weir), ['WEIR0003']);

  const file = join(weir.stateDir, HELD);
  assert.equal((statSync(file).mode & 0o777).toString(8), '600');
  const secret = Buffer.from(pair.key).toString('base64').slice(40, 120);
  assert.ok(readFileSync(file, 'utf8').includes(secret), 'the key is held with the rest');
  for (const { output } of [first, weir]) assert.ok(!output().includes(secret), 'and told to nobody');

  folder.write('kept.yaml', site('kept', green));
  await weir.settled();
  assert.equal(await answer(weir, 'kept'), 'green');
  assert.equal((await request({ port: weir.httpPort, host: 'secure.example' })).status, 404);
  assert.deepEqual(await codes(weir), []);
  assert.ok(!readdirSync(weir.stateDir).includes(HELD), 'nothing is held any more');
  assert.equal(await weir.stop(), 0);
});

test('an object that got a wrong shape while weir ran is served as it last was after kill -9 of everything', async (t) => {
  const [blue, green] = await Promise.all([startBackend(t, { name: 'blue' }), startBackend(t, { name: 'green' })]);
  const folder = new ManifestFolder(t, { 'kept.yaml': site('kept', blue) });
  const first = await startWeir(t, { manifests: folder });
  await first.settled();
  folder.write('kept.yaml', manifestText(site('kept', green)).replace('"host": "kept.example"', '"host": 5'));
  await first.settled();
  assert.equal(await answer(first, 'kept'), 'green', 'the others of the file count');
  await killEverything(first);
  const weir = await startWeir(t, { manifests: folder, again: first });
  await weir.settled();
  assert.equal(await answer(weir, 'kept'), 'green');
  assert.equal((await codes(weir)).length, 1);
  folder.write('kept.yaml', site('kept', blue));
  await weir.settled();
  assert.deepEqual([await answer(weir, 'kept'), await codes(weir)], ['blue', []]);
  assert.equal(await weir.stop(), 0);
});
