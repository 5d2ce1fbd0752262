import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import type { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

const KIB = 1024;
const LIMIT = 40 * KIB;
const MIB = 1024 * KIB;

/** By which a body comes, and whether nginx is told its length beforehand. */
type Way =
  | 'HTTP/1.1 with Content-Length'
  | 'HTTP/1.1 in chunks'
  | 'HTTP/2 with Content-Length'
  | 'HTTP/2 without length';
const WAYS: readonly Way[] = [
  'HTTP/1.1 with Content-Length',
  'HTTP/1.1 in chunks',
  'HTTP/2 with Content-Length',
  'HTTP/2 without length',
];

/** Both places that serve requests: the common location, and a named one, whose own limit nginx does not apply to all. */
const PROFILES = [
  ['common', {}],
  ['named', { 'backend-protocol': 'HTTPS' }],
] as const;

await forEachNginx((nginx) => {
  const scope = suiteScope();
  let site: Site;
  const backends = new Map<string, Backend>();

  before(async () => {
    const tls = await (await makeAuthority()).issue(['backend.test']);
    site = await nginx.site(scope);
    backends.set('common', await startBackend(scope, { name: 'common' }));
    backends.set('named', await startBackend(scope, { name: 'named', tls }));
  });

  async function send(
    host: string,
    bytes: number,
    way: Way,
    method: string,
  ): Promise<[status: number, arrived: number]> {
    const reply = way.startsWith('HTTP/1.1')
      ? await sendHttp1(site.weir.httpPort, host, bytes, way.endsWith('in chunks'), method)
      : await sendHttp2(site.weir.httpsPort, host, bytes, way.endsWith('with Content-Length'), method);
    return [reply.status, reply.status === 200 ? (JSON.parse(reply.body) as Echo).body.length : 0];
  }

  for (const [profile, annotations] of PROFILES) {
    test(`a body over the limit of a route in the ${profile} profile is answered with 413 and reaches nobody, however it comes`, async () => {
      const backend = backends.get(profile)!;
      const host = `limited-${profile}.test`;
      const limit = { 'proxy-body-size': String(LIMIT) };
      await site.expose({ host, backends: [backend], annotations: { ...annotations, ...limit } });
      for (const way of WAYS) {
        for (const method of ['POST', 'DELETE']) {
          assert.deepEqual(await send(host, LIMIT, way, method), [200, LIMIT], `${way}, ${method}, of the limit`);
          const asked = backend.requests();
          assert.deepEqual(await send(host, LIMIT + 1, way, method), [413, 0], `${way}, ${method}, one byte more`);
          assert.equal(backend.requests(), asked, `${way}, ${method}: the backend was asked`);
        }
      }
    });

    test(`a route in the ${profile} profile takes 1 MiB where it says nothing, and any body where it says 0`, async () => {
      const backend = backends.get(profile)!;
      const usual = `usual-${profile}.test`;
      const free = `free-${profile}.test`;
      await site.expose({ host: usual, backends: [backend], annotations });
      await site.expose({ host: free, backends: [backend], annotations: { ...annotations, 'proxy-body-size': '0' } });
      for (const way of WAYS) {
        assert.deepEqual(await send(usual, MIB, way, 'POST'), [200, MIB], way);
        assert.deepEqual(await send(usual, MIB + 1, way, 'POST'), [413, 0], way);
        assert.deepEqual(await send(free, 2 * MIB, way, 'POST'), [200, 2 * MIB], way);
      }
    });
  }
});

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function sendHttp1(port: number, host: string, bytes: number, chunked: boolean, method: string): Promise<Answer> {
  const connection = await HttpConnection.open(port);
  const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  connection.send(`${method} / HTTP/1.1\r\nHost: ${host}\r\n${length}\r\n\r\n`);
  for (let left = bytes; left > 0; left -= 16 * KIB) {
    const part = 'x'.repeat(Math.min(left, 16 * KIB));
    connection.send(chunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part);
  }
  if (chunked) connection.send('0\r\n\r\n');
  try {
    return await connection.reply(method);
  } finally {
    connection.close();
  }
}

function sendHttp2(port: number, host: string, bytes: number, told: boolean, method: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    session.once('error', reject);
    const length = told ? { 'content-length': String(bytes) } : {};
    // Node itself would send no body with DELETE.
    const stream = session.request({ ':authority': host, ':method': method, ...length }, { endStream: false });
    let status = 0;
    const chunks: Buffer[] = [];
    const done = () => {
      session.destroy();
      resolve({ status, body: Buffer.concat(chunks).toString() });
    };
    stream.setTimeout(20_000, () => stream.destroy(new Error('no answer within 20 s')));
    stream.on('response', (head) => (status = head[':status'] ?? 0)).on('data', (chunk: Buffer) => chunks.push(chunk));
    // A stream may be reset behind an answer that came before the end of the body.
    stream.on('error', (error) => (status === 0 ? reject(error) : undefined)).on('close', done);
    stream.end('x'.repeat(bytes));
  });
}
