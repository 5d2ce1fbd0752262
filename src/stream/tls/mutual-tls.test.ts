import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect } from 'node:tls';
import { putService } from '../../../test/support/fake-translator.ts';
import { eventually, freePort, temporaryDirectory } from '../../../test/support/scope.ts';
import { RigController, RigProxy } from '../../../test/support/stream-rig.ts';
import { Redacted } from '../../lib/redacted.ts';
import { AuthorityKeeper } from './authority-keeper.ts';
import { type Credentials, CONTROLLER_NAME, PROXY_NAME } from './credentials.ts';
import { FileCredentials } from './file-credentials.ts';
import { FileMaterialStore } from './file-material-store.ts';
import { issueCertificate, makeAuthority } from './issue-certificate.ts';
import { credentialsOf, decodeMaterial, encodeMaterial, type Material, renewMaterial } from './material.ts';

const DAY = 86_400_000;
const START = new Date('2026-03-01T00:00:00Z');
const after = (days: number) => new Date(START.getTime() + days * DAY);
const fixed = (credentials: Credentials) => ({ current: () => credentials, onChange: () => {}, close: () => {} });

async function controllerOn(context: TestContext, directory: string) {
  const keeper = await AuthorityKeeper.open({ store: new FileMaterialStore(directory) });
  context.after(() => keeper.close());
  const address = `127.0.0.1:${await freePort()}`;
  const controller = await RigController.start(context, { address, credentials: keeper });
  controller.source.sink.changed([putService('web', 1)]);
  controller.source.sink.synced();
  return { controller, keeper, address };
}

async function proxyFiles(context: TestContext, directory: string): Promise<FileCredentials> {
  const credentials = await FileCredentials.open(join(directory, 'proxy'), 50);
  context.after(() => credentials.close());
  return credentials;
}

test('a proxy with the files that the controller made for it is served, over TLS', async (context) => {
  const directory = join(temporaryDirectory(context, 'tls'), 'tls');
  const { address } = await controllerOn(context, directory);
  const proxy = await RigProxy.start(context, [address], { credentials: await proxyFiles(context, directory) });
  await eventually('the model to arrive', () => proxy.driver.inForce.has('web'));
  const modes = [directory, join(directory, 'proxy')].map((each) => statSync(each).mode & 0o777);
  assert.deepEqual(modes, [0o700, 0o700]);
  for (const file of ['authority.json', ...readdirSync(join(directory, 'proxy')).map((name) => `proxy/${name}`)]) {
    assert.equal(statSync(join(directory, file)).mode & 0o077, 0, file);
  }
  assert.deepEqual(readdirSync(join(directory, 'proxy')).sort(), ['ca.crt', 'tls.crt', 'tls.key']);
  const authority = (
    JSON.parse(readFileSync(join(directory, 'authority.json'), 'utf8')) as { authorities: { key: string }[] }
  ).authorities[0]!.key;
  const given = readdirSync(join(directory, 'proxy')).map((name) =>
    readFileSync(join(directory, 'proxy', name), 'utf8'),
  );
  assert.ok(
    !given.some((text) => text.includes(authority.split('\n')[1]!)),
    'a proxy is not given the authority’s key',
  );
});

