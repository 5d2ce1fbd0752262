import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { handshake } from '../support/clients/tls-client.ts';
import {
  backendService,
  configMap,
  endpointSlice,
  ingress,
  ingressClass,
  type Manifest,
  service,
  tlsSecret,
} from '../support/manifests.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: ServedFolder;
let one: Backend;
let two: Backend;

before(async () => {
  one = await startBackend(scope, { name: 'one' });
  two = await startBackend(scope, { name: 'two', address: '127.0.0.2' });
  site = await ServedFolder.start(scope);
  await site.write('one.yaml', backendService({ name: 'one', endpoints: [one] }));
});

test('an Ingress is served while it is there', async () => {
  await site.write('ingress.yaml', [ingress({ name: 'kind', host: 'kind.test', paths: [{ service: 'one' }] })]);
  assert.equal(await site.answer('kind.test'), 'one');
  await site.remove('ingress.yaml');
  assert.equal(await site.answer('kind.test'), '404');
});

test('an IngressClass says whether its Ingresses are weir’s', async () => {
  await site.write('class-ingress.yaml', [
    ingress({ name: 'class', host: 'class.test', className: 'weir', paths: [{ service: 'one' }] }),
  ]);
  assert.equal(await site.answer('class.test'), 'one');
  await site.write('class.yaml', [ingressClass('weir', 'example.com/other')]);
  assert.equal(await site.answer('class.test'), '404');
  await site.remove('class.yaml');
  assert.equal(await site.answer('class.test'), 'one');
});

test('a Service says which of its ports is which', async () => {
  const manifests = (port: number): Manifest[] => [
    service({ name: 'ports', ports: [{ name: 'web', port }] }),
    endpointSlice({ name: 'ports', ports: [{ name: 'web', port: one.port }], endpoints: [one.address] }),
    ingress({ name: 'ports', host: 'ports.test', paths: [{ service: 'ports', port: 8080 }] }),
  ];
  await site.write('ports.yaml', manifests(8080));
  assert.equal(await site.answer('ports.test'), 'one');
  await site.write('ports.yaml', manifests(9090));
  assert.equal(await site.answer('ports.test'), '503');
});

test('an EndpointSlice says where a Service runs', async () => {
  const slice = (backend: Backend) =>
    endpointSlice({ name: 'sliced', ports: backend.port, endpoints: [backend.address] });
  await site.write('sliced.yaml', [
    service({ name: 'sliced' }),
    ingress({ name: 'sliced', host: 'sliced.test', paths: [{ service: 'sliced' }] }),
  ]);
  await site.write('slice.yaml', [slice(one)]);
  assert.equal(await site.answer('sliced.test'), 'one');
  await site.write('slice.yaml', [slice(two)]);
  assert.equal(await site.answer('sliced.test'), 'two');
});

test('Endpoints say where a Service runs, as long as it has no EndpointSlice', async () => {
  const address = { ip: one.address };
  await site.write('legacy.yaml', [
    service({ name: 'legacy' }),
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'legacy', namespace: 'default' },
      subsets: [{ addresses: [address], notReadyAddresses: [{ ip: '127.0.0.99' }], ports: [{ port: one.port }] }],
    },
    ingress({ name: 'legacy', host: 'legacy.test', paths: [{ service: 'legacy' }] }),
  ]);
  assert.deepEqual(await site.answers(4, 'legacy.test'), ['one']);
  await site.write('legacy-slice.yaml', [endpointSlice({ name: 'legacy', ports: two.port, endpoints: [two.address] })]);
  assert.deepEqual(await site.answers(4, 'legacy.test'), ['two']);
});

test('a Secret holds the certificate of a host', async () => {
  const pair = await (await makeAuthority()).issue(['secret.test']);
  await site.write('secret.yaml', [
    tlsSecret({ name: 'secret', ...pair }),
    ingress({
      name: 'secret',
      host: 'secret.test',
      tls: [{ hosts: ['secret.test'], secretName: 'secret' }],
      paths: [{ service: 'one' }],
    }),
  ]);
  const { certificate } = await handshake(site.weir.httpsPort, { servername: 'secret.test' });
  assert.equal(certificate.subjectAltName, 'DNS:secret.test');
});

test('a ConfigMap is read as what it is', async () => {
  await definedTwice('ConfigMap default/settings', configMap({ name: 'settings', data: { a: 'b' } }));
});

test('a Namespace is read as what it is', async () => {
  await definedTwice('Namespace team', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
});

/** Nothing asks for such an object yet, so that weir knows its identity is all there is to see. */
async function definedTwice(object: string, manifest: object): Promise<void> {
  const name = object.split(/[ /]/).at(-1);
  await site.write('once.yaml', JSON.stringify(manifest));
  assert.deepEqual(await site.findings(`name=${name}`), []);
  await site.write('twice.yaml', JSON.stringify(manifest));
  const field = 'metadata.name';
  await site.reports({
    code: 'WEIR0012',
    severity: 'warning',
    object,
    field,
    file: 'twice.yaml',
    at: `"${name}"`,
    message: new RegExp(`^${object.replace(' ', '/')} also stands in .*/once.yaml:1, which counts`),
  });
  site.folder.remove('once.yaml');
  await site.remove('twice.yaml');
}
