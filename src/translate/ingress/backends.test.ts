import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingress, put, remove, resource, service, slice } from '../../../test/support/resources.ts';
import { endpointsOf, findingsOf, hostOf, routesOf, translate } from './translated.fixture.ts';

const to = (backend: string) => ingress({ hosts: { 'a.example': [{ path: '/', to: backend }] } });
const PATH = 'spec.rules[0].http.paths[0]';
const annotated = (key: string, value: string, backend = 'web:80') =>
  ingress({
    annotations: { [`nginx.ingress.kubernetes.io/${key}`]: value },
    hosts: { 'a.example': [{ path: '/', to: backend }] },
  });

test('a port by name and the same port by number are one backend', () => {
  const web = service({
    spec: {
      ports: [
        { name: 'http', port: 80, targetPort: 8080 },
        { name: 'admin', port: 81 },
      ],
    },
  });
  const translator = translate([
    web,
    slice({
      ports: [
        { name: 'http', port: 8080 },
        { name: 'admin', port: 8081 },
      ],
    }),
    ingress({
      hosts: {
        'a.example': [
          { path: '/n', to: 'web:http' },
          { path: '/p', to: 'web:80' },
          { path: '/a', to: 'web:admin' },
        ],
      },
    }),
  ]);
  assert.deepEqual([...translator.model.backends.keys()].sort(), ['shop/web:admin', 'shop/web:http']);
  assert.deepEqual(endpointsOf(translator, 'shop/web:http'), ['10.0.0.1:8080']);
  assert.deepEqual(endpointsOf(translator, 'shop/web:admin'), ['10.0.0.1:8081']);
});

test('the endpoints of several slices are one sorted list without doubles', () => {
  const translator = translate([
    service(),
    to('web:80'),
    slice({ name: 'web-a', endpoints: ['10.0.0.10', '10.0.0.2'] }),
    slice({ name: 'web-b', endpoints: ['10.0.0.2', '10.0.0.9'] }),
    slice({ name: 'x', of: 'other', endpoints: ['10.0.0.99'] }),
    slice({ name: 'y', namespace: 'elsewhere', endpoints: ['10.0.0.98'] }),
  ]);
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['10.0.0.2:8080', '10.0.0.9:8080', '10.0.0.10:8080']);
});

test('conditions: ready unless told otherwise, draining while terminating and serving, else nothing', () => {
  const endpoint = (last: number, conditions?: object) => ({
    addresses: [`10.0.0.${last}`],
    ...(conditions === undefined ? {} : { conditions }),
  });
  const translator = translate([
    service(),
    to('web:80'),
    slice({
      endpoints: [
        endpoint(1),
        endpoint(2, {}),
        endpoint(3, { ready: null, serving: null }),
        endpoint(4, { ready: true, serving: true, terminating: false }),
        endpoint(5, { ready: false, serving: true, terminating: true }),
        endpoint(6, { ready: false, serving: false, terminating: true }),
        endpoint(7, { ready: false }),
        endpoint(8, { ready: false, serving: true, terminating: false }),
        endpoint(9, { ready: true, terminating: true, serving: true }),
      ],
    }),
  ]);
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), [
    '10.0.0.1:8080',
    '10.0.0.2:8080',
    '10.0.0.3:8080',
    '10.0.0.4:8080',
    '10.0.0.5:8080 draining',
    '10.0.0.9:8080',
  ]);
});

test('an endpoint that is ready in one slice and draining in another is ready, in whichever order', () => {
  const ready = { addresses: ['10.0.0.1'] };
  const draining = { addresses: ['10.0.0.1'], conditions: { ready: false, serving: true, terminating: true } };
  for (const [a, b] of [
    [ready, draining],
    [draining, ready],
  ]) {
    const translator = translate([
      service(),
      to('web:80'),
      slice({ name: 'a', endpoints: [a] }),
      slice({ name: 'b', endpoints: [b] }),
    ]);
    assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['10.0.0.1:8080']);
  }
});

