import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { connect, type SecureVersion } from 'node:tls';
import { generate } from 'selfsigned';
import { startBackend, type Echo } from '../support/backends/echo-backend.ts';
import { makeAuthority, type Authority, type KeyPair } from '../support/certificates.ts';
import { request } from '../support/clients/http-client.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { handshake, type HandshakeOptions } from '../support/clients/tls-client.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import { suiteScope } from '../support/suite-scope.ts';
import type { CertificateRecord } from '../../src/drivers/nginx/wire.ts';

describe('TLS inside nginx', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  let authority: Authority;

  before(async () => {
    dataplane = await Dataplane.start(scope);
    authority = await makeAuthority();
    const backend = await startBackend(scope);
    await dataplane.put({ 'b:one': endpoints([backend.port]) });
  });

  const record = ({ certificate, key }: KeyPair, type: CertificateRecord['type'] = 'ec'): CertificateRecord => ({
    chain: certificate,
    key,
    type,
  });
  const certify = async (name: string) => record(await authority.issue([name]));
  const certifyRsa = async (name: string) => {
    const made = await generate([{ name: 'commonName', value: name }], {
      keyType: 'rsa',
      keySize: 2048,
      algorithm: 'sha256',
    });
    return record({ certificate: made.cert, key: made.private }, 'rsa');
  };
  const shown = async (servername?: string, more: HandshakeOptions = {}) => {
    const { certificate } = await handshake(dataplane.httpsPort, {
      ...(servername === undefined ? {} : { servername }),
      ...more,
    });
    return /CN=(.*)/.exec(certificate.subject)?.[1];
  };

  it('shows the static certificate where there is no record', async () => {
    assert.equal(await shown('unknown.example'), 'default.invalid');
    assert.equal(await shown(), 'default.invalid');
  });

  it('shows the certificate of the name, of a wildcard, or the default', async () => {
    const names = ['a.b.test', '*.b.test', '**.test', '*'];
    for (const name of names.toReversed()) {
      await dataplane.put({ [`c:${name}`]: await certify(name), [`s:default/${name}`]: { certificates: [name] } });
    }
    assert.equal(await shown('a.b.test'), 'a.b.test');
    assert.equal(await shown('A.B.Test'), 'a.b.test');
    assert.equal(await shown('x.b.test'), '*.b.test');
    assert.equal(await shown('y.x.b.test'), '**.test');
    assert.equal(await shown('b.test'), '**.test');
    assert.equal(await shown('elsewhere.example'), '*');
    assert.equal(await shown(), '*');
  });

  it('shows a new certificate as soon as it is acknowledged', async () => {
    for (let round = 0; round < 20; round += 1) {
      await dataplane.put({
        'c:changing': await certify(`round ${round}`),
        's:default/changing.test': { certificates: ['changing'] },
      });
      assert.deepEqual(await Promise.all([1, 2, 3].map(() => shown('changing.test'))), Array(3).fill(`round ${round}`));
    }
  });

  it('sends the whole chain', async () => {
    const pair = await authority.issue(['chain.test'], { withChain: true });
    await dataplane.put({
      'c:chain': record(pair),
      's:default/chain.test': { certificates: ['chain'] },
      'h:default/chain.test': { routes: [route('one')] },
    });
    const reply = await request({
      port: dataplane.httpsPort,
      host: 'chain.test',
      tls: { servername: 'chain.test', ca: authority.certificate },
    });
    assert.equal(reply.status, 200);
  });

  it('chooses between an RSA and an EC pair by what the client can use', async () => {
    await dataplane.put({
      'c:rsa': await certifyRsa('rsa pair'),
      'c:ec': await certify('ec pair'),
      's:default/both.test': { certificates: ['rsa', 'ec'] },
    });
    assert.equal(await shown('both.test'), 'ec pair');
    assert.equal(await shown('both.test', { maxVersion: 'TLSv1.2' }), 'ec pair');
    assert.equal(await shown('both.test', { sigalgs: 'rsa_pss_rsae_sha256' }), 'rsa pair');
    assert.equal(await shown('both.test', { sigalgs: 'RSA+SHA256', maxVersion: 'TLSv1.2' }), 'rsa pair');
    assert.equal(
      await shown('both.test', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' } as HandshakeOptions),
      'rsa pair',
    );
    assert.equal(
      await shown('both.test', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as HandshakeOptions),
      'ec pair',
    );
  });

  it('reports a pair that can not be used and shows the default', async () => {
    const good = await certify('good');
    await dataplane.put({
      'c:broken': { ...good, chain: 'no PEM' },
      's:default/broken.test': { certificates: ['broken'] },
    });
    assert.equal(await shown('broken.test'), '*');
    const { bad } = await dataplane.control.state();
    assert.match(bad.find(({ key }) => key === 'c:broken')?.error ?? '', /chain is not readable/);
    assert.ok(!dataplane.errorLog.includes('PRIVATE KEY'));
  });

  it('resumes a session at its own host and at none of another TLS policy', async () => {
    await dataplane.put({
      's:default/p1.test': { certificates: ['*'], policy: 'one' },
      's:default/p2.test': { certificates: ['*'], policy: 'two' },
    });
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const first = await session(dataplane.httpsPort, 'p1.test', version);
      assert.equal(first.resumed, false, version);
      assert.equal((await session(dataplane.httpsPort, 'p1.test', version, first.session)).resumed, true, version);
      assert.equal((await session(dataplane.httpsPort, 'p2.test', version, first.session)).resumed, false, version);
    }
  });

  it("answers 421 for a host whose TLS policy is not the connection's", async () => {
    await dataplane.put({
      'h:default/p1.test': { routes: [route('one')], policy: 'one' },
      'h:default/p2.test': { routes: [route('one')], policy: 'two' },
      'h:default/open.test': { routes: [route('one')] },
    });
    const ask = async (servername: string, host: string) =>
      (await request({ port: dataplane.httpsPort, host, tls: { servername } })).status;
    assert.equal(await ask('p1.test', 'p1.test'), 200);
    assert.equal(await ask('p2.test', 'p1.test'), 421);
    assert.equal(await ask('open.test', 'p1.test'), 421);
    assert.equal(await ask('', 'p1.test'), 421);
    assert.equal(await ask('p1.test', 'open.test'), 200);
    const client = await Http2Client.open(dataplane.httpsPort, { host: 'p1.test', tls: { servername: 'p1.test' } });
    assert.equal((await client.request({ host: 'p1.test' })).status, 200);
    assert.equal((await client.request({ host: 'p2.test' })).status, 421);
    client.close();
  });

  it('offers HTTP/2 and HTTP/1.1, TLS 1.2 and 1.3, and nothing older', async () => {
    assert.equal((await handshake(dataplane.httpsPort, { alpn: ['h2', 'http/1.1'] })).alpn, 'h2');
    assert.equal((await handshake(dataplane.httpsPort, { alpn: ['http/1.1'] })).alpn, 'http/1.1');
    assert.equal((await handshake(dataplane.httpsPort, {})).protocol, 'TLSv1.3');
    await assert.rejects(handshake(dataplane.httpsPort, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }));
  });

  it('serves HTTP/2 requests', async () => {
    const client = await Http2Client.open(dataplane.httpsPort, { host: 'open.test', tls: { servername: 'open.test' } });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => client.request({ host: 'open.test', path: `/${index}` })),
    );
    assert.deepEqual(
      replies.map((reply) => reply.json<Echo>().url),
      Array.from({ length: 20 }, (_, index) => `/${index}`),
    );
    const posted = await client.request({
      host: 'open.test',
      method: 'POST',
      body: 'hello',
      headers: { cookie: 'a=b' },
    });
    assert.equal(posted.json<Echo>().body, 'hello');
    assert.equal(posted.json<Echo>().host, 'open.test');
    assert.equal(posted.json<Echo>().headers['x-forwarded-proto'], 'https');
    client.close();
  });
});

interface Session {
  readonly resumed: boolean;
  readonly session: Buffer;
}

/** A handshake, whether it resumed the given session, and the session that it gave (TLS 1.3 gives it afterwards). */
function session(port: number, servername: string, version: SecureVersion, former?: Buffer): Promise<Session> {
  return new Promise((resolve, reject) => {
    const limits = { minVersion: version, maxVersion: version };
    const given = former === undefined ? {} : { session: former };
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false, ...limits, ...given });
    socket.once('error', reject);
    socket.once('session', (received: Buffer) => {
      setImmediate(() => {
        const resumed = socket.isSessionReused();
        socket.destroy();
        resolve({ resumed, session: received });
      });
    });
    // A resumed TLS 1.2 session is not given anew.
    socket.once('secureConnect', () => {
      if (version === 'TLSv1.2' && socket.isSessionReused()) {
        socket.destroy();
        resolve({ resumed: true, session: former ?? Buffer.alloc(0) });
      }
    });
  });
}