test('who has no certificate, or a wrong one, learns nothing', async (context) => {
  const directory = join(temporaryDirectory(context, 'tls'), 'tls');
  const { controller, address } = await controllerOn(context, directory);
  const own = await proxyFiles(context, directory);
  const { authorities, certificate, key } = own.current();
  const material = decodeMaterial(readFileSync(join(directory, 'authority.json'), 'utf8'))!;
  const validity = (from: number, to: number) => ({
    notBefore: new Date(Date.now() + from * DAY),
    notAfter: new Date(Date.now() + to * DAY),
  });
  const signed = (dnsName: string, side: 'client' | 'server', from = -1, to = 1, by = material.authorities[0]!) => ({
    authorities,
    ...issueCertificate(by, { dnsName, side, validity: validity(from, to) }),
  });
  const stranger = makeAuthority('weir model stream', validity(-1, 100));
  const wrong: Readonly<Record<string, Credentials>> = {
    expired: signed(PROXY_NAME, 'client', -3, -1),
    'not valid yet': signed(PROXY_NAME, 'client', 1, 3),
    'of another authority': signed(PROXY_NAME, 'client', -1, 1, stranger),
    'of a server': signed(PROXY_NAME, 'server'),
    'for another name': signed('admin.model-stream.weir', 'client'),
  };
  for (const [what, credentials] of Object.entries(wrong)) {
    const proxy = await RigProxy.start(context, [address], { credentials: fixed(credentials) });
    const before = controller.events.length;
    await eventually(`${what} to be refused`, () => controller.events.length > before);
    await eventually('the proxy to know', () => proxy.controller.source().problems.join().includes(address));
    assert.deepEqual([proxy.driver.inForce.size, controller.server.connected.length], [0, 0], what);
    await proxy.stop();
  }
  const [host = '', port = ''] = address.split(':');
  const bytes = (socket: ReturnType<typeof connectPlain>) =>
    new Promise<number>((resolve) => {
      let count = 0;
      socket.on('data', (chunk: Buffer) => (count += chunk.length));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(count));
    });
  const nameless = connect({ host, port: Number(port), ca: authorities, servername: CONTROLLER_NAME });
  assert.equal(await bytes(nameless), 0);
  const plain = connectPlain({ host, port: Number(port) });
  plain.end('hello\n');
  await bytes(plain);
  const old = connect({
    host,
    port: Number(port),
    ca: authorities,
    cert: certificate,
    key: key.reveal(),
    servername: CONTROLLER_NAME,
    maxVersion: 'TLSv1.2',
  });
  assert.equal(await bytes(old), 0);
  assert.equal(controller.server.connected.length, 0);
});

test('a proxy believes no controller but its own', async (context) => {
  const base = temporaryDirectory(context, 'tls');
  const [ours, theirs] = [join(base, 'ours'), join(base, 'theirs')];
  const { controller, address } = await controllerOn(context, theirs);
  await AuthorityKeeper.open({ store: new FileMaterialStore(ours) }).then((keeper) => keeper.close());
  const proxy = await RigProxy.start(context, [address], { credentials: await proxyFiles(context, ours) });
  await eventually('the proxy to say so', () =>
    /self-signed|unable to|certificate/.test(proxy.controller.source().problems.join()),
  );
  assert.equal(controller.server.connected.length, 0);
});

