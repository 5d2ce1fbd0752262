import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { SecureVersion } from 'node:tls';
import { startBackend, type Echo } from '../support/backends/echo-backend.ts';
import { makeAuthority, type Authority, type KeyPair } from '../support/certificates.ts';
import { guardedHost, policy, showing } from '../support/client-certificates.ts';
import { request, type TlsOptions } from '../support/clients/http-client.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { exchange } from '../support/clients/tls-exchange.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import { suiteScope } from '../support/suite-scope.ts';

const VERSIONS: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3'];
const only = (version: SecureVersion) => ({ minVersion: version, maxVersion: version });

describe('client certificates inside nginx', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  let a: Authority;
  let b: Authority;
  let alice: KeyPair;
  let bob: KeyPair;

  before(async () => {
    dataplane = await Dataplane.start(scope, { accessLog: true });
    [a, b] = await Promise.all([makeAuthority('Authority A'), makeAuthority('Authority B')]);
    [alice, bob] = await Promise.all([a.issue(['alice']), b.issue(['bob'])]);
    const backend = await startBackend(scope);
    await dataplane.put({ 'b:one': endpoints([backend.port]) });
  });

  const guard = (hostname: string, rule: Parameters<typeof guardedHost>[1], more: Parameters<typeof route>[1] = {}) =>
    dataplane.put(guardedHost(hostname, rule, [route('one', more)]));
  const ask = (host: string, tls: TlsOptions = {}, headers: Record<string, string> = {}) =>
    request({ port: dataplane.httpsPort, host, tls, headers });
  const status = async (host: string, tls: TlsOptions = {}) => (await ask(host, tls)).status;
  /** What the backend was told about the client. */
  const told = (reply: { json<T>(): T }) => {
    const { headers } = reply.json<Echo>();
    return ['verify', 'subject-dn', 'issuer-dn', 'cert'].map((name) => headers[`ssl-client-${name}`]);
  };

  it('lets in who shows a certificate of the authorities, and nobody else', async () => {
    await guard('required.test', policy(a));
    const expired = await a.issue(['expired'], {
      notBefore: new Date(Date.now() - 20 * 86_400_000),
      notAfter: new Date(Date.now() - 86_400_000),
    });
    const self = await makeAuthority('nobody');
    for (const version of VERSIONS) {
      assert.equal(await status('required.test', { ...showing(alice), ...only(version) }), 200, version);
      assert.equal(await status('required.test', only(version)), 400, `${version}, none`);
      assert.equal(await status('required.test', { ...showing(bob), ...only(version) }), 400, `${version}, foreign`);
      assert.equal(
        await status('required.test', { ...showing(expired), ...only(version) }),
        400,
        `${version}, expired`,
      );
      assert.equal(
        await status('required.test', { ...showing(self), ...only(version) }),
        400,
        `${version}, self-signed`,
      );
    }
    const client = await Http2Client.open(dataplane.httpsPort, { host: 'required.test', tls: showing(alice) });
    assert.equal((await client.request({ host: 'required.test' })).status, 200);
    client.close();
    const without = await Http2Client.open(dataplane.httpsPort, { host: 'required.test', tls: true });
    assert.equal((await without.request({ host: 'required.test' })).status, 400);
    without.close();
  });

  it('tells the backend who the client is, and the certificate only where asked', async () => {
    await guard('told.test', policy(a));
    await guard('passed.test', policy(a, { passToBackend: true }));
    assert.deepEqual(told(await ask('told.test', showing(alice))), [
      'SUCCESS',
      'CN=alice',
      'CN=Authority A',
      undefined,
    ]);
    const [, , , certificate] = told(await ask('passed.test', showing(alice)));
    assert.equal(decodeURIComponent(String(certificate)).trim(), alice.certificate.trim());
  });

  it('verifies by the mode that the host has', async () => {
    const expired = await a.issue(['expired'], {
      notBefore: new Date(Date.now() - 20 * 86_400_000),
      notAfter: new Date(Date.now() - 86_400_000),
    });
    await guard('optional.test', policy(a, { mode: 'optional' }));
    await guard('no-ca.test', policy(a, { mode: 'optional-no-ca' }));
    await guard('fallback.test', policy(a, { mode: 'insecure-fallback' }));
    const clients = { none: {}, good: showing(alice), foreign: showing(bob), expired: showing(expired) };
    const expected: Record<string, Record<keyof typeof clients, number>> = {
      'optional.test': { none: 200, good: 200, foreign: 400, expired: 400 },
      'no-ca.test': { none: 200, good: 200, foreign: 200, expired: 400 },
      'fallback.test': { none: 200, good: 200, foreign: 200, expired: 200 },
    };
    for (const [host, outcomes] of Object.entries(expected)) {
      for (const [name, tls] of Object.entries(clients)) {
        assert.equal(await status(host, tls), outcomes[name as keyof typeof clients], `${host}, ${name}`);
      }
    }
    assert.deepEqual(told(await ask('optional.test')), ['NONE', undefined, undefined, undefined]);
    assert.match(String(told(await ask('no-ca.test', showing(bob)))[0]), /^FAILED:/);
    const [verdict, subject] = told(await ask('fallback.test', showing(expired)));
    assert.deepEqual([verdict, subject], ['FAILED:certificate has expired', 'CN=expired']);
  });

  it('counts the authorities between a client and the one that is trusted', async () => {
    const middle = await a.delegate('Middle authority');
    const lower = await middle.delegate('Lower authority');
    const near = await middle.issue(['near'], { withChain: true });
    const far = await lower.issue(['far']);
    const chained = {
      ...far,
      certificate: [far, lower, middle].map(({ certificate }) => certificate.trim()).join('\n'),
    };
    await guard('depth1.test', policy(a, { depth: 1 }));
    await guard('depth2.test', policy(a, { depth: 2 }));
    assert.equal(await status('depth1.test', showing(near)), 200);
    assert.equal(await status('depth1.test', showing(chained)), 400);
    assert.equal(await status('depth2.test', showing(chained)), 200);
    assert.equal(await status('depth2.test', showing(far)), 400, 'without the chain');
    await guard('depth2.test', policy([a, middle, lower], { depth: 2 }));
    assert.equal(await status('depth2.test', showing(far)), 200, 'with the chain among the authorities');
  });

  it('refuses what a revocation list names', async () => {
    const { list, certificate, key, revoked } = await authorityWithList();
    await guard('listed.test', { ...policy({ certificate }), revocations: list });
    await guard('unlisted.test', policy({ certificate }));
    assert.equal(await status('unlisted.test', showing(revoked)), 200);
    assert.equal(await status('listed.test', showing(revoked)), 400);
    assert.equal(await status('listed.test', showing(key)), 200);
  });

  it('asks who the client is, if the host has a pattern for it', async () => {
    await guard('named.test', policy(a, { subjectPattern: 'CN=(alice|carol)$' }));
    assert.equal(await status('named.test', showing(alice)), 200);
    assert.equal(await status('named.test', showing(await a.issue(['mallory']))), 403);
    await guard('slow.test', policy(a, { subjectPattern: '^(C+N*=*)+!' }));
    assert.equal(await status('slow.test', showing(await a.issue(['C'.repeat(60)]))), 403);
  });

  it('sends those whom it refuses to the page that the host has for it', async () => {
    await guard('page.test', policy(a, { errorUrl: 'https://help.example/certificates' }));
    const reply = await ask('page.test');
    assert.deepEqual([reply.status, reply.headers['location']], [302, 'https://help.example/certificates']);
    assert.equal((await ask('page.test', showing(alice))).status, 200);
  });

  it('does not open by plain HTTP what asks for a certificate', async () => {
    const plain = async (host: string, headers: Record<string, string> = {}) =>
      request({ port: dataplane.httpPort, host, headers });
    await guard('plain.test', policy(a));
    assert.equal((await plain('plain.test')).status, 403);
    assert.equal((await plain('plain.test', { 'X-Forwarded-Proto': 'https' })).status, 403);
    await guard('moved.test', policy(a), { httpsRedirect: { status: 308 } });
    const moved = await plain('moved.test', {});
    assert.deepEqual([moved.status, moved.headers['location']], [308, 'https://moved.test/']);
    await guard('open.test', policy(a, { mode: 'optional' }));
    assert.deepEqual(told(await plain('open.test', { 'ssl-client-verify': 'SUCCESS' }))[0], 'NONE');
    await guard('named-open.test', policy(a, { mode: 'optional', subjectPattern: 'CN=' }));
    assert.equal((await plain('named-open.test')).status, 403);
  });

  it('hands on nothing that a client says about its certificate itself', async () => {
    const forged = {
      'ssl-client-verify': 'SUCCESS',
      'SSL-Client-Subject-DN': 'CN=admin',
      'ssl-client-issuer-dn': 'CN=Authority A',
      'ssl-client-cert': 'forged',
      ssl_client_verify: 'SUCCESS',
    };
    await guard('without.test', undefined);
    await guard('optional.test', policy(a, { mode: 'optional' }));
    await guard('required.test', policy(a));
    const nothing = [undefined, undefined, undefined, undefined];
    assert.deepEqual(told(await ask('without.test', {}, forged)), nothing);
    assert.deepEqual(told(await request({ port: dataplane.httpPort, host: 'without.test', headers: forged })), nothing);
    assert.deepEqual(told(await ask('optional.test', {}, forged)), ['NONE', undefined, undefined, undefined]);
    assert.deepEqual(told(await ask('required.test', showing(alice), forged)), [
      'SUCCESS',
      'CN=alice',
      'CN=Authority A',
      undefined,
    ]);
    const client = await Http2Client.open(dataplane.httpsPort, { host: 'optional.test', tls: true });
    assert.deepEqual(told(await client.request({ host: 'optional.test', headers: forged }))[0], 'NONE');
    client.close();
  });

  it('accepts no session and no connection of one host at another, by SNI or by Host', async () => {
    await guard('a.test', policy(a));
    await guard('b.test', policy(b));
    const port = dataplane.httpsPort;
    for (const version of VERSIONS) {
      const tls = { ...showing(alice), ...only(version) };
      const first = await exchange(port, 'a.test', tls);
      assert.deepEqual([first.status, first.resumed], [200, false]);
      const again = await exchange(port, 'a.test', { ...tls, session: first.session! });
      assert.deepEqual([again.status, again.resumed], [200, true], version);
      const bare = await exchange(port, 'a.test', { ...only(version), session: again.session! });
      assert.deepEqual([bare.status, bare.resumed], [200, true], 'the session stands for the certificate');
      const session = bare.session!;
      const other = await exchange(port, 'b.test', { ...tls, session });
      assert.deepEqual([other.status, other.resumed], [400, false], version);
      const byHost = await exchange(port, 'b.test', { ...tls, servername: 'a.test', session });
      assert.equal(byHost.status, 421, version);
      const unnamed = await exchange(port, 'a.test', { ...tls, servername: '' });
      assert.equal(unnamed.status, 421, version);
    }
  });

  it('lets hosts share an HTTP/2 connection only where they verify alike', async () => {
    await guard('a.test', policy(a));
    await guard('b.test', policy(b));
    await guard('a2.test', policy(a, { mode: 'optional', subjectPattern: 'CN=alice' }));
    await guard('deep.test', policy(a, { depth: 3 }));
    await guard('without.test', undefined);
    const client = await Http2Client.open(dataplane.httpsPort, { host: 'a.test', tls: showing(alice) });
    const ask2 = async (host: string) => (await client.request({ host })).status;
    assert.equal(await ask2('a.test'), 200);
    assert.equal(await ask2('a2.test'), 200);
    assert.equal(await ask2('b.test'), 421);
    assert.equal(await ask2('deep.test'), 421);
    assert.equal(await ask2('without.test'), 200);
    assert.equal(await ask2('a.test'), 200);
    client.close();
    const open = await Http2Client.open(dataplane.httpsPort, { host: 'without.test', tls: showing(alice) });
    assert.equal((await open.request({ host: 'without.test' })).status, 200);
    assert.equal((await open.request({ host: 'a.test' })).status, 421);
    open.close();
  });

  it('keeps apart ten hosts with authorities of their own', async () => {
    const authorities = await Promise.all(
      Array.from({ length: 10 }, (_, index) => makeAuthority(`Authority ${index}`)),
    );
    const clients = await Promise.all(authorities.map((authority, index) => authority.issue([`client ${index}`])));
    for (const [index, authority] of authorities.entries()) await guard(`ten${index}.test`, policy(authority));
    for (const [client, pair] of clients.entries()) {
      const statuses = await Promise.all(authorities.map((_, host) => status(`ten${host}.test`, showing(pair))));
      assert.deepEqual(
        statuses,
        authorities.map((_, host) => (host === client ? 200 : 400)),
      );
    }
  });
});

