import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Finding } from '../../src/diagnostics/finding.ts';
import { type Backend, startBackend } from '../support/backends/echo-backend.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { ingress, type Manifest, service } from '../support/manifests.ts';
import { eventually } from '../support/scope.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: ServedFolder;
let dns: DnsServer;
let one: Backend;

before(async () => {
  one = await startBackend(scope, { name: 'one' });
  await startBackend(scope, { name: 'two', address: '127.0.0.2', port: one.port });
  dns = await startDnsServer(scope);
  site = await ServedFolder.start(scope, { args: ['--dns-server', dns.address] });
});

const external = (name: string, externalName: string): Manifest[] => [
  service({ name, externalName, ports: [] }),
  ingress({ name, host: `${name}.test`, paths: [{ service: name, port: one.port }] }),
];

const codes = (findings: readonly Finding[]): readonly string[] => findings.map(({ code }) => code);

test('an external name is resolved to all its addresses', async () => {
  dns.answer('db.example', ['127.0.0.1', '127.0.0.2']);
  await site.write('db.yaml', external('db', 'db.example'));
  assert.deepEqual(await site.answers(6, 'db.test'), ['one', 'two']);
  assert.deepEqual(await site.findings(), []);
});

test('an external name is resolved again when its time to live is over', async () => {
  dns.answer('moving.example', ['127.0.0.1']);
  await site.write('moving.yaml', external('moving', 'moving.example'));
  assert.deepEqual(await site.answers(4, 'moving.test'), ['one']);
  dns.answer('moving.example', ['127.0.0.2']);
  await eventually('the other address to be used', async () => (await site.answer('moving.test')) === 'two');
  assert.deepEqual(await site.answers(4, 'moving.test'), ['two']);
});

test('an external name that is an address needs no DNS', async () => {
  await site.write('address.yaml', external('address', '127.0.0.2'));
  assert.deepEqual(await site.answers(2, 'address.test'), ['two']);
});

test('an external name that is a number is no name: it answers 503, and is reported', async () => {
  for (const name of ['127.1', '0x7f000001', '2130706433', '017700000001']) {
    await site.write('number.yaml', external('number', name));
    assert.equal(await site.answer('number.test'), '503');
    assert.deepEqual(codes(await site.findings()), ['WEIR0119'], name);
  }
  await site.remove('number.yaml');
});

test('an external name that leads to weir’s own ports answers 503, and is reported', async () => {
  dns.answer('inside.example', ['127.0.0.1']);
  for (const port of [site.weir.adminPort, site.weir.httpPort, site.weir.httpsPort]) {
    for (const name of ['127.0.0.1', '::ffff:127.0.0.1', 'inside.example']) {
      await site.write('inside.yaml', [
        service({ name: 'inside', externalName: name, ports: [] }),
        ingress({ name: 'inside', host: 'inside.test', paths: [{ service: 'inside', port, path: '/api/v1/status' }] }),
      ]);
      assert.equal(await site.answer('inside.test', '/api/v1/status'), '503');
      await eventually(`${name} to be reported`, async () => codes(await site.findings()).includes('WEIR0128'));
    }
  }
  await site.remove('inside.yaml');
});

test('an external name that leads back to itself answers 503, and is reported', async () => {
  await site.write('loop.yaml', [
    service({ name: 'loop', externalName: 'back.default.svc.cluster.local' }),
    service({ name: 'back', externalName: 'loop.default.svc' }),
  ]);
  const text = JSON.stringify(ingress({ name: 'looping', host: 'looping.test', paths: [{ service: 'loop' }] }));
  await site.write('looping.json', text);
  assert.equal(await site.answer('looping.test'), '503');
  await site.reports({
    code: 'WEIR0119',
    severity: 'error',
    object: 'Ingress default/looping',
    field: 'spec.rules[0].http.paths[0].backend.service.name',
    file: 'looping.json',
    at: '"loop"',
  });
});
