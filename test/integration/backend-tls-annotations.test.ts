import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { type Arrival, startIdentityBackend } from '../support/backends/identity-backend.ts';
import { type Authority, type KeyPair, makeAuthority } from '../support/certificates.ts';
import { secret } from '../support/manifests.ts';
import { type Exposure, Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

describe('proxy-ssl annotations', () => {
  const scope = suiteScope();
  let site: Site;
  let authority: Authority;
  let stranger: Authority;
  let pair: KeyPair;
  let clients: readonly [KeyPair, KeyPair];

  before(async () => {
    [site, authority, stranger] = await Promise.all([
      Site.open(scope),
      makeAuthority('Inside'),
      makeAuthority('Other'),
    ]);
    pair = await authority.issue(['web.inside.test']);
    clients = await Promise.all([
      authority.issue(['client'], { commonName: 'client-a' }),
      authority.issue(['client'], { commonName: 'client-b' }),
    ]);
  });

  const VERIFYING = {
    'backend-protocol': 'HTTPS',
    'proxy-ssl-verify': 'on',
    'proxy-ssl-name': 'web.inside.test',
    'proxy-ssl-server-name': 'on',
  };
  const values = (client: KeyPair | undefined, authorities: string | undefined) => ({
    ...(client === undefined ? {} : { 'tls.crt': client.certificate, 'tls.key': client.key }),
    ...(authorities === undefined ? {} : { 'ca.crt': authorities }),
  });
  const writeSecret = (name: string, content: Readonly<Record<string, string>>) =>
    site.apply(`${name}-secret.yaml`, [secret({ name, values: content })]);
  const ask = async (name: string): Promise<Arrival | number> => {
    const reply = await site.http(`${name}.example`);
    return reply.status === 200 ? reply.json<Arrival>() : reply.status;
  };
  const arrival = async (name: string): Promise<Arrival> => {
    const answer = await ask(name);
    assert.ok(typeof answer === 'object', `${name} answered ${String(answer)}; ${site.weir.output().slice(-2000)}`);
    return answer;
  };
  const told = async (name: string) =>
    (await site.findings(name)).map(({ code, field, severity }) => [
      code,
      field.replace('metadata.annotations["nginx.ingress.kubernetes.io/', '').replace('"]', ''),
      severity,
    ]);

  it('show the certificate of the Secret to the backend and verify it by ca.crt, with its name sent', async () => {
    const backend = await startIdentityBackend(scope, { pair });
    await writeSecret('full', values(clients[0], authority.certificate));
    const expose = (name: string, annotations: Exposure['annotations']) =>
      site.expose({ host: `${name}.example`, backends: [backend], annotations: { ...VERIFYING, ...annotations } });
    await expose('full', { 'proxy-ssl-secret': 'default/full' });
    await expose('short', {
      'proxy-ssl-secret': 'full',
      'proxy-ssl-protocols': 'TLSv1.2',
      'proxy-ssl-server-name': 'off',
    });
    await expose('wrong', { 'proxy-ssl-secret': 'default/full', 'proxy-ssl-name': 'else.inside.test' });
    const full = await arrival('full');
    assert.deepEqual([full.client, full.serverName], ['client-a', 'web.inside.test']);
    const short = await arrival('short');
    assert.deepEqual([short.client, short.serverName, short.protocol], ['client-a', '', 'TLSv1.2']);
    assert.equal(await ask('wrong'), 502);
    for (const name of ['full', 'short', 'wrong']) assert.deepEqual(await told(name), []);
  });

  it('are right with authorities alone, and refuse a backend that another authority signed', async () => {
    const backend = await startIdentityBackend(scope, { pair });
    await writeSecret('inside', values(undefined, authority.certificate));
    await writeSecret('outside', values(undefined, stranger.certificate));
    for (const name of ['inside', 'outside']) {
      const annotations = { ...VERIFYING, 'proxy-ssl-secret': `default/${name}` };
      await site.expose({ host: `${name}.example`, backends: [backend], annotations });
    }
    assert.equal((await arrival('inside')).client, '');
    assert.equal(await ask('outside'), 502);
    assert.equal(backend.arrivals.length, 1);
    // Mended, it is served; one reload each, since it is another identity.
    await writeSecret('outside', values(undefined, `${stranger.certificate}\n${authority.certificate}`));
    assert.equal((await arrival('outside')).client, '');
    assert.match(JSON.stringify((await site.status()).lastReloadReasons), /new profiles: @https_tls_[0-9a-f]{16}/);
    const secrets = await site.weir.admin<{ items: unknown[] }>('/api/v1/diagnostics?kind=Secret');
    assert.deepEqual(secrets.items, []);
  });

  it('reach gRPC backends over TLS the same way', async () => {
    const backend = await startIdentityBackend(scope, { pair, http2: true });
    await writeSecret('calls', values(clients[1], authority.certificate));
    const annotations = { ...VERIFYING, 'backend-protocol': 'GRPCS', 'proxy-ssl-secret': 'default/calls' };
    await site.expose({ host: 'calls.example', backends: [backend], annotations });
    const { client, serverName } = await arrival('calls');
    assert.deepEqual([client, serverName], ['client-b', 'web.inside.test']);
  });

  it('that can not be honoured close the routes, with a finding at the annotation', async () => {
    const backend = await startIdentityBackend(scope, { pair });
    const damaged = authority.certificate.replace(/\n[^\n-]+\n/, '\nAAAA\n');
    const mismatched = { certificate: clients[0].certificate, key: clients[1].key };
    const cases: Readonly<Record<string, readonly [Readonly<Record<string, string>> | undefined, string, string]>> = {
      missing: [undefined, 'WEIR0322', 'proxy-ssl-secret'],
      empty: [{ other: 'x' }, 'WEIR0320', 'proxy-ssl-secret'],
      mismatched: [values(mismatched, authority.certificate), 'WEIR0320', 'proxy-ssl-secret'],
      noca: [values(clients[0], undefined), 'WEIR0321', 'proxy-ssl-secret'],
      badca: [values(undefined, damaged), 'WEIR0321', 'proxy-ssl-secret'],
      nosecret: [undefined, 'WEIR0212', 'proxy-ssl-verify'],
    };
    for (const [name, [content]] of Object.entries(cases)) {
      if (content !== undefined) await writeSecret(name, content);
      const named = name === 'nosecret' ? {} : { 'proxy-ssl-secret': `default/${name}` };
      await site.expose({ host: `${name}.example`, backends: [backend], annotations: { ...VERIFYING, ...named } });
    }
    for (const [name, [, code, field]] of Object.entries(cases)) {
      assert.equal(await ask(name), 503, name);
      assert.deepEqual(await told(name), [[code, field, 'error']], name);
    }
    assert.equal(backend.connections(), 0);
    const diagnostics = JSON.stringify(await site.weir.admin('/api/v1/diagnostics'));
    const folder = join(site.weir.stateDir, 'nginx', 'log');
    const logs = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const everything = [diagnostics, site.weir.output(), JSON.stringify(await site.status()), ...logs].join('\n');
    for (const line of clients[1].key.split('\n').slice(1, -2)) assert.ok(!everything.includes(line));
    // What was missing comes.
    await writeSecret('missing', values(undefined, authority.certificate));
    assert.equal((await arrival('missing')).client, '');
    assert.deepEqual(await told('missing'), []);
  });

  it('hold for the canary of an Ingress, too', async () => {
    const [main, canary] = await Promise.all([
      startIdentityBackend(scope, { pair }),
      startIdentityBackend(scope, { pair }),
    ]);
    await writeSecret('split', values(clients[0], authority.certificate));
    const host = 'split.example';
    await site.expose({ host, backends: [main], annotations: { ...VERIFYING, 'proxy-ssl-secret': 'default/split' } });
    const annotations = { canary: 'true', 'canary-weight': '100' };
    await site.expose({ host, name: 'split-canary', backends: [canary], annotations });
    assert.equal((await arrival('split')).client, 'client-a');
    assert.deepEqual([main.arrivals.length, canary.arrivals.length], [0, 1]);
  });

  it('survive the death of weir and nginx, and a Secret that is renewed meanwhile is in force afterwards', async () => {
    const backend = await startIdentityBackend(scope, { pair });
    await writeSecret('lasting', values(clients[0], authority.certificate));
    const annotations = { ...VERIFYING, 'proxy-ssl-secret': 'default/lasting' };
    await site.expose({ host: 'lasting.example', backends: [backend], annotations });
    assert.equal((await arrival('lasting')).client, 'client-a');
    const master = Number(readFileSync(join(site.weir.stateDir, 'nginx', 'run', 'nginx.pid'), 'utf8'));
    await site.weir.stop('SIGKILL');
    process.kill(master, 'SIGKILL');
    site.folder.write('lasting-secret.yaml', [
      secret({ name: 'lasting', values: values(clients[1], authority.certificate) }),
    ]);
    site = await site.reopen(scope);
    await site.settled();
    assert.equal((await arrival('lasting')).client, 'client-b');
  });
});
