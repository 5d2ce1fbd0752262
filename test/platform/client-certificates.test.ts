import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { SecureVersion } from 'node:tls';
import { type Backend, startBackend } from '../support/backends/echo-backend.ts';
import { type Authority, type KeyPair, makeAuthority } from '../support/certificates.ts';
import { guardedHost, policy, showing } from '../support/client-certificates.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { exchange } from '../support/clients/tls-exchange.ts';
import { type Dataplane, endpoints, route } from '../support/dataplane.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

const VERSIONS: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3'];

await forEachNginx((nginx) => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  let backend: Backend;
  let alice: KeyPair;
  let bob: KeyPair;
  let others: readonly Authority[];

  before(async () => {
    // One worker: sessions that it refuses it has all seen.
    dataplane = await nginx.dataplane(scope, { workers: 1 });
    backend = await startBackend(scope);
    const [a, b] = await Promise.all([makeAuthority('Authority A'), makeAuthority('Authority B')]);
    [alice, bob] = await Promise.all([a.issue(['alice']), b.issue(['bob'])]);
    others = [a, b];
    await dataplane.put({
      'b:one': endpoints([backend.port]),
      ...guardedHost('a.test', policy(a), [route('one')]),
      ...guardedHost('b.test', policy(b), [route('one')]),
      ...guardedHost('deep.test', policy(a, { depth: 3 }), [route('one')]),
      ...guardedHost('open.test', undefined, [route('one')]),
    });
  });

  for (const version of VERSIONS) {
    const only = { minVersion: version, maxVersion: version };

    test(`a session of one policy opens no host of another, by SNI or by Host, in ${version}`, async () => {
      const port = dataplane.httpsPort;
      const first = await exchange(port, 'a.test', { ...showing(alice), ...only });
      assert.deepEqual([first.status, first.resumed], [200, false]);
      const session = first.session!;
      const again = await exchange(port, 'a.test', { ...only, session });
      assert.deepEqual([again.status, again.resumed], [200, true], 'it stands for the certificate at its own host');
      const asked = backend.requests();
      // By SNI: a full handshake, in which the certificate of the other authority doesn't help.
      for (const host of ['b.test', 'deep.test']) {
        const bare = await exchange(port, host, { ...only, session });
        assert.deepEqual([bare.status, bare.resumed], [400, false], host);
      }
      const foreign = await exchange(port, 'b.test', { ...showing(alice), ...only, session });
      assert.deepEqual([foreign.status, foreign.resumed], [400, false]);
      // By Host, on the connection of the first host, of one that asks nobody, and of none.
      for (const servername of ['a.test', 'open.test', '']) {
        const byHost = await exchange(port, 'b.test', { ...showing(alice), ...only, servername, session });
        assert.equal(byHost.status, 421, `SNI ${servername}`);
      }
      assert.equal(backend.requests(), asked, 'the backend was asked');
      const right = await exchange(port, 'b.test', { ...showing(bob), ...only, session });
      assert.deepEqual([right.status, right.resumed], [200, false]);
    });

    test(`a session of before a change of authorities is not resumed after it, in ${version}`, async () => {
      const [a, b] = others as readonly [Authority, Authority];
      const host = `changing-${version}.test`.toLowerCase();
      await dataplane.put(guardedHost(host, policy(a), [route('one')]));
      const port = dataplane.httpsPort;
      const first = await exchange(port, host, { ...showing(alice), ...only });
      assert.equal(first.status, 200);
      await dataplane.put(guardedHost(host, policy(b), [route('one')]));
      const late = await exchange(port, host, { ...only, session: first.session! });
      assert.deepEqual([late.status, late.resumed], [400, false]);
      const renewed = await exchange(port, host, { ...showing(bob), ...only });
      assert.equal(renewed.status, 200);
    });
  }

  test('hosts share an HTTP/2 connection only where they ask for the same', async () => {
    const client = await Http2Client.open(dataplane.httpsPort, { host: 'a.test', tls: showing(alice) });
    const statuses: Record<string, number> = {};
    for (const host of ['a.test', 'b.test', 'deep.test']) statuses[host] = (await client.request({ host })).status;
    client.close();
    assert.deepEqual(statuses, { 'a.test': 200, 'b.test': 421, 'deep.test': 421 });
    const open = await Http2Client.open(dataplane.httpsPort, { host: 'open.test', tls: showing(alice) });
    assert.equal((await open.request({ host: 'open.test' })).status, 200);
    assert.equal((await open.request({ host: 'a.test' })).status, 421);
    open.close();
  });

  test('nothing of this was an error of the program', () => {
    assert.doesNotMatch(dataplane.errorLog, /runtime error|attempt to|stack traceback/u);
  });
});
