import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { backendService, ingress } from '../support/manifests.ts';
import { eventually, freePorts, type Scope } from '../support/scope.ts';
import { startWeir, type Weir } from '../support/weir.ts';

async function ask(weir: Weir, path: string): Promise<readonly [status: number, body: string]> {
  const { status, body } = await request({ port: weir.adminPort, path });
  return [status, body];
}

/** Holds a port until the test ends it, or the caller. */
async function holdPort(scope: Scope, port: number): Promise<() => Promise<void>> {
  const server = createServer().listen(port, '0.0.0.0');
  await new Promise<void>((resolve, reject) => server.once('error', reject).once('listening', resolve));
  const release = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  scope.after(release);
  return release;
}

async function shop(scope: Scope): Promise<ManifestFolder> {
  const backend = await startBackend(scope, { name: 'shop' });
  return new ManifestFolder(scope, {
    'shop.yaml': [
      ingress({ name: 'shop', host: 'shop.example', paths: [{ service: 'shop' }] }),
      ...backendService({ name: 'shop', endpoints: [backend] }),
    ],
  });
}

test('/healthz answers while nothing is served yet, /readyz only when the first model is in force', async (context) => {
  const [http = 0, https = 0] = await freePorts(2);
  // Somebody else has both ports: nginx can open no listener.
  const releases = await Promise.all([http, https].map((port) => holdPort(context, port)));
  const weir = await startWeir(context, {
    manifests: await shop(context),
    args: ['--http-port', `${http}`, '--https-port', `${https}`],
    wait: false,
  });
  await eventually('weir to say why', () => weir.output().includes('WEIR_NGINX_PORT'), { withinMs: 30_000 });
  assert.deepEqual(await ask(weir, '/healthz'), [200, 'ok\n']);
  assert.deepEqual(await ask(weir, '/readyz'), [503, 'not ready\n']);
  await Promise.all(releases.map((release) => release()));
  await eventually('weir to be ready', async () => (await ask(weir, '/readyz'))[0] === 200, { withinMs: 30_000 });
  assert.deepEqual(await ask(weir, '/readyz'), [200, 'ready\n']);
  assert.equal((await request({ port: http, host: 'shop.example' })).headers['x-backend'], 'shop');
});

test('/readyz stays 200 when the folder is gone, and is so at once after a start from the saved model', async (context) => {
  const folder = await shop(context);
  const weir = await startWeir(context, { manifests: folder });
  folder.remove('.');
  await eventually('weir to notice', async () => {
    const { source } = await weir.admin<{ source: { healthy: boolean } }>('/api/v1/status');
    return !source.healthy;
  });
  assert.deepEqual(await ask(weir, '/readyz'), [200, 'ready\n']);
  assert.equal(await weir.stop(), 0);
  const again = await startWeir(context, { manifests: folder, again: weir });
  assert.deepEqual(await ask(again, '/readyz'), [200, 'ready\n']);
  assert.equal((await request({ port: again.httpPort, host: 'shop.example' })).headers['x-backend'], 'shop');
});
