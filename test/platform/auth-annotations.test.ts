import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { before, beforeEach, test, type TestContext } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { eventually, temporaryDirectory } from '../support/scope.ts';
import type { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

/** The request as another service than the backend saw it. */
interface Seen {
  readonly url: string;
  readonly original: unknown;
  readonly body: string;
}

const PLACES = {
  common: {},
  named: { 'backend-protocol': 'HTTPS' },
  bounded: { 'proxy-body-size': '123456' },
} as const;

await forEachNginx((nginx) => {
  const scope = suiteScope();
  let site: Site;
  let plain: Backend;
  let secure: Backend;
  let auth: Backend;
  let mirror: Backend;
  let questions: Seen[] = [];
  let copies: Seen[] = [];

  before(async () => {
    const tls = await (await makeAuthority()).issue(['backend.test']);
    const told = (url: string | undefined, original: unknown, body: string): Seen => ({
      url: url ?? '',
      original,
      body,
    });
    site = await nginx.site(scope);
    plain = await startBackend(scope, { name: 'one' });
    secure = await startBackend(scope, { name: 'one', tls });
    auth = await startBackend(scope, {
      respond: ({ url, headers }, response, body) => {
        questions.push(told(url, headers['x-original-url'], body));
        response.writeHead(headers['x-key'] === 'good' ? 200 : 403, { 'X-User': 'jo' }).end();
      },
    });
    mirror = await startBackend(scope, {
      respond: ({ url, headers }, response, body) => {
        copies.push(told(url, headers.host, body));
        response.end();
      },
    });
  });

  beforeEach(() => {
    questions = [];
    copies = [];
  });

  const logged = (uri: string) =>
    eventually(`the log line of ${uri}`, () =>
      readFileSync(join(site.weir.stateDir, 'nginx/log/access.log'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .find((line) => line['uri'] === uri),
    );

  for (const [place, annotations] of Object.entries(PLACES)) {
    test(`auth-url and mirror-target hold over HTTP/2, with the route and its object in the access log, in the ${place} place`, async () => {
      const host = `${place}.test`;
      const backend = place === 'named' ? secure : plain;
      await site.expose({
        host,
        backends: [backend],
        annotations: {
          ...annotations,
          'auth-url': `http://${auth.address}:${auth.port}/check`,
          'auth-response-headers': 'X-User',
          'mirror-target': `http://${mirror.address}:${mirror.port}$request_uri`,
        },
      });
      assert.deepEqual(await site.findings(place), []);
      const client = await site.http2(host);
      const path = `/a%2Fb?of=${place}`;
      const forbidden = `/forbidden?of=${place}`;
      const post = { host, method: 'POST', body: 'payload' };
      const good = await client.request({ ...post, path, headers: { 'x-key': 'good', 'x-user': 'root' } });
      const asked = backend.requests();
      const bad = await client.request({ ...post, path: forbidden, headers: { 'x-key': 'bad' } });
      client.close();

      const echo = good.json<Echo>();
      assert.deepEqual([good.status, echo.url, echo.body, echo.headers['x-user']], [200, path, 'payload', 'jo']);
      assert.deepEqual([bad.status, backend.requests()], [403, asked]);
      const original = (url: string) => ({ url: '/check', original: `https://${host}${url}`, body: '' });
      assert.deepEqual(questions, [original(path), original(forbidden)]);
      await eventually('the copy', () => copies.length > 0);
      assert.deepEqual(
        copies.map(({ url, body }) => [url, body]),
        [[path, 'payload']],
      );

      const [passed, refused] = [await logged(path), await logged(forbidden)];
      const origin = `Ingress/default/${place} spec.rules[0].http.paths[0]`;
      assert.deepEqual([passed['route'], passed['upstream']], [origin, `${backend.address}:${backend.port}`]);
      assert.deepEqual([refused['route'], refused['upstream'], refused['status']], [origin, '', 403]);
    });
  }

  test('auth-url with a unix socket is refused: the route is closed with a finding, and nobody calls', async (t) => {
    const { path, calls } = await socketFile(t);
    for (const [index, url] of [`http://unix:${path}:/v1/state`, `http://unix:${path}`, `unix:${path}`].entries()) {
      const name = `auth-unix-${index}`;
      await site.expose({ host: `${name}.test`, backends: [plain], annotations: { 'auth-url': url } });
      assert.equal((await site.http(`${name}.test`)).status, 503, url);
      const found = (await site.findings(name)).find(({ field }) => field.includes('auth-url'));
      assert.equal(found?.severity, 'error', url);
    }
    assert.equal(calls(), 0);
  });

  test('mirror-target with a unix socket is refused with a finding, and nobody calls', async (t) => {
    const { path, calls } = await socketFile(t);
    for (const [index, url] of [`http://unix:${path}:/v1/state`, `unix:${path}`].entries()) {
      const name = `mirror-unix-${index}`;
      await site.expose({ host: `${name}.test`, backends: [plain], annotations: { 'mirror-target': url } });
      assert.equal((await site.http(`${name}.test`)).status, 200, url);
      assert.ok(
        (await site.findings(name)).some(({ field }) => field.includes('mirror-target')),
        url,
      );
    }
    assert.equal(calls(), 0);
  });
});

/** A socket file that anybody may use, and how often somebody did. */
async function socketFile(t: TestContext): Promise<{ readonly path: string; readonly calls: () => number }> {
  const path = join(temporaryDirectory(t, 'socket'), 'service.sock');
  let calls = 0;
  const server = createServer((connection) => {
    calls += 1;
    connection.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.after(() => server.close());
  return { path, calls: () => calls };
}
