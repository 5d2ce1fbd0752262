import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { SecureVersion } from 'node:tls';
import type { ClientCertificatePolicy } from '../../src/model/client-certificate.ts';
import { startBackend, type Backend, type Echo } from '../support/backends/echo-backend.ts';
import { makeAuthority, type Authority, type KeyPair } from '../support/certificates.ts';
import { guardedHost, policy, showing } from '../support/client-certificates.ts';
import { request, type TlsOptions } from '../support/clients/http-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { exchange } from '../support/clients/tls-exchange.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import { suiteScope } from '../support/suite-scope.ts';

const VERSIONS: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3'];
const only = (version: SecureVersion) => ({ minVersion: version, maxVersion: version });
/** Enough for both workers to have some; all of them fall to one once in 30,000 runs. */
const CONNECTIONS = 16;
const DAY = 86_400_000;

describe('changes of client certificate policies inside nginx', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  let backend: Backend;
  let a: Authority;
  let b: Authority;
  let alice: KeyPair;
  let bob: KeyPair;
  let pid = 0;

  before(async () => {
    dataplane = await Dataplane.start(scope);
    pid = dataplane.masterPid;
    [a, b] = await Promise.all([makeAuthority('Authority A'), makeAuthority('Authority B')]);
    [alice, bob] = await Promise.all([a.issue(['alice']), b.issue(['bob'])]);
    backend = await startBackend(scope);
    await dataplane.put({ 'b:one': endpoints([backend.port]) });
  });

  const guard = (hostname: string, rule: ClientCertificatePolicy | undefined) =>
    dataplane.put(guardedHost(hostname, rule, [route('one')]));
  const connect = (host: string, tls: TlsOptions) =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, () => HttpConnection.open(dataplane.httpsPort, { tls: { host, ...tls } })),
    );
  const askAll = async (connections: readonly HttpConnection[], host: string) =>
    new Set(await Promise.all(connections.map(async (connection) => (await connection.request(host)).status)));
  /** Statuses of as many new connections. */
  const fresh = async (host: string, tls: TlsOptions) => {
    const asked = Array.from({ length: CONNECTIONS }, () => request({ port: dataplane.httpsPort, host, tls }));
    return new Set((await Promise.all(asked)).map((reply) => reply.status));
  };

  it('holds new and kept connections of every worker to new authorities, without a reload', async () => {
    for (const version of VERSIONS) {
      await guard('rotated.test', policy(a));
      const kept = await connect('rotated.test', { ...showing(alice), ...only(version) });
      assert.deepEqual(await askAll(kept, 'rotated.test'), new Set([200]));
      await guard('rotated.test', policy(b));
      const [one, ...others] = kept;
      const reply = await one!.request('rotated.test');
      assert.deepEqual([reply.status, reply.headers['connection']], [421, 'close']);
      assert.deepEqual(await askAll(others, 'rotated.test'), new Set([421]));
      await assert.rejects(one!.request('rotated.test'), 'the connection is closed');
      assert.deepEqual(await fresh('rotated.test', { ...showing(alice), ...only(version) }), new Set([400]));
      assert.deepEqual(await fresh('rotated.test', { ...showing(bob), ...only(version) }), new Set([200]));
    }
    assert.equal(dataplane.masterPid, pid);
  });

  it('verifies kept connections again, so that those which are still good go on', async () => {
    await guard('extended.test', policy(a));
    const kept = await connect('extended.test', showing(alice));
    assert.deepEqual(await askAll(kept, 'extended.test'), new Set([200]));
    await guard('extended.test', policy([a, b]));
    assert.deepEqual(await askAll(kept, 'extended.test'), new Set([200]));
    const { headers } = (await kept[0]!.request('extended.test')).json<Echo>();
    assert.deepEqual([headers['ssl-client-verify'], headers['ssl-client-subject-dn']], ['SUCCESS', 'CN=alice']);
    await guard('extended.test', policy(b));
    assert.deepEqual(await askAll(kept, 'extended.test'), new Set([421]));
  });

  it('verifies kept connections again with the chain that the client showed, and by the new depth', async () => {
    const middle = await a.delegate('Middle authority');
    const chained = await middle.issue(['chained'], { withChain: true });
    await guard('chained.test', policy([a, b]));
    const [one, two] = await connect('chained.test', showing(chained));
    assert.equal((await one!.request('chained.test')).status, 200);
    await guard('chained.test', policy(a));
    assert.equal((await one!.request('chained.test')).status, 200);
    await guard('chained.test', policy(a, { depth: 0 }));
    assert.equal((await two!.request('chained.test')).status, 421);
  });

  it('resumes no session of before a change', async () => {
    for (const version of VERSIONS) {
      await guard('resumed.test', policy([a, b]));
      const tls = { ...showing(alice), ...only(version) };
      const first = await exchange(dataplane.httpsPort, 'resumed.test', tls);
      assert.equal(first.status, 200);
      await guard('resumed.test', policy(a));
      const second = await exchange(dataplane.httpsPort, 'resumed.test', { ...tls, session: first.session! });
      assert.deepEqual([second.status, second.resumed], [200, false], version);
      await guard('resumed.test', policy(b));
      const third = await exchange(dataplane.httpsPort, 'resumed.test', { ...tls, session: second.session! });
      assert.deepEqual([third.status, third.resumed], [400, false], version);
    }
  });

  it('asks anew whoever was refused for want of a certificate', async () => {
    await guard('anew.test', policy(a));
    for (const version of VERSIONS) {
      const refused = await exchange(dataplane.httpsPort, 'anew.test', only(version));
      assert.equal(refused.status, 400);
      assert.notEqual(refused.sessions.length, 0, version);
      for (const session of refused.sessions) {
        const tls = { ...showing(alice), ...only(version), session };
        const admitted = await exchange(dataplane.httpsPort, 'anew.test', tls);
        assert.deepEqual([admitted.status, admitted.resumed], [200, false], version);
      }
    }
  });

  it('guards a host that was open, and opens one that was guarded', async () => {
    await guard('turned.test', undefined);
    const kept = await connect('turned.test', showing(alice));
    assert.deepEqual(await askAll(kept, 'turned.test'), new Set([200]));
    const before = backend.requests();
    await guard('turned.test', policy(a));
    assert.deepEqual(await askAll(kept, 'turned.test'), new Set([421]), 'nobody was asked for a certificate');
    assert.equal(backend.requests(), before);
    const asked = await connect('turned.test', showing(alice));
    assert.deepEqual(await askAll(asked, 'turned.test'), new Set([200]));
    await guard('turned.test', undefined);
    assert.deepEqual(await askAll(asked, 'turned.test'), new Set([200]));
    assert.deepEqual(await fresh('turned.test', {}), new Set([200]));
  });

  it('lets go of an HTTP/2 client that does not heed the 421', async () => {
    await guard('heeded.test', undefined);
    const client = await Http2Client.open(dataplane.httpsPort, { host: 'heeded.test', tls: true });
    assert.equal((await client.request({ host: 'heeded.test' })).status, 200);
    await guard('heeded.test', policy(a));
    assert.equal((await client.request({ host: 'heeded.test' })).status, 421);
    assert.equal((await client.request({ host: 'heeded.test' })).status, 421);
    await assert.rejects(client.request({ host: 'heeded.test' }));
    client.close();
  });

  it('does not go on with a certificate that expires meanwhile', async () => {
    const notAfter = new Date(Date.now() + 9000);
    const brief = await a.issue(['brief'], { notBefore: new Date(Date.now() - DAY), notAfter });
    await guard('brief.test', policy(a));
    const kept = await HttpConnection.open(dataplane.httpsPort, { tls: { host: 'brief.test', ...showing(brief) } });
    const { session, status } = await exchange(dataplane.httpsPort, 'brief.test', showing(brief));
    assert.equal(status, 200);
    assert.equal((await kept.request('brief.test')).status, 200);
    await new Promise((resolve) => setTimeout(resolve, notAfter.getTime() + 1500 - Date.now()));
    assert.equal((await kept.request('brief.test')).status, 400);
    assert.equal(
      (await exchange(dataplane.httpsPort, 'brief.test', { ...showing(brief), session: session! })).status,
      400,
    );
  });

  it('costs authorities that can not be read their host, and nothing else', async () => {
    await guard('good.test', policy(a));
    const records = guardedHost('bad.test', policy(b), [route('one')]);
    const id = Object.keys(records).find((key) => key.startsWith('a:'))!;
    await dataplane.put({ ...records, [id]: JSON.stringify({ certificates: 'no PEM' }) });
    for (const tls of [{}, showing(bob)]) {
      assert.equal((await request({ port: dataplane.httpsPort, host: 'bad.test', tls })).status, 503);
    }
    assert.equal((await request({ port: dataplane.httpPort, host: 'bad.test' })).status, 503);
    assert.deepEqual(await fresh('good.test', showing(alice)), new Set([200]));
    const { bad } = await dataplane.control.state();
    assert.deepEqual(
      bad
        .map(({ key }) => key)
        .filter((key) => key === id || key === 'h:default/bad.test')
        .sort(),
      [id, 'h:default/bad.test'],
    );
    await dataplane.put(records);
    assert.deepEqual(await fresh('bad.test', showing(bob)), new Set([200]));
  });
});