test('a dual-stack pod is one endpoint of the Service’s first family; what stands in one family only is used too', () => {
  const pod = (name: string, address: string) => ({ addresses: [address], targetRef: { kind: 'Pod', name } });
  const objects = [
    to('web:80'),
    slice({ name: 'v4', endpoints: [pod('one', '10.0.0.1')] }),
    slice({
      name: 'v6',
      addressType: 'IPv6',
      endpoints: [pod('one', 'fd00::1'), pod('two', 'fd00::2'), 'fd00:0:0:0:0:0:0:3'],
    }),
  ];
  const first = translate([service({ spec: { ipFamilies: ['IPv4', 'IPv6'] } }), ...objects]);
  assert.deepEqual(endpointsOf(first, 'shop/web:80'), ['10.0.0.1:8080', 'fd00::2:8080', 'fd00::3:8080']);
  const second = translate([service({ spec: { ipFamilies: ['IPv6', 'IPv4'] } }), ...objects]);
  assert.deepEqual(endpointsOf(second, 'shop/web:80'), ['fd00::1:8080', 'fd00::2:8080', 'fd00::3:8080']);
});

test('a slice port without number leaves it to the Service', () => {
  for (const [spec, expected] of [
    [{ ports: [{ port: 80, targetPort: 9000 }] }, 9000],
    [{ ports: [{ port: 80 }] }, 80],
  ] as const) {
    const translator = translate([service({ spec }), to('web:80'), slice({ ports: [{}] })]);
    assert.deepEqual(endpointsOf(translator, 'shop/web:80'), [`10.0.0.1:${expected}`]);
  }
});

test('Endpoints count only where there is no EndpointSlice', () => {
  const legacy = resource(
    'Endpoints',
    {},
    {
      subsets: [{ addresses: [{ ip: '10.1.0.1' }], notReadyAddresses: [{ ip: '10.1.0.2' }], ports: [{ port: 9090 }] }],
    },
  );
  const translator = translate([service(), to('web:80'), legacy]);
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['10.1.0.1:9090']);
  const newer = slice({ endpoints: [] });
  translator.update(put(newer));
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), []);
  translator.update(remove(newer));
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['10.1.0.1:9090']);
});

test('a headless Service is served by its endpoints, and service-upstream has no address to use', () => {
  const headless = service({ spec: { clusterIP: 'None' } });
  const translator = translate([headless, slice(), annotated('service-upstream', 'true')]);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / → shop/web:80']);
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['10.0.0.1:8080']);
  assert.deepEqual(findingsOf(translator), [`WEIR0121 Ingress/shop/web ${PATH}.backend.service`]);
});

test('service-upstream sends to the address and port of the Service', () => {
  const translator = translate([service(), slice(), annotated('service-upstream', 'true')]);
  assert.deepEqual(endpointsOf(translator, 'shop/web:80~service'), ['10.96.0.1:80']);
});

test('an external name is asked for by whoever refers to it, and its answer becomes endpoints on the Ingress’ port', () => {
  const external = service({ spec: { type: 'ExternalName', externalName: 'API.example.com.', ports: undefined } });
  const translator = translate([external, to('web:8443')]);
  assert.deepEqual([...translator.neededNames()], ['api.example.com']);
  assert.deepEqual(findingsOf(translator), []);
  const delta = translator.resolved('api.example.com', { addresses: ['192.0.2.2', '192.0.2.1', '169.254.169.254'] });
  assert.deepEqual([...delta.backends], ['shop/web:8443']);
  assert.deepEqual(endpointsOf(translator, 'shop/web:8443'), ['192.0.2.1:8443', '192.0.2.2:8443']);
  assert.deepEqual(findingsOf(translator), ['WEIR0109 Service/shop/web spec.externalName']);
  translator.resolved('api.example.com', { addresses: ['192.0.2.3'] });
  assert.deepEqual(endpointsOf(translator, 'shop/web:8443'), ['192.0.2.3:8443']);
  translator.resolved('api.example.com', { error: 'no such name' });
  assert.deepEqual(endpointsOf(translator, 'shop/web:8443'), []);
  assert.deepEqual(findingsOf(translator), [`WEIR0120 Ingress/shop/web ${PATH}.backend.service`]);
  translator.update(remove(to('web:8443')));
  assert.deepEqual([...translator.neededNames()], []);
  assert.deepEqual(findingsOf(translator), []);
});

test('an external name that is an address needs no DNS', () => {
  const translator = translate([service({ spec: { type: 'ExternalName', externalName: '192.0.2.7' } }), to('web:80')]);
  assert.deepEqual([...translator.neededNames()], []);
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['192.0.2.7:80']);
});

