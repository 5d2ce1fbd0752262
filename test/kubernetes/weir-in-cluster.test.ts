import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { request } from '../support/clients/http-client.ts';
import { handshake } from '../support/clients/tls-client.ts';
import { tlsSecret } from '../support/resources.ts';
import { eventually } from '../support/scope.ts';
import { startWeir, type Weir } from '../support/weir.ts';
import { machineAddress, ServedCluster, site } from './served-cluster.ts';

interface StatusView {
  readonly source: { readonly name: string; readonly healthy: boolean; readonly problems: readonly string[] };
  readonly ready: boolean;
}

async function backendOf(t: TestContext, name: string) {
  const address = machineAddress();
  if (address === undefined) {
    t.skip('this machine has no address but loopback, which is no endpoint in a cluster');
    return undefined;
  }
  return startBackend(t, { name, address });
}

const get = (weir: Weir, host: string) => request({ port: weir.httpPort, host });
const startOn = (t: TestContext, cluster: ServedCluster, options: Partial<Parameters<typeof startWeir>[1]> = {}) =>
  startWeir(t, { manifests: [], ...options, args: ['--kubeconfig', cluster.kubeconfig, ...(options.args ?? [])] });

test('weir run --kubeconfig serves what is in the cluster, and follows it', async (t) => {
  const cluster = await ServedCluster.start(t);
  const backend = await backendOf(t, 'one');
  if (backend === undefined) return;
  cluster.put(...site('one', backend));
  const weir = await startOn(t, cluster);
  assert.equal((await get(weir, 'one.example')).headers['x-backend'], 'one');
  assert.equal((await get(weir, 'two.example')).status, 404);
  cluster.put(...site('two', backend));
  await weir.settled();
  assert.equal((await get(weir, 'two.example')).headers['x-backend'], 'one');
  cluster.delete(site('one', backend)[0]!);
  await weir.settled();
  assert.equal((await get(weir, 'one.example')).status, 404);
  const { source } = await weir.admin<StatusView>('/api/v1/status');
  assert.deepEqual([source.name, source.healthy], ['kubernetes', true]);
  const metrics = await request({ port: weir.adminPort, path: '/metrics' });
  assert.match(metrics.body, /^weir_source_objects\{resource="ingresses"\} 1$/m);
  assert.match(metrics.body, /^weir_source_lists_total\{resource="services"\} [12]$/m);
  assert.equal(await weir.stop(), 0);
});

test('an endpoint on loopback is none in a cluster, and an Ingress without class waits for the flag', async (t) => {
  const cluster = await ServedCluster.start(t);
  const [ingress, ...others] = site('one', { address: '127.0.0.1', port: 1 });
  const { spec, ...rest } = ingress!.body as { spec: Record<string, unknown> };
  const { ingressClassName: _, ...without } = spec;
  cluster.put({ ref: ingress!.ref, body: { ...rest, spec: without } }, ...others);
  const weir = await startOn(t, cluster);
  assert.equal((await get(weir, 'one.example')).status, 404);
  await weir.stop();
  const again = await startOn(t, cluster, { args: ['--watch-ingress-without-class'] });
  assert.equal((await get(again, 'one.example')).status, 503);
  const diagnostics = await again.admin('/api/v1/diagnostics');
  assert.match(JSON.stringify(diagnostics), /is a loopback address/);
});

test('an API server that is killed takes no traffic and no readiness with it, and what changed meanwhile is served when it is back', async (t) => {
  const cluster = await ServedCluster.start(t);
  const backend = await backendOf(t, 'one');
  if (backend === undefined) return;
  cluster.put(...site('one', backend));
  const weir = await startOn(t, cluster);
  await cluster.server.stop();
  await eventually('the source to be told unhealthy', async () => {
    const { source } = await weir.admin<StatusView>('/api/v1/status');
    return !source.healthy && source.problems.length > 0;
  });
  cluster.put(...site('two', backend));
  cluster.delete(site('one', backend)[0]!);
  assert.equal((await get(weir, 'one.example')).headers['x-backend'], 'one');
  assert.equal((await request({ port: weir.adminPort, path: '/readyz' })).status, 200);
  await cluster.server.listen();
  await eventually('what changed meanwhile to be served', async () => (await get(weir, 'two.example')).status === 200, {
    withinMs: 40_000,
  });
  await weir.settled();
  assert.equal((await get(weir, 'one.example')).status, 404);
  await eventually(
    'the source to be well',
    async () => (await weir.admin<StatusView>('/api/v1/status')).source.healthy,
  );
});

test('an API server that comes later than weir is waited for; until then weir isn’t ready, and says why', async (t) => {
  const cluster = await ServedCluster.start(t);
  cluster.put(...site('one', { address: '192.0.2.1', port: 80 }));
  await cluster.server.stop();
  const weir = await startOn(t, cluster, { wait: false });
  await eventually('the admin server to say what is waited for', async () => {
    const { source, ready } = await weir.admin<StatusView>('/api/v1/status');
    assert.equal(ready, false);
    return source.problems.length > 0 && JSON.stringify(source.problems).includes('ECONNREFUSED');
  });
  assert.equal((await request({ port: weir.adminPort, path: '/readyz' })).status, 503);
  await cluster.server.listen();
  await eventually(
    'weir to be ready',
    async () => (await request({ port: weir.adminPort, path: '/readyz' })).status === 200,
    {
      withinMs: 40_000,
    },
  );
  assert.equal(await weir.stop(), 0);
});

test('weir that waits for its API server ends when it is told to', async (t) => {
  const cluster = await ServedCluster.start(t);
  await cluster.server.stop();
  const weir = await startOn(t, cluster, { wait: false });
  await eventually(
    'the admin server to answer',
    async () => (await request({ port: weir.adminPort, path: '/healthz' })).status === 200,
  );
  assert.equal(await weir.stop(), 0);
});

for (const list of ['allowed', 'forbidden'] as const) {
  test(`where listing Secrets is ${list}, hosts have the certificates that they name, from their first request on`, async (t) => {
    const cluster = await ServedCluster.start(t);
    const authority = await makeAuthority();
    const pair = async (name: string) => {
      const issued = await authority.issue([`${name}.example`]);
      return tlsSecret({ name: `${name}-tls`, ...issued });
    };
    cluster.server.fault = ({ plural, verb, query }) =>
      list === 'forbidden' &&
      plural === 'secrets' &&
      verb !== 'get' &&
      !(query.get('fieldSelector') ?? '').startsWith('metadata.name=')
        ? { kind: 'status', status: { code: 403, reason: 'Forbidden', message: 'secrets is forbidden' } }
        : undefined;
    const nowhere = { address: '192.0.2.1', port: 80 };
    cluster.put(await pair('one'), await pair('two'), ...site('one', nowhere, 'one-tls'));
    const weir = await startOn(t, cluster);
    const names = async (name: string) => {
      const { certificate } = await handshake(weir.httpsPort, { servername: `${name}.example` });
      return certificate.subjectAltName;
    };
    assert.equal(await names('one'), 'DNS:one.example');
    cluster.put(...site('two', nowhere, 'two-tls'));
    await weir.settled();
    assert.equal(await names('two'), 'DNS:two.example');
    cluster.put(...site('three', nowhere, 'three-tls'));
    await weir.settled();
    cluster.put(await pair('three'));
    await weir.settled();
    assert.equal(await names('three'), 'DNS:three.example');
    const findings = await weir.admin('/api/v1/diagnostics');
    assert.doesNotMatch(JSON.stringify(findings), /WEIR00/);
  });
}