/** An authority with a list on which one of its certificates stands; made by openssl, which alone writes such lists. */
async function authorityWithList() {
  const directory = mkdtempSync(join(tmpdir(), 'weir-list-'));
  try {
    const authority = await makeAuthority('Listing authority');
    const [revoked, key] = await Promise.all([authority.issue(['revoked']), authority.issue(['good'])]);
    const file = (name: string, text: string) => {
      writeFileSync(join(directory, name), text, { mode: 0o600 });
      return join(directory, name);
    };
    const config = file(
      'ca.cnf',
      `[ca]\ndefault_ca = own\n[own]\ndatabase = ${file('index.txt', '')}\ncrlnumber = ${file('number', '01\n')}\ndefault_md = sha256\ndefault_crl_days = 30\ncertificate = ${file('ca.pem', authority.certificate)}\nprivate_key = ${file('ca.key', authority.key)}\n`,
    );
    const openssl = (...args: string[]) =>
      execFileSync('openssl', ['ca', '-config', config, ...args], { stdio: 'pipe' });
    openssl('-revoke', file('revoked.pem', revoked.certificate));
    openssl('-gencrl', '-out', join(directory, 'list.pem'));
    const list = readFileSync(join(directory, 'list.pem'), 'utf8');
    return { certificate: authority.certificate, revoked, key, list };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
