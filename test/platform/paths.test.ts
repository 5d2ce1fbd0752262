import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import type { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

/** What is asked for, and which of the paths `/`, `/a` and `/b` takes it. The backend sees it as it stands here. */
const TAKEN_BY: Readonly<Record<string, string>> = {
  '/a/x': 'a',
  '/a%2f..%2fb': 'b',
  '/a%2F..%2Fb/c': 'b',
  '/a/%2e%2e/b': 'b',
  '/a/../b': 'b',
  '/b/..%2fa': 'a',
  '/a/..': 'root',
  '//a//x': 'a',
  '///': 'root',
  '/%61/x': 'a',
  '/a%3Fx': 'root',
  '/a%3fq/..%2fb': 'b',
  '/a%2fx?to=/../b': 'a',
  '/a/./x': 'a',
  '/a;x/': 'root',
  '/a%252f..%252fb': 'root',
  '/b%23frag': 'root',
  '/b/%C3%A9': 'b',
  '/b/%ff': 'b',
};

const REFUSED = ['/..', '/a/../..', '/%2e%2e/a', '/a%2f..%2f..%2fb', '/a%00', '/%00', '/a%zz', '/a%2'];

const PROFILES = [
  ['common', {}],
  ['named', { 'backend-protocol': 'HTTPS' }],
] as const;

await forEachNginx((nginx) => {
  const scope = suiteScope();
  let site: Site;

  before(async () => {
    site = await nginx.site(scope);
    const tls = await (await makeAuthority()).issue(['backend.test']);
    for (const [profile, annotations] of PROFILES) {
      const secure = profile === 'named' ? { tls } : {};
      const backends: Record<string, Backend> = {};
      for (const name of ['root', 'a', 'b']) backends[name] = await startBackend(scope, { name, ...secure });
      const host = `${profile}.test`;
      const paths = { root: '/', a: '/a', b: '/b' };
      for (const [name, path] of Object.entries(paths)) {
        await site.expose({
          host,
          name: `${profile}-${name}`,
          backends: [backends[name]!],
          paths: [path],
          annotations,
        });
      }
      await site.expose({
        host: `rewritten-${profile}.test`,
        name: `rewritten-${profile}`,
        backends: [backends['a']!],
        paths: [{ path: '/a(/|$)(.*)', pathType: 'ImplementationSpecific' }],
        annotations: { ...annotations, 'rewrite-target': '/$2', 'use-regex': 'true' },
      });
    }
  });

  /** As it stands, without a client's own idea of a path. */
  async function ask(host: string, path: string, version: 1 | 2): Promise<{ status: number; body: string }> {
    if (version === 2) {
      const client = await site.http2(host);
      const reply = await client.request({ host, path });
      client.close();
      return reply;
    }
    const connection = await HttpConnection.open(site.weir.httpPort);
    const reply = await connection.request(host, path);
    connection.close();
    return reply;
  }

  for (const [profile] of PROFILES) {
    test(`paths are matched decoded and normalised, and arrive as they were sent, in the ${profile} profile`, async () => {
      const host = `${profile}.test`;
      for (const version of [1, 2] as const) {
        const answers: Record<string, string> = {};
        for (const path of Object.keys(TAKEN_BY)) {
          const { status, body } = await ask(host, path, version);
          const { backend, url } = status === 200 ? (JSON.parse(body) as Echo) : { backend: `${status}`, url: path };
          answers[url] = backend;
        }
        assert.deepEqual(answers, TAKEN_BY, `HTTP/${version}`);
      }
    });

    test(`what leads above the root, holds a NUL or isn't decodable is answered with 400 in the ${profile} profile`, async () => {
      for (const version of [1, 2] as const) {
        for (const path of REFUSED) {
          assert.equal((await ask(`${profile}.test`, path, version)).status, 400, `${path}, HTTP/${version}`);
        }
      }
    });

    test(`a rewritten path is made of the decoded and normalised one and sent encoded, in the ${profile} profile`, async () => {
      const sent: Record<string, string> = {};
      for (const path of ['/a/x', '/a%2fx%20y', '/a//x//y', '/a/b/..%2fc', '/a/%3Fq?z=%20', '/a/%25', '/a', '/a/%23']) {
        sent[path] = (JSON.parse((await ask(`rewritten-${profile}.test`, path, 1)).body) as Echo).url;
      }
      assert.deepEqual(sent, {
        '/a/x': '/x',
        '/a%2fx%20y': '/x%20y',
        '/a//x//y': '/x/y',
        '/a/b/..%2fc': '/c',
        '/a/%3Fq?z=%20': '/%3Fq?z=%20',
        '/a/%25': '/%25',
        '/a': '/',
        '/a/%23': '/%23',
      });
    });
  }
});
