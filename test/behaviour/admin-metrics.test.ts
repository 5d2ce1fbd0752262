import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { METRIC_DEFINITIONS } from '../../src/admin/metric-definitions.ts';
import { type Backend, startBackend } from '../support/backends/echo-backend.ts';
import { refusedPort } from '../support/backends/faulty-backend.ts';
import { request } from '../support/clients/http-client.ts';
import { ingress } from '../support/manifests.ts';
import { eventually } from '../support/scope.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let backend: Backend;

before(async () => {
  [site, backend] = await Promise.all([Site.open(scope), startBackend(scope, { name: 'shop' })]);
});

async function text(): Promise<string> {
  const { status, headers, body } = await request({ port: site.weir.adminPort, path: '/metrics' });
  assert.equal(status, 200);
  assert.match(headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
  return body;
}

/** Value of each series by its name with labels. */
async function metrics(): Promise<ReadonlyMap<string, number>> {
  const lines = (await text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, series = '', value] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      assert.notEqual(series, '', line);
      return [series, Number(value)];
    }),
  );
}

/** How much each series that moved has moved. */
async function moved(change: () => Promise<void>): Promise<Readonly<Record<string, number>>> {
  const earlier = await metrics();
  await change();
  const later = await metrics();
  return Object.fromEntries(
    [...later]
      .map(([series, value]) => [series, value - (earlier.get(series) ?? 0)] as const)
      .filter(([, by]) => by !== 0),
  );
}

test('/metrics has every documented metric, with its type and help, and no other', async () => {
  const body = await text();
  const described = [...body.matchAll(/^# HELP (\S+) (.+)\n# TYPE \1 (\S+)$/gm)].map(([, name, help, type]) => [
    name,
    help,
    type,
  ]);
  const documented = Object.entries(METRIC_DEFINITIONS).map(([name, { help, type }]) => [name, help, type]);
  assert.deepEqual(described.sort(), documented.sort());
  for (const [name, { type }] of Object.entries(METRIC_DEFINITIONS)) {
    assert.match(name, /^weir_[a-z_]+$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
  }
});

test('/metrics moves with a change that is data: applies, times, generations and parts, and no reload', async () => {
  const by = await moved(() => site.expose({ host: 'data.example', backends: [backend], tls: true }));
  const applies = by['weir_applies_total{driver="nginx",result="success"}'] ?? 0;
  assert.ok(applies >= 1);
  assert.equal(by['weir_apply_duration_seconds_count{driver="nginx"}'], applies);
  assert.ok((by['weir_apply_duration_seconds_sum{driver="nginx"}'] ?? 0) > 0);
  assert.ok((by['weir_change_to_traffic_seconds_count{driver="nginx"}'] ?? 0) >= 1);
  assert.ok((by['weir_change_to_traffic_seconds_sum{driver="nginx"}'] ?? 0) > 0);
  assert.ok((by['weir_generation'] ?? 0) >= 1);
  assert.equal(by['weir_applied_generation{driver="nginx"}'], by['weir_generation']);
  assert.equal(by['weir_model_parts{table="hosts"}'], 1);
  assert.equal(by['weir_model_parts{table="backends"}'], 1);
  assert.equal(by['weir_model_parts{table="certificates"}'], 1);
  const expiry = by['weir_certificate_expiry_timestamp_seconds{certificate="default/data-tls"}'] ?? 0;
  assert.ok(expiry > Date.now() / 1000);
  assert.deepEqual(
    Object.keys(by).filter((series) => series.startsWith('weir_nginx_reloads_total')),
    [],
  );
});

test('/metrics counts a reload by its reason', async () => {
  const by = await moved(() =>
    site.expose({ host: 'big.example', backends: [backend], annotations: { 'proxy-body-size': '7m' } }),
  );
  assert.equal(by['weir_nginx_reloads_total{reason="profile"}'], 1);
  assert.equal((await metrics()).get('weir_nginx_reloads_total{reason="start"}'), 1);
});

test('/metrics counts findings by severity, and they go when they are mended', async () => {
  const wrong = [ingress({ name: 'wrong', host: 'wrong.example', paths: [{ service: 'gone' }] })];
  const there = await moved(() => site.apply('wrong.yaml', wrong));
  assert.equal(there['weir_findings{severity="error"}'], 1);
  const gone = await moved(() => site.apply('wrong.yaml', '# nothing\n'));
  assert.equal(gone['weir_findings{severity="error"}'], -1);
});

test('/metrics tells the state of weir: ready, healthy, its version', async () => {
  const all = await metrics();
  const { version } = await site.status();
  for (const series of [
    'weir_ready',
    'weir_driver_healthy{driver="nginx"}',
    'weir_source_healthy{source="files"}',
    `weir_build_info{version="${version}"}`,
  ])
    assert.equal(all.get(series), 1, series);
  assert.equal(all.get('weir_quarantined_objects'), 0);
  assert.equal(all.get('weir_saved_state_failing'), 0);
});

test('metrics count requests that an auth service did not decide, and copies that a mirror did not get', async () => {
  const refused = `http://127.0.0.1:${await refusedPort()}`;
  await site.expose({ host: 'undecided.test', backends: [backend], annotations: { 'auth-url': `${refused}/auth` } });
  await site.expose({ host: 'copied.test', backends: [backend], annotations: { 'mirror-target': `${refused}/copy` } });
  const names = ['weir_nginx_auth_undecided_total', 'weir_nginx_mirror_lost_total'] as const;
  const counts = async () => {
    const all = await metrics();
    return names.map((name) => all.get(name));
  };
  assert.deepEqual(await counts(), [0, 0]);
  for (let request = 0; request < 3; request += 1) assert.equal((await site.http('undecided.test')).status, 503);
  assert.deepEqual(await counts(), [3, 0]);
  for (let request = 0; request < 2; request += 1) assert.equal((await site.http('copied.test')).status, 200);
  await eventually('lost copies to be counted', async () => (await counts())[1] === 2);
  assert.deepEqual(await counts(), [3, 2]);
});
