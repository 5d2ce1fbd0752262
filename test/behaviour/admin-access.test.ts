import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Reply, request } from '../support/clients/http-client.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { runCommand } from '../support/run-command.ts';
import { eventually, freePort, type Scope, temporaryDirectory } from '../support/scope.ts';
import { startWeir } from '../support/weir.ts';

const OPEN = ['/healthz', '/readyz', '/metrics'];
const LISTS = ['routes', 'backends', 'certificates', 'diagnostics'];
const GUARDED = ['status', ...LISTS, 'explain?url=http://a.example/', 'events', 'openapi.json'].map(
  (name) => `/api/v1/${name}`,
);
/** Other ways to write /api/v1/status, which the router reads as the same. */
const DISGUISED = ['/%61pi/v1/status', '/api%2fv1/status', '/api/v1/%73tatus', '/./api/v1/status', '//api/v1/status'];

/** An address of this machine that isn't loopback. */
function outerAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flat();
  return all.find((each) => each?.family === 'IPv4' && !each.internal)?.address;
}

function codeOf(reply: Reply): string {
  return reply.json<{ code: string }>().code;
}

/** Status of a request whose target is written as a whole URL, as to a proxy. */
function absoluteForm(address: string, port: number, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, address);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.once('error', reject).once('end', () => resolve(Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(text)?.[1])));
    socket.write(`GET ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`);
  });
}

/** A weir whose admin address is this one; the port of it. */
async function listening(scope: Scope, host: string, args: readonly string[] = []): Promise<number> {
  const port = await freePort();
  await startWeir(scope, {
    manifests: new ManifestFolder(scope, {}),
    args: ['--admin-address', `${host}:${port}`, ...args],
    wait: false,
  });
  const ready = async () => (await request({ port, path: '/readyz' })).status === 200;
  await eventually('weir to be ready', ready, { withinMs: 30_000 });
  return port;
}

function tokenFile(scope: Scope): string {
  const file = join(temporaryDirectory(scope, 'token'), 'token');
  writeFileSync(file, 'open sesame\n', { mode: 0o600 });
  return file;
}

test('beyond loopback only /healthz, /readyz and /metrics answer, however a URL is written', async (context) => {
  const address = outerAddress();
  if (address === undefined) return context.skip('this machine has no address besides loopback');
  const port = await listening(context, '0.0.0.0');
  for (const path of OPEN) assert.equal((await request({ address, port, path })).status, 200, path);
  for (const path of GUARDED) {
    const reply = await request({ address, port, path });
    assert.deepEqual([reply.status, codeOf(reply)], [403, 'loopback-only'], path);
  }
  for (const path of DISGUISED) {
    const { status } = await request({ address, port, path });
    assert.ok([403, 404].includes(status), `${path}: ${status}`);
  }
  for (const host of [address, '127.0.0.1', 'localhost']) {
    assert.ok([403, 404].includes(await absoluteForm(address, port, `http://${host}/api/v1/status`)), host);
  }
  for (const path of GUARDED.filter((name) => !name.endsWith('/events'))) {
    assert.equal((await request({ port, path })).status, 200, path);
  }
  return undefined;
});

test('with a token, /api/ asks for it wherever a request comes from; health and metrics do not', async (context) => {
  const file = tokenFile(context);
  const port = await listening(context, '0.0.0.0', ['--admin-token-file', file]);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  for (const address of ['127.0.0.1', outerAddress() ?? '127.0.0.1']) {
    for (const path of OPEN) assert.equal((await request({ address, port, path })).status, 200, path);
    for (const path of [...GUARDED, '/%61pi/v1/status']) {
      for (const headers of [{}, bearer('open'), bearer(''), { authorization: 'Basic b3BlbiBzZXNhbWU=' }]) {
        const reply = await request({ address, port, path, headers });
        assert.deepEqual([reply.status, codeOf(reply)], [401, 'token-required'], path);
        assert.match(reply.headers['www-authenticate'] ?? '', /^Bearer /);
      }
    }
    const path = '/api/v1/status';
    assert.equal((await request({ address, port, path, headers: bearer('open sesame') })).status, 200);
    const named = await request({ address, port, path, host: 'weir.example', headers: bearer('open sesame') });
    assert.equal(named.status, 200);
  }
  const command = (...args: string[]) => runCommand(['status', '--admin', `127.0.0.1:${port}`, ...args]);
  const refused = await command();
  assert.deepEqual([refused.code, refused.out], [2, '']);
  assert.match(refused.err, /401[^]*admin-token-file/);
  assert.equal((await command('--admin-token-file', file)).code, 0);
});

test('on loopback a Host that is no address and not localhost is refused: a page may point its own name here', async (context) => {
  const port = await listening(context, '127.0.0.1');
  for (const path of [...GUARDED, '/%61pi/v1/status']) {
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example']) {
      const reply = await request({ port, path, host });
      assert.deepEqual([reply.status, codeOf(reply)], [403, 'unknown-host'], `${host} ${path}`);
    }
  }
  assert.equal(await absoluteForm('127.0.0.1', port, 'http://evil.example/api/v1/status'), 403);
  for (const host of ['localhost', `localhost:${port}`, '127.0.0.1', `[::1]:${port}`]) {
    assert.equal((await request({ port, path: '/api/v1/status', host })).status, 200, host);
  }
  for (const path of OPEN) assert.equal((await request({ port, path, host: 'evil.example' })).status, 200, path);
});