test('a certificate of a proxy makes nobody a controller', async (context) => {
  const directory = join(temporaryDirectory(context, 'tls'), 'tls');
  await AuthorityKeeper.open({ store: new FileMaterialStore(directory) }).then((keeper) => keeper.close());
  const own = await proxyFiles(context, directory);
  const address = `127.0.0.1:${await freePort()}`;
  const impostor = await RigController.start(context, { address, credentials: own });
  impostor.source.sink.synced();
  const proxy = await RigProxy.start(context, [address], { credentials: own });
  await eventually('the proxy to say so', () => /purpose|controller's/.test(proxy.controller.source().problems.join()));
  assert.equal(proxy.controller.source().synced, false);
});

test('files that are exchanged are taken up by both sides, without a restart', async (context) => {
  const directory = join(temporaryDirectory(context, 'tls'), 'tls');
  const { controller, keeper, address } = await controllerOn(context, directory);
  const credentials = await proxyFiles(context, directory);
  const proxy = await RigProxy.start(context, [address], { credentials });
  await eventually('the model to arrive', () => proxy.driver.inForce.has('web'));
  const before = credentials.current().certificate;
  const path = join(directory, 'authority.json');
  const material = decodeMaterial(readFileSync(path, 'utf8'))!;
  // As if half a year had gone by, and another controller had renewed everything.
  const later = renewMaterial(
    renewMaterial(material, new Date(Date.now() + 200 * DAY)),
    new Date(Date.now() + 200 * DAY),
  );
  assert.equal(later.authorities.length, 2);
  const fresh = renewMaterial(undefined, new Date());
  writeFileSync(path, encodeMaterial({ ...fresh, authorities: [...fresh.authorities, ...material.authorities] }));
  await keeper.look();
  await eventually('the proxy to re-read', () => credentials.current().certificate !== before);
  await controller.server.close();
  await controller.server.listen();
  controller.source.sink.changed([putService('late', 2)]);
  await eventually('the change to arrive', () => proxy.driver.inForce.has('late'));
});

test('half-written files leave the credentials as they were', async (context) => {
  const directory = join(temporaryDirectory(context, 'tls'), 'tls');
  await AuthorityKeeper.open({ store: new FileMaterialStore(directory) }).then((keeper) => keeper.close());
  const credentials = await proxyFiles(context, directory);
  const before = credentials.current();
  const other = issueCertificate(makeAuthority('x', { notBefore: START, notAfter: after(9) }), {
    dnsName: PROXY_NAME,
    side: 'client',
    validity: { notBefore: START, notAfter: after(9) },
  });
  writeFileSync(join(directory, 'proxy', 'tls.key'), other.key.reveal());
  await credentials.look();
  assert.deepEqual(credentials.current(), before);
  const nothing = join(temporaryDirectory(context, 'empty'), 'none');
  mkdirSync(nothing);
  const missing = await FileCredentials.open(nothing, 50);
  context.after(() => missing.close());
  assert.throws(() => missing.current(), { code: 'stream-tls' });
});

test('two controllers that begin at once end with the same material', async (context) => {
  const directory = join(temporaryDirectory(context, 'tls'), 'tls');
  const keepers = await Promise.all(
    Array.from({ length: 4 }, () => AuthorityKeeper.open({ store: new FileMaterialStore(directory) })),
  );
  for (const keeper of keepers) keeper.close();
  assert.equal(new Set(keepers.map((keeper) => keeper.current().authorities)).size, 1);
  assert.deepEqual(readdirSync(directory).sort(), ['authority.json', 'proxy']);
});

test('over three years of renewals, who has last week’s files is always believed, and believes', () => {
  let material: Material = renewMaterial(undefined, START);
  const past: Material[] = [];
  let authorities = 0;
  for (let day = 0; day < 3 * 365; day++) {
    const now = after(day);
    const next = renewMaterial(material, now);
    if (next.authorities[0] !== material.authorities[0]) authorities++;
    material = next;
    past.push(material);
    assert.equal(renewMaterial(material, now), material, 'nothing more is to be done at the same time');
    const old = past[Math.max(0, day - 1)]!;
    for (const [shown, believing] of [
      [material.controller, old],
      [old.proxy, material],
      [material.proxy, old],
      [old.controller, material],
    ] as const) {
      const leaf = new X509Certificate(shown.certificate);
      assert.ok(Date.parse(leaf.validTo) > now.getTime() && Date.parse(leaf.validFrom) <= now.getTime(), `day ${day}`);
      assert.ok(
        believing.authorities.some(({ certificate }) => leaf.checkIssued(new X509Certificate(certificate))),
        `day ${day}: shown is a certificate that the other side doesn't believe`,
      );
    }
    assert.ok(material.authorities.length <= 3);
  }
  assert.ok(authorities >= 4, `${authorities} new authorities`);
});

test('material survives being written down, and damage is noticed', () => {
  const material = renewMaterial(undefined, START);
  const read = decodeMaterial(encodeMaterial(material));
  assert.deepEqual(read && credentialsOf(read, 'proxy'), credentialsOf(material, 'proxy'));
  assert.equal(decodeMaterial(encodeMaterial(material).slice(0, -9)), undefined);
  assert.equal(
    decodeMaterial(encodeMaterial({ ...material, proxy: { ...material.proxy, key: new Redacted('x') } })),
    undefined,
  );
  assert.ok(!JSON.stringify(material).includes('PRIVATE KEY'));
});
