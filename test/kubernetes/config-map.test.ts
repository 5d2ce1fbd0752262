import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request } from '../support/clients/http-client.ts';
import { resource } from '../support/resources.ts';
import { eventually, freePort } from '../support/scope.ts';
import { startWeir } from '../support/weir.ts';
import { ServedCluster, site } from './served-cluster.ts';

const settings = (data: Readonly<Record<string, string>>) =>
  resource('ConfigMap', { name: 'weir-settings', namespace: 'weir' }, { data });

test('settings come from the ConfigMap at the start, and are followed', async (t) => {
  const cluster = await ServedCluster.start(t);
  const httpPort = await freePort();
  const [ingress, ...others] = site('one', { address: '192.0.2.1', port: 80 });
  cluster.put(ingress!, ...others.filter(({ ref }) => ref.kind !== 'EndpointSlice'));
  cluster.put(settings({ 'ingress-class': 'other, weir', 'https-port': 'many' }));
  const weir = await startWeir(t, {
    manifests: [],
    args: ['--kubeconfig', cluster.kubeconfig, '--configmap', 'weir/weir-settings', '--ingress-class', 'weir'],
  });
  const told = async () => JSON.stringify(await weir.admin('/api/v1/diagnostics'));
  await eventually('the bad key to be told', async () => (await told()).includes('WEIR0024'));
  assert.equal((await request({ port: weir.httpPort, host: 'one.example' })).status, 503);
  cluster.put(settings({ 'log-level': 'debug', workers: '3', 'http-port': String(httpPort) }));
  await eventually('what changed to be told', async () => (await told()).includes('WEIR0025'));
  const text = await told();
  assert.match(text, /workers is 3 in the ConfigMap/);
  assert.doesNotMatch(text, /WEIR0024|http-port is/);
  await eventually('the log level to change', async () => weir.output().includes('sets log-level to debug'));
});
