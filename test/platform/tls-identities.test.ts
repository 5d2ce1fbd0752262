import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import {
  sampleBackend,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleOrigin,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { Redacted } from '../../src/lib/redacted.ts';
import type { Backend, BackendTls } from '../../src/model/backend.ts';
import type { Certificate } from '../../src/model/certificate.ts';
import type { Model } from '../../src/model/model.ts';
import { freePort, request } from '../integration/nginx-harness.ts';
import { type Arrival, startIdentityBackend } from '../support/backends/identity-backend.ts';
import { type Authority, type KeyPair, makeAuthority } from '../support/certificates.ts';
import { forEachNginx } from './for-each-nginx.ts';

const UNVERIFIED: BackendTls = { verify: false, sendServerName: false };

interface Wanted {
  readonly port: number;
  readonly protocol?: Backend['protocol'];
  readonly endpoint: { readonly address: string; readonly port: number };
  /** By the first label of their host. */
  readonly hosts: Readonly<Record<string, BackendTls>>;
  readonly clients: Readonly<Record<string, KeyPair>>;
}

/** One host for each identity, all of them towards the same endpoint. */
function modelOf({ port, protocol = 'https', endpoint, hosts, clients }: Wanted): Model {
  const entries = Object.entries(hosts);
  return sampleModel({
    listeners: [sampleListener('http', port)],
    hosts: entries.map(([name]) =>
      sampleHost(`${name}.example`, [sampleRoute('/', name, { origin: sampleOrigin(name) })]),
    ),
    backends: entries.map(([name, tls]) => sampleBackend(name, [[endpoint.address, endpoint.port]], { protocol, tls })),
    certificates: Object.entries(clients).map(([id, pair]) => certificateOf(id, pair)),
  });
}

function certificateOf(id: string, { certificate, key }: KeyPair): Certificate {
  return {
    id,
    chain: certificate,
    privateKey: new Redacted(key),
    keyType: 'ec',
    names: [],
    notBefore: '2020-01-01T00:00:00Z',
    notAfter: '2040-01-01T00:00:00Z',
    fingerprint: '00',
    origin: sampleOrigin(id, ''),
  };
}

await forEachNginx((nginx) => {
  let authority: Authority;
  let stranger: Authority;
  let pair: KeyPair;
  let alice: KeyPair;
  let bob: KeyPair;

  before(async () => {
    [authority, stranger] = await Promise.all([makeAuthority('Backend CA'), makeAuthority('Other CA')]);
    pair = await authority.issue(['backend.test']);
    alice = await authority.issue(['client'], { commonName: 'alice' });
    bob = await authority.issue(['client'], { commonName: 'bob' });
  });

  for (const protocol of ['https', 'grpcs'] as const) {
    test(`no connection to a backend is shared between TLS identities, by ${protocol}`, async (t) => {
      const endpoint = await startIdentityBackend(t, { pair, http2: protocol === 'grpcs' });
      const port = await freePort();
      const verified = (authorities: string, more: Partial<BackendTls> = {}): BackendTls => ({
        verify: true,
        authorities,
        serverName: 'backend.test',
        sendServerName: true,
        ...more,
      });
      const hosts: Readonly<Record<string, BackendTls>> = {
        bare: UNVERIFIED,
        alice: { ...UNVERIFIED, clientCertificate: 'alice' },
        bob: { ...UNVERIFIED, clientCertificate: 'bob' },
        named: { ...UNVERIFIED, serverName: 'other.test', sendServerName: true },
        verified: verified(authority.certificate),
        stranger: verified(stranger.certificate),
        misnamed: verified(authority.certificate, { serverName: 'wrong.test' }),
      };
      const harness = nginx.harness(t);
      // One worker has all the kept-alive connections there are.
      const driver = harness.driver({ workers: 1 });
      await driver.start();
      await driver.apply(modelOf({ port, protocol, endpoint, hosts, clients: { alice, bob } }), undefined);
      const expected: Readonly<Record<string, readonly [client: string, serverName: string] | undefined>> = {
        bare: ['', ''],
        alice: ['alice', ''],
        stranger: undefined,
        bob: ['bob', ''],
        misnamed: undefined,
        named: ['', 'other.test'],
        verified: ['', 'backend.test'],
      };
      const connections = new Map<string, Set<number>>();
      for (let round = 0; round < 4; round += 1) {
        for (const [name, wanted] of Object.entries(expected)) {
          const { status, body } = await request(port, `${name}.example`);
          if (wanted === undefined) {
            assert.equal(status, 502, `${name}: let in over a connection that another had verified`);
            continue;
          }
          const { client, serverName, connection, resumed } = JSON.parse(body) as Arrival;
          assert.deepEqual([client, serverName, resumed], [...wanted, false], name);
          connections.set(name, (connections.get(name) ?? new Set()).add(connection));
        }
      }
      const all = [...connections.values()].flatMap((set) => [...set]);
      assert.equal(new Set(all).size, all.length, 'a connection served two identities');
      // And they are kept: otherwise there would be nothing to share.
      for (const [name, set] of connections) assert.equal(set.size, 1, name);
    });
  }

  test('a key that is malformed, or not of its certificate, closes its route and is in no log', async (t) => {
    const endpoint = await startIdentityBackend(t, { pair });
    const port = await freePort();
    const lines = alice.key.split('\n').slice(1, -2);
    const malformed = { ...alice, key: alice.key.replace(lines.join('\n'), `AAAA${lines.join('\n').slice(4, 60)}`) };
    const clients = { malformed, mismatched: { certificate: alice.certificate, key: bob.key } };
    const hosts = {
      good: UNVERIFIED,
      malformed: { ...UNVERIFIED, clientCertificate: 'malformed' },
      mismatched: { ...UNVERIFIED, clientCertificate: 'mismatched' },
    };
    const harness = nginx.harness(t);
    const driver = harness.driver({ errorLogLevel: 'info' });
    await driver.start();
    await driver.apply(modelOf({ port, endpoint, hosts, clients }), undefined);
    const statuses: Record<string, number> = {};
    for (const name of Object.keys(hosts)) statuses[name] = (await request(port, `${name}.example`)).status;
    assert.deepEqual(statuses, { good: 200, malformed: 503, mismatched: 503 });
    const folder = join(harness.directory, 'log');
    const logs = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const told = [...logs, JSON.stringify(harness.events), JSON.stringify(await driver.observe())].join('\n');
    for (const key of [alice.key, bob.key, malformed.key]) {
      for (const line of key.split('\n').filter((text) => text.length > 20 && !text.startsWith('-----'))) {
        assert.ok(!told.includes(line), 'a part of a private key was told');
      }
    }
    assert.ok(!told.includes('PRIVATE KEY'));
  });
});
