import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { ClientCertificatePolicy } from '../../src/model/client-certificate.ts';
import { renderListener } from '../../src/drivers/nginx/records/listener-record.ts';
import { startBackend, type Echo } from '../support/backends/echo-backend.ts';
import { makeAuthority, type Authority, type KeyPair } from '../support/certificates.ts';
import { guardedHost, policy, showing } from '../support/client-certificates.ts';
import { request, type TlsOptions } from '../support/clients/http-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { exchange } from '../support/clients/tls-exchange.ts';
import { Dataplane, endpoints, route, type Records } from '../support/dataplane.ts';
import { suiteScope } from '../support/suite-scope.ts';

describe('client certificates of a whole listener', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  let a: Authority;
  let b: Authority;
  let alice: KeyPair;
  let bob: KeyPair;

  before(async () => {
    dataplane = await Dataplane.start(scope);
    [a, b] = await Promise.all([makeAuthority('Authority A'), makeAuthority('Authority B')]);
    [alice, bob] = await Promise.all([a.issue(['alice']), b.issue(['bob'])]);
    const backend = await startBackend(scope);
    const host = (name: string): Records => guardedHost(name, undefined, [route('one')]);
    await dataplane.put({
      'b:one': endpoints([backend.port]),
      ...host('one.test'),
      ...host('two.test'),
      ...guardedHost('own.test', policy(b), [route('one')]),
    });
  });

  const listen = async (clientCertificate: ClientCertificatePolicy | undefined) => {
    const { listeners } = dataplane.input;
    const https = listeners.find(({ protocol }) => protocol === 'https')!;
    if (clientCertificate === undefined) return dataplane.put({ [`l:${https.name}`]: undefined });
    const rendered = renderListener({ ...https, clientCertificate })!;
    const { id, text } = rendered.authority;
    await dataplane.put({ [`a:${id}`]: text, [`l:${https.name}`]: JSON.stringify(rendered.record) });
  };
  const ask = (host: string, tls: TlsOptions = {}) => request({ port: dataplane.httpsPort, host, tls });
  const status = async (host: string, tls: TlsOptions = {}) => (await ask(host, tls)).status;

  it('are asked of every host that asks for none of its own', async () => {
    assert.equal(await status('one.test'), 200);
    const kept = await HttpConnection.open(dataplane.httpsPort, { tls: { host: 'one.test' } });
    assert.equal((await kept.request('one.test')).status, 200);
    await listen(policy(a));
    assert.equal((await kept.request('one.test')).status, 421);
    for (const host of ['one.test', 'two.test']) {
      assert.equal(await status(host), 400);
      assert.equal(await status(host, showing(bob)), 400);
      assert.equal(await status(host, showing(alice)), 200);
    }
    assert.equal(await status('own.test', showing(alice)), 400);
    assert.equal(await status('own.test', showing(bob)), 200);
    assert.equal(await status('unknown.test', showing(alice)), 404);
    const { headers } = (await ask('one.test', showing(alice))).json<Echo>();
    assert.equal(headers['ssl-client-subject-dn'], 'CN=alice');
    assert.equal((await request({ port: dataplane.httpPort, host: 'one.test' })).status, 200, 'another listener');
  });

  it('keep connections and sessions apart from those of hosts with their own', async () => {
    await listen(policy(a));
    const port = dataplane.httpsPort;
    const first = await exchange(port, 'one.test', showing(alice));
    assert.equal(first.status, 200);
    const session = first.session!;
    const same = await exchange(port, 'one.test', { ...showing(alice), session });
    assert.deepEqual([same.status, same.resumed], [200, true]);
    const own = await exchange(port, 'own.test', { ...showing(alice), session: same.session! });
    assert.deepEqual([own.status, own.resumed], [400, false]);
    assert.equal((await exchange(port, 'own.test', { ...showing(alice), servername: 'one.test' })).status, 421);
    assert.equal((await exchange(port, 'one.test', { ...showing(bob), servername: 'own.test' })).status, 421);
  });

  it('let everybody in who falls back insecurely, and tell the backend', async () => {
    await listen(policy(a, { mode: 'insecure-fallback' }));
    const told = async (tls: TlsOptions) => (await ask('one.test', tls)).json<Echo>().headers['ssl-client-verify'];
    assert.equal(await told({}), 'NONE');
    assert.equal(await told(showing(alice)), 'SUCCESS');
    assert.match(String(await told(showing(bob))), /^FAILED:/);
  });

  it('change and end without a reload, on kept connections too', async () => {
    const pid = dataplane.masterPid;
    await listen(policy(a));
    const kept = await HttpConnection.open(dataplane.httpsPort, { tls: { host: 'one.test', ...showing(alice) } });
    assert.equal((await kept.request('one.test')).status, 200);
    await listen(policy([a, b]));
    assert.equal((await kept.request('one.test')).status, 200);
    assert.equal(await status('one.test', showing(bob)), 200);
    await listen(policy(b));
    assert.equal((await kept.request('one.test')).status, 421);
    assert.equal(await status('one.test', showing(alice)), 400);
    await listen(undefined);
    assert.equal(await status('one.test'), 200);
    assert.equal(dataplane.masterPid, pid);
  });

  it('close what they guard where they can not be verified', async () => {
    await listen(policy(a));
    const { authority, record } = renderListener({
      ...dataplane.input.listeners[1]!,
      clientCertificate: policy(await makeAuthority('Never put')),
    })!;
    await dataplane.put({ 'l:https': JSON.stringify(record) });
    assert.equal(await status('one.test', showing(alice)), 503);
    assert.equal(await status('own.test', showing(bob)), 200);
    await dataplane.put({ [`a:${authority.id}`]: authority.text, 'l:https': JSON.stringify(record) });
    assert.equal(await status('one.test', showing(alice)), 400);
    await listen(undefined);
  });
});
