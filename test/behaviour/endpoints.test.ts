import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, startBackend } from '../support/backends/echo-backend.ts';
import { type EndpointOptions, endpointSlice, ingress, type Manifest, service } from '../support/manifests.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: ServedFolder;
let port: number;

/** Backends of one port: `.1` is on 127.0.0.1. */
before(async () => {
  const first: Backend = await startBackend(scope, { name: '.1' });
  port = first.port;
  for (const host of [2, 3]) await startBackend(scope, { name: `.${host}`, address: `127.0.0.${host}`, port });
  await startBackend(scope, { name: '::1', address: '::1', port });
  site = await ServedFolder.start(scope);
});

const serve = (name: string, ...endpoints: readonly (EndpointOptions | string)[]): Manifest[] => [
  service({ name }),
  endpointSlice({ name, ports: port, endpoints }),
  ingress({ name, host: `${name}.test`, paths: [{ service: name }] }),
];

test('endpoints that are ready share the requests', async () => {
  await site.write('ready.yaml', serve('ready', '127.0.0.1', '127.0.0.2', { address: '127.0.0.3', ready: true }));
  assert.deepEqual(await site.answers(12, 'ready.test'), ['.1', '.2', '.3']);
});

test('an endpoint without conditions is ready', async () => {
  const [, slice] = serve('untold', '127.0.0.2');
  if (slice?.kind !== 'EndpointSlice' || !('endpoints' in slice)) throw new Error('no slice');
  const [unknown] = slice.endpoints;
  delete unknown?.conditions;
  await site.write('untold.yaml', [...serve('untold').filter(({ kind }) => kind !== 'EndpointSlice'), slice]);
  assert.deepEqual(await site.answers(2, 'untold.test'), ['.2']);
});

test('an endpoint that is not ready gets nothing', async () => {
  await site.write('unready.yaml', serve('unready', '127.0.0.1', { address: '127.0.0.2', ready: false }));
  assert.deepEqual(await site.answers(8, 'unready.test'), ['.1']);
  await site.write('unready.yaml', serve('unready', '127.0.0.1', { address: '127.0.0.2', ready: true }));
  assert.deepEqual(await site.answers(8, 'unready.test'), ['.1', '.2']);
});

test('an endpoint that drains gets requests only where no other one is ready', async () => {
  const draining = { address: '127.0.0.2', ready: false, serving: true, terminating: true };
  await site.write('draining.yaml', serve('draining', '127.0.0.1', draining));
  assert.deepEqual(await site.answers(8, 'draining.test'), ['.1']);
  await site.write('draining.yaml', serve('draining', draining));
  assert.deepEqual(await site.answers(4, 'draining.test'), ['.2']);
  assert.deepEqual(await site.findings('name=draining'), []);
});

test('an endpoint that terminates and serves no more gets nothing, not even as the last one', async () => {
  const gone = { address: '127.0.0.2', ready: false, serving: false, terminating: true };
  await site.write('gone.yaml', serve('gone', '127.0.0.1', gone));
  assert.deepEqual(await site.answers(8, 'gone.test'), ['.1']);
  const text = serve('gone', gone).map((manifest) => JSON.stringify(manifest));
  await site.write('gone.yaml', text.join('\n---\n'));
  assert.equal(await site.answer('gone.test'), '503');
  await site.reports({
    code: 'WEIR0105',
    severity: 'warning',
    object: 'Ingress default/gone',
    field: 'spec.rules[0].http.paths[0].backend.service',
    file: 'gone.yaml',
    at: '{"name":"gone","port":{"number":80}}',
  });
});

test('of a Service with both families every endpoint is used once, and pods with two addresses by the first family', async () => {
  const pod = (name: string) => ({ kind: 'Pod', namespace: 'default', name });
  const slice = (addressType: 'IPv4' | 'IPv6', endpoints: Readonly<Record<string, string>>): Manifest => ({
    ...endpointSlice({
      name: `dual-${addressType.toLowerCase()}`,
      service: 'dual',
      addressType,
      ports: port,
      endpoints: [],
    }),
    endpoints: Object.entries(endpoints).map(([name, address]) => ({ addresses: [address], targetRef: pod(name) })),
  });
  const dual = service({ name: 'dual' });
  const base = (ipFamilies: string[]) => [
    { ...dual, spec: { ...dual.spec, ipFamilyPolicy: 'PreferDualStack', ipFamilies } },
    ingress({ name: 'dual', host: 'dual.test', paths: [{ service: 'dual' }] }),
  ];
  // Pod a has both addresses, pod b only the one of its family.
  await site.write('dual.yaml', [
    ...base(['IPv4', 'IPv6']),
    slice('IPv4', { a: '127.0.0.1', b: '127.0.0.2' }),
    slice('IPv6', { a: '::1' }),
  ]);
  assert.deepEqual(await site.answers(8, 'dual.test'), ['.1', '.2']);
  await site.write('dual.yaml', [
    ...base(['IPv6', 'IPv4']),
    slice('IPv4', { a: '127.0.0.1', b: '127.0.0.2' }),
    slice('IPv6', { a: '::1' }),
  ]);
  assert.deepEqual(await site.answers(8, 'dual.test'), ['.2', '::1']);
});

test('endpoints come and go without a reload', async () => {
  const reloads = async () => (await site.weir.admin<{ readonly reloads: number }>('/api/v1/status')).reloads;
  await site.write('moving.yaml', serve('moving', '127.0.0.1'));
  const before = await reloads();
  for (const host of [2, 3, 1]) {
    await site.write('moving.yaml', serve('moving', `127.0.0.${host}`));
    assert.deepEqual(await site.answers(4, 'moving.test'), [`.${host}`]);
  }
  assert.equal(await reloads(), before);
});

test('an endpoint that is weir itself gets nothing: no request goes in circles, and none to the admin server', async () => {
  const { httpPort, httpsPort, adminPort } = site.weir;
  for (const own of [httpPort, httpsPort, adminPort]) {
    for (const address of ['127.0.0.1', '127.0.0.3', '::ffff:127.0.0.1']) {
      await site.write('own.yaml', [
        service({ name: 'own' }),
        endpointSlice({
          name: 'own',
          ports: own,
          endpoints: [address],
          addressType: address.includes(':') ? 'IPv6' : 'IPv4',
        }),
        ingress({ name: 'own', host: 'own.test', paths: [{ service: 'own' }] }),
      ]);
      assert.equal(await site.answer('own.test', '/api/v1/status'), '503', `${address}:${own}`);
      const findings = await site.findings('name=own');
      assert.deepEqual(
        findings.map(({ code, object }) => `${code} ${object.kind}`),
        ['WEIR0128 EndpointSlice', 'WEIR0105 Ingress'],
      );
    }
  }
});
