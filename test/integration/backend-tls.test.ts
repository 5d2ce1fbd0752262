import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { NginxDriver } from '../../src/drivers/nginx/nginx-driver.ts';
import {
  sampleBackend,
  sampleDelta,
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
import { type Arrival, type IdentityBackend, startIdentityBackend } from '../support/backends/identity-backend.ts';
import { type Authority, type KeyPair, makeAuthority } from '../support/certificates.ts';
import { request } from '../support/clients/http-client.ts';
import { freePort } from '../support/scope.ts';
import { nginxHarness } from './nginx-harness.ts';

const UNVERIFIED: BackendTls = { verify: false, sendServerName: false };

/** One host for each name, all of them over TLS to the same endpoint. */
function tlsModel(
  port: number,
  backend: Pick<IdentityBackend, 'address' | 'port'>,
  hosts: Readonly<Record<string, BackendTls>>,
  certificates: readonly Certificate[] = [],
  protocol: Backend['protocol'] = 'https',
): Model {
  const names = Object.keys(hosts);
  return sampleModel({
    listeners: [sampleListener('http', port)],
    hosts: names.map((name) =>
      sampleHost(`${name}.example`, [sampleRoute('/', name, { origin: sampleOrigin(name, 'spec.rules[0]') })]),
    ),
    backends: names.map((name) =>
      sampleBackend(name, [[backend.address, backend.port]], { protocol, tls: hosts[name]! }),
    ),
    certificates,
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

async function ask(port: number, name: string): Promise<Arrival | number> {
  const reply = await request({ port, host: `${name}.example` });
  return reply.status === 200 ? reply.json<Arrival>() : reply.status;
}

async function arrival(port: number, name: string): Promise<Arrival> {
  const answer = await ask(port, name);
  assert.ok(typeof answer === 'object', `${name} answered ${String(answer)}`);
  return answer;
}

/** Everything that nginx and its driver wrote into their state directory where anybody reads for information. */
function logs(directory: string): string {
  return readdirSync(join(directory, 'log'))
    .map((name) => readFileSync(join(directory, 'log', name), 'utf8'))
    .join('\n');
}

describe('TLS towards backends', { concurrency: 1 }, () => {
  let authority: Authority;
  let stranger: Authority;
  let pair: KeyPair;
  let clients: readonly [KeyPair, KeyPair];
  const verified = (more: Partial<BackendTls> = {}): BackendTls => ({
    verify: true,
    authorities: authority.certificate,
    serverName: 'backend.test',
    sendServerName: true,
    ...more,
  });
  const reasons = async (driver: NginxDriver) =>
    (await driver.observe()).detail['lastReloadReasons'] as readonly { readonly reason: string; detail: string }[];

  before(async () => {
    [authority, stranger] = await Promise.all([makeAuthority('Backend CA'), makeAuthority('Other CA')]);
    pair = await authority.issue(['backend.test']);
    clients = await Promise.all([
      authority.issue(['client'], { commonName: 'client-a' }),
      authority.issue(['client'], { commonName: 'client-b' }),
    ]);
  });

  for (const http2 of [false, true]) {
    const protocol = http2 ? 'grpcs' : 'https';
    it(`${protocol}: no connection, and no session, is shared between identities at one address`, async (t) => {
      const backend = await startIdentityBackend(t, { pair, http2 });
      const port = await freePort();
      const { driver: make, directory } = nginxHarness(t);
      const driver = make({ workers: 1 });
      await driver.start();
      const both = `${stranger.certificate}${authority.certificate}`;
      const hosts: Readonly<Record<string, BackendTls>> = {
        plain: UNVERIFIED,
        a: { ...UNVERIFIED, clientCertificate: 'client-a' },
        b: { ...UNVERIFIED, clientCertificate: 'client-b' },
        named: { ...UNVERIFIED, serverName: 'other.test', sendServerName: true },
        first: verified(),
        second: verified({ authorities: both }),
        wrong: verified({ authorities: stranger.certificate }),
      };
      const certificates = [certificateOf('client-a', clients[0]), certificateOf('client-b', clients[1])];
      await driver.apply(tlsModel(port, backend, hosts, certificates, protocol), undefined);
      const names = ['plain', 'a', 'b', 'named', 'first', 'second'];
      const connections = new Map<string, Set<number>>(names.map((name) => [name, new Set()]));
      for (let round = 0; round < 5; round += 1) {
        for (const name of names) {
          const { connection, client, serverName, resumed } = await arrival(port, name);
          connections.get(name)?.add(connection);
          assert.equal(client, name === 'a' || name === 'b' ? `client-${name}` : '', name);
          assert.equal(serverName, { named: 'other.test', first: 'backend.test', second: 'backend.test' }[name] ?? '');
          assert.equal(resumed, false, name);
        }
        // Verified by an authority that didn't sign it, right after all the others were let in.
        assert.equal(await ask(port, 'wrong'), 502);
      }
      const all = [...connections.values()].flatMap((set) => [...set]);
      assert.equal(new Set(all).size, all.length, 'a connection served two identities');
      // Kept alive: each identity needed one, not one for each request.
      assert.equal(all.length, names.length);
      assert.match(logs(directory), /upstream SSL certificate verify error/);
    });
  }

  it('a backend that can not prove its name, or whose chain is too long, is not served', async (t) => {
    const inner = await authority.delegate('Inner CA');
    const innermost = await inner.delegate('Innermost CA');
    const deep = await innermost.issue(['backend.test']);
    const chain = [deep, innermost, inner].map(({ certificate }) => certificate.trim()).join('\n');
    const backend = await startIdentityBackend(t, { pair });
    const far = await startIdentityBackend(t, { pair: { certificate: chain, key: deep.key } });
    const { driver: make } = nginxHarness(t);
    const driver = make({ workers: 1 });
    const port = await freePort();
    await driver.start();
    const near = tlsModel(port, backend, {
      good: verified(),
      unsent: verified({ sendServerName: false }),
      wrong: verified({ serverName: 'elsewhere.test' }),
      system: verified({ authorities: 'system' }),
    });
    const model = tlsModel(port, far, {
      deep: verified(),
      exact: verified({ depth: 2 }),
      shallow: verified({ depth: 1 }),
    });
    const merged = {
      ...near,
      hosts: new Map([...near.hosts, ...model.hosts]),
      backends: new Map([...near.backends, ...model.backends]),
    };
    await driver.apply(merged, undefined);
    assert.equal((await arrival(port, 'good')).serverName, 'backend.test');
    assert.equal((await arrival(port, 'unsent')).serverName, '');
    assert.equal(await ask(port, 'wrong'), 502);
    assert.equal(await ask(port, 'system'), 502);
    assert.equal((await arrival(port, 'deep')).serverName, 'backend.test');
    assert.equal((await arrival(port, 'exact')).serverName, 'backend.test');
    assert.equal(await ask(port, 'shallow'), 502);
    assert.equal(backend.arrivals.length, 2);
  });

  it('protocols and ciphers are those that are asked for', async (t) => {
    const backend = await startIdentityBackend(t, { pair });
    const { driver: make } = nginxHarness(t);
    const driver = make({ workers: 1 });
    const port = await freePort();
    await driver.start();
    const ciphers = 'ECDHE-ECDSA-CHACHA20-POLY1305';
    const hosts = {
      any: UNVERIFIED,
      old: verified({ protocols: ['TLSv1.2'], ciphers }),
      new: { ...UNVERIFIED, protocols: ['TLSv1.3'] },
    };
    await driver.apply(tlsModel(port, backend, hosts), undefined);
    assert.equal((await arrival(port, 'any')).protocol, 'TLSv1.3');
    const old = await arrival(port, 'old');
    assert.deepEqual([old.protocol, old.cipher], ['TLSv1.2', 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256']);
    assert.equal((await arrival(port, 'new')).protocol, 'TLSv1.3');
  });

  it('what nginx can not do, or what can not be used, closes its route with a finding and is in no log', async (t) => {
    const backend = await startIdentityBackend(t, { pair });
    const { driver: make, directory } = nginxHarness(t);
    const driver = make({ workers: 1 });
    const port = await freePort();
    await driver.start();
    const body = clients[0].key.split('\n').slice(1, -2).join('\n');
    const secretLines = body
      .split('\n')
      .concat(clients[1].key.split('\n').slice(1, -2))
      .filter((line) => line.length > 20);
    const malformed = { ...clients[0], key: clients[0].key.replace(body, `AAAA${body.slice(4, 60)}`) };
    const certificates = [
      certificateOf('malformed', malformed),
      certificateOf('mismatched', { certificate: clients[0].certificate, key: clients[1].key }),
      certificateOf('chainless', { ...clients[0], certificate: 'nothing' }),
    ];
    const damaged = authority.certificate.replace(/\n[^\n-]+\n/, '\nAAAA\n');
    const uri = { type: 'uri', value: 'spiffe://example/web' } as const;
    const hosts: Readonly<Record<string, BackendTls>> = {
      good: verified(),
      malformed: { ...UNVERIFIED, clientCertificate: 'malformed' },
      mismatched: { ...UNVERIFIED, clientCertificate: 'mismatched' },
      chainless: { ...UNVERIFIED, clientCertificate: 'chainless' },
      absent: { ...UNVERIFIED, clientCertificate: 'absent' },
      damaged: verified({ authorities: damaged }),
      empty: verified({ authorities: '' }),
      uri: verified({ subjectAltNames: [uri] }),
      two: verified({ subjectAltNames: [{ type: 'dns', value: 'backend.test' }, uri] }),
      address: verified({ serverName: '127.0.0.1' }),
      injected: verified({ serverName: 'a;b' }),
      protocol: verified({ protocols: ['TLSv9'] }),
      ciphers: verified({ ciphers: 'A; B' }),
      unknown: verified({ ciphers: 'NO-SUCH-CIPHER' }),
    };
    const { quarantined } = await driver.apply(tlsModel(port, backend, hosts, certificates), undefined);
    assert.equal((await arrival(port, 'good')).serverName, 'backend.test');
    for (const name of Object.keys(hosts).slice(1)) assert.equal(await ask(port, name), 503, name);
    assert.equal(backend.connections(), 1);

    const findings = driver.plan(tlsModel(port, backend, hosts, certificates), undefined).findings;
    const told = new Map(
      findings.filter(({ code }) => code === 'WEIR0404').map(({ object, message }) => [object.name, message]),
    );
    assert.deepEqual([...told.keys()].sort(), Object.keys(hosts).slice(1, -1).sort());
    assert.match(
      told.get('malformed') ?? '',
      /client certificate malformed can not be used: its private key can not be read/,
    );
    assert.match(told.get('mismatched') ?? '', /its private key is not that of its certificate/);
    assert.match(
      told.get('damaged') ?? '',
      /bundle of authorities has a certificate that can not be read: number 1 of 1/,
    );
    assert.match(told.get('uri') ?? '', /nginx can verify one DNS name/);
    // OpenSSL alone knows the names of ciphers: what it refuses is nginx's complaint, and costs the one route.
    assert.deepEqual(
      quarantined.map(({ code, object }) => [code, object.name]),
      [['WEIR0407', 'unknown']],
    );

    const everything = logs(directory) + JSON.stringify([findings, quarantined, await driver.observe()]);
    for (const line of secretLines) assert.ok(!everything.includes(line), 'a part of a private key was told');
    assert.ok(!everything.includes('PRIVATE KEY'));
  });

  it('a new identity costs one reload that names its origins, and another of its content none', async (t) => {
    const backend = await startIdentityBackend(t, { pair });
    const { driver: make, directory } = nginxHarness(t);
    const driver = make({ workers: 1 });
    const port = await freePort();
    await driver.start();
    await driver.apply(tlsModel(port, backend, { plain: UNVERIFIED }), undefined);
    const model = tlsModel(port, backend, { plain: UNVERIFIED, one: verified() });
    const delta = sampleDelta({ hosts: ['default/one.example'], backends: ['one'] });
    const plan = driver.plan(model, delta);
    assert.equal(plan.reload?.reason, 'profile');
    assert.deepEqual(
      plan.reload?.origins.map(({ object }) => object.name),
      ['one'],
    );
    assert.equal((await driver.apply(model, delta)).reloaded, true);
    assert.match((await reasons(driver))[0]?.detail ?? '', /new profiles: @https_tls_[0-9a-f]{16}_body_1m$/);
    // The same authorities, written differently, and the same names.
    const again = verified({ authorities: `# renewed\n${authority.certificate}\n`, serverName: 'Backend.test' });
    const more = tlsModel(port, backend, { plain: UNVERIFIED, one: verified(), two: again });
    const added = sampleDelta({ hosts: ['default/two.example'], backends: ['two'] });
    assert.equal((await driver.apply(more, added)).reloaded, false);
    const [one, two] = [await arrival(port, 'one'), await arrival(port, 'two')];
    assert.equal(one.connection, two.connection);
    const folder = join(directory, 'run', 'identities');
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  });

  it('a changed client certificate is one reload; who began before it goes on, and the former file goes', async (t) => {
    const backend = await startIdentityBackend(t, { pair });
    const { driver: make, directory } = nginxHarness(t);
    const driver = make({ workers: 1 });
    const port = await freePort();
    await driver.start();
    const hosts = { a: { ...verified(), clientCertificate: 'client' } };
    const model = (client: KeyPair) => tlsModel(port, backend, hosts, [certificateOf('client', client)]);
    await driver.apply(model(clients[0]), undefined);
    assert.equal((await arrival(port, 'a')).client, 'client-a');
    const files = () => readdirSync(join(directory, 'run', 'identities')).sort();
    const before = files();
    assert.equal(before.length, 2);
    const late = await halfRequest(port, 'a.example');
    const delta = sampleDelta({ certificates: ['client'] });
    assert.equal((await driver.apply(model(clients[1]), delta)).reloaded, true);
    assert.equal((await arrival(port, 'a')).client, 'client-b');
    // A worker of before the reload: it knows the former identity alone.
    assert.match(await late.finish(), /^HTTP\/1\.1 200 [^]*"client":"client-a"/);
    // The former stays until records named it no more when nginx was reloaded.
    assert.equal(
      (
        await driver.apply(
          { ...model(clients[1]), listeners: new Map([['http', sampleListener('http', await freePort())]]) },
          sampleDelta({ listeners: ['http'] }),
        )
      ).reloaded,
      true,
    );
    const after = files();
    assert.equal(after.length, 2);
    assert.equal(after.filter((name) => before.includes(name)).length, 1);
    assert.ok(!existsSync(join(directory, 'run', 'nginx.conf.new')));
  });

  it('no request is lost while a route changes its identity, again and again', async (t) => {
    const backend = await startIdentityBackend(t, { pair });
    const { driver: make } = nginxHarness(t);
    const driver = make({ workers: 2 });
    const port = await freePort();
    await driver.start();
    const model = (serverName: string) =>
      tlsModel(port, backend, { a: { ...UNVERIFIED, serverName, sendServerName: true } });
    await driver.apply(model('n0.test'), undefined);
    const answers = new Map<string, number>();
    const clients = new AbortController();
    let newest = 0;
    const client = async () => {
      while (!clients.signal.aborted) {
        const least = newest;
        const answer = await ask(port, 'a').catch((error: Error) => error.message);
        const name = typeof answer === 'object' ? answer.serverName : '';
        const outcome = name === '' ? String(answer) : Number(name.slice(1, -5)) >= least ? 'served' : 'stale';
        answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
      }
    };
    const running = Promise.all([client(), client(), client()]);
    for (let round = 1; round <= 6; round += 1) {
      const delta = sampleDelta({ hosts: ['default/a.example'], backends: ['a'] });
      assert.equal((await driver.apply(model(`n${round}.test`), delta)).reloaded, true);
      newest = round;
      assert.equal((await arrival(port, 'a')).serverName, `n${round}.test`);
    }
    clients.abort();
    await running;
    t.diagnostic(`${answers.get('served')} requests during 6 reloads`);
    assert.deepEqual([...answers.keys()], ['served'], JSON.stringify([...answers]));
  });

  it('a session that one identity made is resumed by none, where each request has a connection of its own', async (t) => {
    const backend = await startIdentityBackend(t, { pair });
    const { driver: make } = nginxHarness(t);
    const upstreamKeepAlive = { connections: 0, requests: 1, timeoutSeconds: 1 };
    const driver = make({ workers: 1, upstreamKeepAlive });
    const port = await freePort();
    await driver.start();
    const old = { protocols: ['TLSv1.2'] };
    const hosts = {
      plain: UNVERIFIED,
      good: verified(),
      wrong: verified({ authorities: stranger.certificate }),
      good12: verified(old),
      wrong12: verified({ ...old, authorities: stranger.certificate }),
    };
    await driver.apply(tlsModel(port, backend, hosts), undefined);
    for (let round = 0; round < 3; round += 1) {
      for (const name of ['plain', 'good', 'good12']) assert.equal((await arrival(port, name)).resumed, false);
      for (const name of ['wrong', 'wrong12']) assert.equal(await ask(port, name), 502);
    }
    assert.equal(new Set(backend.arrivals.map(({ connection }) => connection)).size, 9);
  });

  for (const protocol of ['https', 'grpcs'] as const) {
    it(`${protocol}: names that are verified by one large bundle share a location, and nothing else`, async (t) => {
      const others = await Promise.all(Array.from({ length: 20 }, (_, index) => makeAuthority(`Other ${index}`)));
      const authorities = [...others, authority].map(({ certificate }) => certificate).join('\n');
      const both = await authority.issue(['one.test', 'two.test']);
      const backend = await startIdentityBackend(t, { pair: both, http2: protocol === 'grpcs' });
      const { driver: make, directory } = nginxHarness(t);
      const driver = make({ workers: 1 });
      const port = await freePort();
      await driver.start();
      const of = (name: string, more: Partial<BackendTls> = {}) =>
        verified({ authorities, serverName: `${name}.test`, ...more });
      const hosts = { one: of('one'), two: of('two'), three: of('three'), shallow: of('one', { depth: 0 }) };
      await driver.apply(tlsModel(port, backend, hosts, [], protocol), undefined);
      const connections = new Map<string, Set<number>>([
        ['one', new Set()],
        ['two', new Set()],
        ['shallow', new Set()],
      ]);
      for (let round = 0; round < 3; round += 1) {
        for (const [name, seen] of connections) {
          const { connection, serverName } = await arrival(port, name);
          seen.add(connection);
          assert.equal(serverName, name === 'two' ? 'two.test' : 'one.test');
        }
        assert.equal(await ask(port, 'three'), 502);
      }
      assert.deepEqual(
        [...connections.values()].map(({ size }) => size),
        [1, 1, 1],
      );
      assert.equal(new Set([...connections.values()].flatMap((seen) => [...seen])).size, 3);
      const configuration = readFileSync(join(directory, 'run', 'nginx.conf'), 'utf8');
      assert.equal(configuration.match(/_ssl_trusted_certificate/g)?.length, 2);
      // A further name is a new group, so a reload, and the records before it stay right.
      const more = tlsModel(
        port,
        backend,
        { ...hosts, four: of('two', { sendServerName: false }), five: of('five') },
        [],
        protocol,
      );
      assert.equal((await driver.apply(more, undefined)).reloaded, true);
      assert.equal((await arrival(port, 'four')).serverName, '');
      assert.equal(await ask(port, 'five'), 502);
      assert.equal((await arrival(port, 'one')).serverName, 'one.test');
    });
  }

  it('a limit on bodies holds for bodies with and without a length', async (t) => {
    const backend = await startIdentityBackend(t, { pair });
    const { driver: make } = nginxHarness(t);
    const driver = make({ workers: 1 });
    const port = await freePort();
    await driver.start();
    const { hosts, ...model } = tlsModel(port, backend, { small: verified(), any: verified() });
    const limited = [...hosts].map(([key, host]): [string, typeof host] => {
      const bodyLimit = key === 'default/small.example' ? 1000 : 0;
      return [key, { ...host, routes: host.routes.map((route) => ({ ...route, bodyLimit })) }];
    });
    await driver.apply({ ...model, hosts: new Map(limited) }, undefined);
    const send = async (name: string, bytes: number, chunked: boolean) => {
      const body = 'x'.repeat(bytes);
      const headers: Record<string, string> = chunked
        ? { 'transfer-encoding': 'chunked' }
        : { 'content-length': `${bytes}` };
      return (await request({ port, host: `${name}.example`, method: 'POST', body, headers })).status;
    };
    for (const chunked of [false, true]) {
      assert.equal(await send('small', 900, chunked), 200);
      assert.equal(await send('small', 5000, chunked), 413);
      assert.equal(await send('any', 2_000_000, chunked), 200);
    }
  });

  it('fifty identities come with one reload, and none is mistaken for another', async (t) => {
    const backend = await startIdentityBackend(t, { pair });
    const { driver: make } = nginxHarness(t);
    const driver = make({ workers: 1 });
    const port = await freePort();
    await driver.start();
    const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
    const hosts = Object.fromEntries(
      names.map((name) => [name, { ...UNVERIFIED, serverName: `${name}.test`, sendServerName: true }]),
    );
    const started = Date.now();
    await driver.apply(tlsModel(port, backend, hosts), undefined);
    t.diagnostic(`50 identities in force after ${Date.now() - started} ms`);
    assert.equal((await driver.observe()).detail['reloads'] !== undefined, true);
    const connections = new Set<number>();
    for (const name of names) {
      const { serverName, connection } = await arrival(port, name);
      assert.equal(serverName, `${name}.test`);
      connections.add(connection);
    }
    assert.equal(connections.size, 50);
  });

  it('a weir that comes after one that was killed finds the identities, and needs no reload', async (t) => {
    const backend = await startIdentityBackend(t, { pair });
    const { driver: make } = nginxHarness(t);
    const port = await freePort();
    const first = make({ workers: 1 });
    await first.start();
    const hosts = { a: { ...verified(), clientCertificate: 'client' }, b: verified() };
    const model = tlsModel(port, backend, hosts, [certificateOf('client', clients[0])]);
    await first.apply(model, undefined);
    const { detail } = await first.observe();
    await first.stop('leave');
    const next = make({ workers: 1 });
    await next.start();
    assert.equal((await next.apply(model, undefined)).reloaded, false);
    assert.equal((await next.observe()).detail['configuration'], detail['configuration']);
    // Also when nginx went with it.
    await next.stop('leave');
    process.kill(Number(detail['pid']), 'SIGKILL');
    const third = make({ workers: 1 });
    await third.start();
    await third.apply(model, undefined);
    assert.equal((await arrival(port, 'a')).client, 'client-a');
    assert.equal((await arrival(port, 'b')).client, '');
  });
});

interface HalfRequest {
  /** Sends the rest; resolves with all that came back. */
  finish(): Promise<string>;
}

/** A request whose head is not complete yet: nginx has taken the connection, and can not know where it is to go. */
async function halfRequest(port: number, host: string): Promise<HalfRequest> {
  const socket = connect(port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n`, resolve));
  // Some time for a worker to read what it was sent: one that hasn't would rightly serve it by the next configuration.
  await delay(300);
  return {
    async finish() {
      socket.write('\r\n');
      await once(socket, 'close');
      return Buffer.concat(received).toString();
    },
  };
}
