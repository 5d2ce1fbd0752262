import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fastify from 'fastify';
import { guardAccess } from './access.ts';
import type { AdminApp } from './admin-app.ts';
import { ADMIN_SOCKET, AdminSocket } from './admin-socket.ts';

async function bench(t: TestContext, { token }: { readonly token?: string } = { token: 'secret' }) {
  const directory = mkdtempSync(join(tmpdir(), 'weir-admin-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const socket = new AdminSocket();
  const app = fastify();
  guardAccess(app, { token, host: '127.0.0.1', isOwn: (from) => socket.took(from) });
  app.get('/api/v1/status', async () => ({ ok: true }));
  app.post('/api/v1/drain', async () => ({ ok: true }));
  await app.ready();
  t.after(() => app.close());
  t.after(() => socket.close());
  return { directory, socket, app: app as unknown as AdminApp };
}

function statusOf(socketPath: string, method = 'GET', path = '/api/v1/status'): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ socketPath, method, path, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

test('the socket in the state directory is for its owner alone, who needs no token; by the port one is asked for', async (t) => {
  const { directory, socket, app } = await bench(t);
  // Left by one that was killed.
  writeFileSync(join(directory, ADMIN_SOCKET), '');
  assert.equal(await socket.listen(directory, app), undefined);
  const path = join(directory, ADMIN_SOCKET);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(await statusOf(path), 200);
  assert.equal((await app.inject('/api/v1/status')).statusCode, 401);
  await socket.close();
  await assert.rejects(statusOf(path));
});

test('a state directory whose path is too long for a socket costs the socket, and says why', async (t) => {
  const { directory, socket, app } = await bench(t);
  const problem = await socket.listen(join(directory, 'x'.repeat(120)), app);
  assert.ok(problem instanceof Error);
});

test('without a token, nothing is changed for whoever merely is on this machine, such as a page in a browser', async (t) => {
  const { directory, socket, app } = await bench(t, {});
  assert.equal(await socket.listen(directory, app), undefined);
  assert.equal((await app.inject('/api/v1/status')).statusCode, 200);
  const headers = { host: '127.0.0.1', origin: 'https://elsewhere.example' };
  const answer = await app.inject({ method: 'POST', url: '/api/v1/drain', headers });
  assert.equal(answer.statusCode, 403);
  assert.equal(answer.json<{ code: string }>().code, 'own-socket-only');
  assert.equal(await statusOf(join(directory, ADMIN_SOCKET), 'POST', '/api/v1/drain'), 200);
});
