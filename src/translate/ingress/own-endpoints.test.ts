import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingress, resource, service, slice } from '../../../test/support/resources.ts';
import type { Resource } from '../../snapshot/resource.ts';
import { endpointsOf, findingsOf, routesOf, translate } from './translated.fixture.ts';

const MACHINE = ['192.0.2.10', '2001:db8::10'];
const ownListeners = () => [
  { name: 'HTTP port', port: 8080, addresses: MACHINE },
  { name: 'HTTPS port', port: 8443, addresses: MACHINE },
  { name: 'admin address', port: 9180, addresses: ['127.0.0.1'] },
];
const serve = (...objects: readonly Resource[]) => translate(objects, { ownListeners });
const to = (backend: string, annotations = {}) =>
  ingress({ annotations, hosts: { 'a.example': [{ path: '/', to: backend }] } });
const onPort = (port: number, ...endpoints: readonly string[]) => slice({ ports: [{ port }], endpoints });

for (const [port, address] of [
  [8080, '127.0.0.1'],
  [8443, '127.9.9.9'],
  [9180, '127.0.0.1'],
  [9180, '::1'],
  [9180, '::ffff:127.0.0.1'],
  [9180, '::ffff:7f00:1'],
  [9180, '::127.0.0.1'],
  [8080, '64:ff9b::192.0.2.10'],
  [9180, '0:0:0:0:0:0:0:1'],
  [8080, '192.0.2.10'],
  [8080, '::ffff:192.0.2.10'],
  [8443, '2001:db8:0:0::10'],
] as const) {
  test(`${address} with port ${port} is weir itself and no endpoint`, () => {
    const translator = serve(service(), to('web:80'), onPort(port, '10.0.0.1', address));
    assert.deepEqual(endpointsOf(translator, 'shop/web:80'), [`10.0.0.1:${port}`]);
    assert.deepEqual(findingsOf(translator), ['WEIR0128 EndpointSlice/shop/web-1 endpoints[1].addresses[0]']);
  });
}

test('other ports of this machine, and ports like weir’s on other machines, are endpoints', () => {
  for (const [port, address] of [
    [8081, '127.0.0.1'],
    [8081, '192.0.2.10'],
    [9180, '192.0.2.10'],
    [8080, '192.0.2.11'],
  ] as const) {
    const translator = serve(service(), to('web:80'), onPort(port, address));
    assert.deepEqual(endpointsOf(translator, 'shop/web:80'), [`${address}:${port}`]);
    assert.deepEqual(findingsOf(translator), []);
  }
});

test('weir is no endpoint whatever says so: Endpoints, the Service’s own address, an external name or its answer', () => {
  const empty = 'WEIR0105 Ingress/shop/web spec.rules[0].http.paths[0].backend.service';
  const legacy = resource(
    'Endpoints',
    {},
    { subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 9180 }] }] },
  );
  const byEndpoints = serve(service(), to('web:80'), legacy);
  assert.deepEqual(endpointsOf(byEndpoints, 'shop/web:80'), []);
  assert.deepEqual(findingsOf(byEndpoints), ['WEIR0128 Endpoints/shop/web subsets[0].addresses[0].ip', empty]);

  const own = service({ spec: { clusterIP: '192.0.2.10', ports: [{ port: 8080 }] } });
  const upstream = { 'nginx.ingress.kubernetes.io/service-upstream': 'true' };
  const byService = serve(own, to('web:8080', upstream));
  assert.deepEqual(endpointsOf(byService, 'shop/web:8080~service'), []);
  assert.ok(findingsOf(byService).includes('WEIR0128 Service/shop/web spec.clusterIP'));

  const external = (externalName: string) => service({ spec: { type: 'ExternalName', externalName } });
  const byAddress = serve(external('127.0.0.1'), to('web:9180'));
  const byName = serve(external('localhost'), to('web:9180'));
  byName.resolved('localhost', { addresses: ['127.0.0.1', '::1'] });
  for (const translator of [byAddress, byName]) {
    assert.deepEqual(endpointsOf(translator, 'shop/web:9180'), []);
    assert.ok(findingsOf(translator).includes('WEIR0128 Service/shop/web spec.externalName'));
  }
});

for (const name of ['127.1', '0x7f000001', '0X7F.1', '2130706433', '017700000001', '0177.0.0.1', '127.0.0.1.2', '1.']) {
  test(`an external name ${name} is a number and no name, and is not asked for`, () => {
    const translator = serve(service({ spec: { type: 'ExternalName', externalName: name } }), to('web:81'));
    assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / ✗ 503']);
    assert.deepEqual([...translator.neededNames()], []);
    assert.deepEqual(findingsOf(translator), [
      'WEIR0119 Ingress/shop/web spec.rules[0].http.paths[0].backend.service.name',
    ]);
    assert.match(translator.findings()[0]!.message, /is a number and no DNS name/);
  });
}

test('names that only begin or end with digits are names', () => {
  for (const name of ['127.example', '0x7f.example', '1.2.3.4.in-addr.arpa', 'db1', '3com.example', 'cafe', '0xyz']) {
    const translator = serve(service({ spec: { type: 'ExternalName', externalName: name } }), to('web:81'));
    assert.deepEqual([...translator.neededNames()], [name]);
  }
});
