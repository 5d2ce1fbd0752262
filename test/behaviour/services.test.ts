import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, startBackends } from '../support/backends/echo-backend.ts';
import { endpointSlice, ingress, type Manifest, service } from '../support/manifests.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: ServedFolder;
let one: Backend;
let two: Backend;

before(async () => {
  const backends = await startBackends(scope, 2, 'b');
  [one, two] = backends as [Backend, Backend];
  site = await ServedFolder.start(scope);
});

/** One port name → one backend. */
function slices(name: string, ports: Readonly<Record<string, Backend>>): Manifest[] {
  return Object.entries(ports).map(([port, backend], index) =>
    endpointSlice({
      name: `${name}-${index}`,
      service: name,
      ports: [{ name: port, port: backend.port }],
      endpoints: [backend.address],
    }),
  );
}

/** An Ingress in one line of YAML, whose pieces can be found again. */
function flow(name: string, backend: string): string {
  const path = `{path: /, pathType: Prefix, backend: ${backend}}`;
  const other = '{path: /well, pathType: Prefix, backend: {service: {name: well, port: {number: 80}}}}';
  return `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: ${name}}, spec: {rules: [{host: ${name}.test, http: {paths: [\n  ${other},\n  ${path}\n]}}]}}\n`;
}

async function writeWell(): Promise<void> {
  await site.write('well.yaml', [service({ name: 'well' }), ...slices('well', { '': one })]);
}

test('a port is found by its number, whatever port the endpoints have', async () => {
  await site.write('numbered.yaml', [
    service({ name: 'numbered', ports: [{ name: 'web', port: 8000, targetPort: 'http' }] }),
    ...slices('numbered', { web: one }),
    ingress({ name: 'numbered', host: 'numbered.test', paths: [{ service: 'numbered', port: 8000 }] }),
  ]);
  assert.equal(await site.answer('numbered.test'), 'b-0');
});

test('a port is found by its name', async () => {
  await site.write('named.yaml', [
    service({ name: 'named', ports: [{ name: 'web', port: 8000 }] }),
    ...slices('named', { web: two }),
    ingress({ name: 'named', host: 'named.test', paths: [{ service: 'named', port: 'web' }] }),
  ]);
  assert.equal(await site.answer('named.test'), 'b-1');
});

test('of a Service with several ports each path gets the one that it names', async () => {
  await site.write('several.yaml', [
    service({
      name: 'several',
      ports: [
        { name: 'web', port: 80 },
        { name: 'admin', port: 8080 },
        { name: 'dns', port: 8080, protocol: 'UDP' },
      ],
    }),
    ...slices('several', { web: one, admin: two }),
    ingress({
      name: 'several',
      host: 'several.test',
      paths: [
        { path: '/web', service: 'several', port: 80 },
        { path: '/admin', service: 'several', port: 8080 },
        { path: '/named', service: 'several', port: 'admin' },
      ],
    }),
  ]);
  assert.deepEqual(await site.answers(3, 'several.test', '/web'), ['b-0']);
  assert.deepEqual(await site.answers(3, 'several.test', '/admin'), ['b-1']);
  assert.deepEqual(await site.answers(3, 'several.test', '/named'), ['b-1']);
});

test('requests go to the endpoints of a Service, past its cluster address', async () => {
  const clustered = service({ name: 'clustered' });
  await site.write('clustered.yaml', [
    { ...clustered, spec: { ...clustered.spec, type: 'ClusterIP', clusterIP: '192.0.2.1' } },
    ...slices('clustered', { '': one }),
    ingress({ name: 'clustered', host: 'clustered.test', paths: [{ service: 'clustered' }] }),
  ]);
  assert.equal(await site.answer('clustered.test'), 'b-0');
});

test('a headless Service is served like any other', async () => {
  await site.write('headless.yaml', [
    service({ name: 'headless', headless: true }),
    endpointSlice({ name: 'headless', ports: two.port, endpoints: [two.address] }),
    ingress({ name: 'headless', host: 'headless.test', paths: [{ service: 'headless' }] }),
  ]);
  assert.equal(await site.answer('headless.test'), 'b-1');
});

test('a missing Service answers 503 on its route alone, is reported, and heals when it comes', async () => {
  await writeWell();
  await site.write('missing.yaml', flow('missing', '{service: {name: nobody, port: {number: 80}}}'));
  assert.equal(await site.answer('missing.test', '/well'), 'b-0');
  assert.equal(await site.answer('missing.test', '/'), '503');
  await site.reports({
    code: 'WEIR0103',
    severity: 'error',
    object: 'Ingress default/missing',
    field: 'spec.rules[0].http.paths[1].backend.service.name',
    file: 'missing.yaml',
    at: 'nobody',
  });
  await site.write('nobody.yaml', [service({ name: 'nobody' }), ...slices('nobody', { '': two })]);
  assert.equal(await site.answer('missing.test', '/'), 'b-1');
  assert.deepEqual(await site.findings('name=missing'), []);
});

test('a missing port answers 503 on its route alone, and is reported with the ports that there are', async () => {
  await writeWell();
  await site.write('portless.yaml', flow('portless', '{service: {name: well, port: {number: 8081}}}'));
  assert.equal(await site.answer('portless.test', '/well'), 'b-0');
  assert.equal(await site.answer('portless.test', '/'), '503');
  await site.reports({
    code: 'WEIR0104',
    severity: 'error',
    object: 'Ingress default/portless',
    field: 'spec.rules[0].http.paths[1].backend.service.port.number',
    file: 'portless.yaml',
    at: '8081',
  });
  assert.equal(
    (await site.findings('name=portless'))[0]?.fix,
    'Use a port that the Service has (80), or add the port to the Service.',
  );
});

test('a resource backend answers 503 on its route alone, and is reported', async () => {
  await writeWell();
  await site.write(
    'resource.yaml',
    flow('resource', '{resource: {apiGroup: k8s.example, kind: StorageBucket, name: pictures}}'),
  );
  assert.equal(await site.answer('resource.test', '/well'), 'b-0');
  assert.equal(await site.answer('resource.test', '/'), '503');
  await site.reports({
    code: 'WEIR0108',
    severity: 'error',
    object: 'Ingress default/resource',
    field: 'spec.rules[0].http.paths[1].backend.resource',
    file: 'resource.yaml',
    at: '{apiGroup',
    message: /StorageBucket pictures/,
  });
});