test('external names that are empty, no names, or lead in a circle answer 503 and are not asked for', () => {
  const external = (name: string, externalName: string) =>
    service({ name, spec: { type: 'ExternalName', externalName } });
  for (const objects of [
    [external('web', '')],
    [external('web', 'not a name')],
    [external('web', 'web.shop.svc.cluster.local')],
    [external('web', 'b.shop.svc'), external('b', 'web.shop.svc.cluster.local')],
  ]) {
    const translator = translate([...objects, to('web:80')]);
    assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / ✗ 503']);
    assert.deepEqual([...translator.neededNames()], []);
    assert.deepEqual(findingsOf(translator), [`WEIR0119 Ingress/shop/web ${PATH}.backend.service.name`]);
  }
});

test('a loop of external names that is broken elsewhere heals', () => {
  const external = (name: string, externalName: string) =>
    service({ name, spec: { type: 'ExternalName', externalName } });
  const translator = translate([external('web', 'b.shop.svc'), external('b', 'web.shop.svc'), to('web:80')]);
  translator.update(put(external('b', 'out.example')));
  assert.deepEqual([...translator.neededNames()], ['out.example']);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / → shop/web:80']);
});

test('a missing Service costs its route alone, until it is there', () => {
  const translator = translate([
    service(),
    slice(),
    ingress({ hosts: { 'a.example': [{ path: '/gone', to: 'gone:80' }, '/'] } }),
  ]);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix /gone ✗ 503', 'prefix / → shop/web:80']);
  assert.deepEqual(findingsOf(translator), [`WEIR0103 Ingress/shop/web ${PATH}.backend.service.name`]);
  translator.update(put(service({ name: 'gone' }), slice({ of: 'gone' })));
  assert.deepEqual(routesOf(translator, 'a.example')[0], 'prefix /gone → shop/gone:80');
  assert.deepEqual(findingsOf(translator), []);
});

test('a missing port answers 503, and the finding lists the ports there are', () => {
  for (const port of ['81', 'https']) {
    const translator = translate([
      service({
        spec: {
          ports: [
            { name: 'http', port: 80 },
            { port: 53, protocol: 'UDP' },
          ],
        },
      }),
      slice(),
      to(`web:${port}`),
    ]);
    assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / ✗ 503']);
    const field = `${PATH}.backend.service.port.${port === '81' ? 'number' : 'name'}`;
    assert.deepEqual(findingsOf(translator), [`WEIR0104 Ingress/shop/web ${field}`]);
    assert.match(translator.findings()[0]!.fix, /^Use a port that the Service has \(http \(80\), 53\/UDP\)/);
  }
});

test('a Service of another namespace is not reached', () => {
  const translator = translate([service({ namespace: 'elsewhere' }), to('web:80')]);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / ✗ 503']);
});

test('no endpoints is a warning on the route, gone when one is ready', () => {
  const translator = translate([service(), to('web:80'), slice({ endpoints: [] })]);
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), []);
  assert.deepEqual(findingsOf(translator), [`WEIR0105 Ingress/shop/web ${PATH}.backend.service`]);
  assert.equal(translator.findings()[0]!.severity, 'warning');
  const delta = translator.update(put(slice()));
  assert.deepEqual([...delta.backends], ['shop/web:80']);
  assert.equal(delta.hosts.size, 0, 'the host is not touched');
  assert.deepEqual(findingsOf(translator), []);
});

test('a resource backend, and one that names nothing or too much, answers 503', () => {
  for (const [backend, expected] of [
    [{ resource: { apiGroup: 'x', kind: 'Bucket', name: 'b' } }, `WEIR0108 Ingress/shop/web ${PATH}.backend.resource`],
    [{}, `WEIR0122 Ingress/shop/web ${PATH}.backend`],
    [{ service: { name: 'web' } }, `WEIR0122 Ingress/shop/web ${PATH}.backend.service.port`],
    [
      { service: { name: 'web', port: { name: 'http', number: 80 } } },
      `WEIR0122 Ingress/shop/web ${PATH}.backend.service.port`,
    ],
    [
      { service: { name: 'web', port: { number: 80 } }, resource: { kind: 'Bucket', name: 'b' } },
      `WEIR0122 Ingress/shop/web ${PATH}.backend`,
    ],
  ] as const) {
    const translator = translate([
      service(),
      slice(),
      ingress({ hosts: { 'a.example': [{ path: '/', backend }, '/ok'] } }),
    ]);
    assert.deepEqual(routesOf(translator, 'a.example'), ['prefix /ok → shop/web:80', 'prefix / ✗ 503']);
    assert.deepEqual(findingsOf(translator), [expected]);
  }
});

