import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { backendService, ingress } from '../support/manifests.ts';
import { startWeir } from '../support/weir.ts';
import { leftovers, nginxPids } from './nginx-processes.ts';

for (const which of ['of another program', 'that is empty']) {
  test(`weir killed and started with an nginx.pid ${which}: the same nginx, and changes go on`, async (t) => {
    const backend = await startBackend(t, { name: 'blue' });
    const site = (name: string) => [
      ingress({ name, host: `${name}.example`, paths: [{ service: name }] }),
      ...backendService({ name, endpoints: [backend] }),
    ];
    const folder = new ManifestFolder(t, { 'one.yaml': site('one') });
    const weir = await startWeir(t, { manifests: folder });
    const { master } = nginxPids(weir);
    await weir.stop('SIGKILL');
    const sleep = spawn('sleep', ['60']);
    t.after(() => sleep.kill());
    const pid = which === 'that is empty' ? '' : `${sleep.pid}\n`;
    writeFileSync(join(weir.stateDir, 'nginx', 'run', 'nginx.pid'), pid);
    const again = await startWeir(t, { manifests: folder, again: weir });
    folder.write('two.yaml', site('two'));
    await again.settled();
    for (const host of ['one.example', 'two.example']) {
      assert.equal((await request({ port: again.httpPort, host })).status, 200);
    }
    assert.equal(nginxPids(again).master, master);
    assert.equal(sleep.exitCode ?? sleep.signalCode, null);
    assert.equal(await again.stop(), 0);
    assert.deepEqual(leftovers(again), []);
  });
}