for (const address of [
  '127.0.0.1',
  '::1',
  '::ffff:127.0.0.1',
  '169.254.169.254',
  'fe80::1',
  '0.0.0.0',
  '::',
  '224.0.0.1',
  'ff02::1',
  '255.255.255.255',
  'localhost',
  '010.0.0.1',
  'fd00::1%eth0',
  'unix:/run/x',
  '',
]) {
  test(`in a cluster ${JSON.stringify(address)} is no endpoint`, () => {
    const translator = translate([service(), to('web:80'), slice({ endpoints: ['10.0.0.1', address] })], {
      allowLoopbackEndpoints: false,
    });
    assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['10.0.0.1:8080']);
    assert.deepEqual(findingsOf(translator), ['WEIR0109 EndpointSlice/shop/web-1 endpoints[1].addresses[0]']);
  });
}

for (const address of [
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '64:ff9b::a9fe:a9fe',
  '::a9fe:a9fe',
  '::ffff:0:169.254.169.254',
]) {
  test(`the metadata service is no endpoint, in manifests neither: ${address}`, () => {
    const translator = translate([service(), to('web:80'), slice({ endpoints: ['64:ff9b::a00:2', '::1', address] })]);
    assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['::1:8080', '64:ff9b::a00:2:8080']);
  });
}

test('for manifests loopback addresses are endpoints, link-local ones are not', () => {
  const translator = translate([service(), to('web:80'), slice({ endpoints: ['127.0.0.1', '169.254.1.1'] })]);
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['127.0.0.1:8080']);
});

test('a slice of names is reported and not used', () => {
  const translator = translate([
    service(),
    to('web:80'),
    slice({ addressType: 'FQDN', endpoints: ['a.example'] }),
    slice({ name: 'v4' }),
  ]);
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['10.0.0.1:8080']);
  assert.deepEqual(findingsOf(translator), ['WEIR0124 EndpointSlice/shop/web-1 addressType']);
});

test('the same Service used in different ways is different backends with readable names', () => {
  const path = (annotations: Record<string, string>, name: string) =>
    ingress({
      name,
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`nginx.ingress.kubernetes.io/${key}`, value]),
      ),
      hosts: { 'a.example': [`/${name}`] },
    });
  const translator = translate([
    service(),
    slice(),
    path({}, 'plain'),
    path({ 'backend-protocol': 'GRPC' }, 'grpc'),
    path({ 'backend-protocol': 'HTTPS', 'load-balance': 'ewma' }, 'ewma'),
    path({ 'upstream-hash-by': '$request_uri' }, 'hash'),
  ]);
  const [hash, ...others] = [...translator.model.backends.keys()].sort(
    (a, b) => Number(b.includes('hash')) - Number(a.includes('hash')) || (a < b ? -1 : 1),
  );
  assert.deepEqual(others, ['shop/web:80', 'shop/web:80~grpc', 'shop/web:80~https~ewma']);
  assert.match(hash!, /^shop\/web:80~hash-[0-9a-f]{8}$/);
  assert.equal(translator.model.backends.get('shop/web:80~grpc')!.protocol, 'grpc');
});

test('a backend is there while something refers to it', () => {
  const translator = translate([service(), slice()]);
  assert.equal(translator.model.backends.size, 0);
  translator.update(put(to('web:80')));
  assert.equal(translator.model.backends.size, 1);
  translator.update(remove(to('web:80')));
  assert.equal(translator.model.backends.size, 0);
});

test('a Service that loses its port takes the route, and gives it back', () => {
  const translator = translate([service(), slice(), to('web:80')]);
  translator.update(put(service({ spec: { ports: [{ port: 81 }] } })));
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / ✗ 503']);
  assert.equal(translator.model.backends.size, 0);
  translator.update(put(service()));
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / → shop/web:80']);
  assert.equal(hostOf(translator, 'a.example').routes.length, 1);
});
