import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, startBackend } from '../support/backends/echo-backend.ts';
import { ANNOTATION_PREFIX, Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let backend: Backend;

before(async () => {
  [site, backend] = await Promise.all([Site.open(scope), startBackend(scope)]);
});

const field = (key: string) => `metadata.annotations["${ANNOTATION_PREFIX}${key}"]`;

test('an unknown annotation is reported at its place, and its route is served', async () => {
  const host = 'unknown.test';
  await site.apply('unknown.yaml', [
    ...(await site.manifestsOf({ host, backends: [backend], annotations: { 'make-coffee': 'true' } })),
  ]);
  assert.equal((await site.http(host)).status, 200);
  const [finding, ...others] = await site.findings('unknown');
  assert.equal(others.length, 0);
  assert.deepEqual([finding?.code, finding?.severity, finding?.field], ['WEIR0200', 'warning', field('make-coffee')]);
  assert.deepEqual(finding?.object, { kind: 'Ingress', namespace: 'default', name: 'unknown' });
  assert.match(finding?.file ?? '', /unknown\.yaml$/);
  assert.ok((finding?.line ?? 0) > 1);
});

test('a misspelled annotation is reported with the name that was meant', async () => {
  const host = 'misspelled.test';
  await site.expose({ host, backends: [backend], annotations: { 'proxy-body-sise': '8m' } });
  assert.equal((await site.http(host)).status, 200);
  const [finding] = await site.findings('misspelled');
  assert.equal(finding?.code, 'WEIR0200');
  assert.match(`${finding?.message} ${finding?.fix}`, /proxy-body-size/);
});

test('a known annotation that isn’t supported yet is reported, and its route is served without it', async () => {
  const host = 'unsupported.test';
  await site.expose({ host, backends: [backend], annotations: { 'enable-cors': 'true' } });
  assert.equal((await site.http(host)).status, 200);
  assert.deepEqual(
    (await site.findings('unsupported')).map(({ code, severity, field: at }) => [code, severity, at]),
    [['WEIR0203', 'warning', field('enable-cors')]],
  );
});

/** One of each family that restricts access. */
const RESTRICTIONS: Readonly<Record<string, string>> = {
  'auth-snippet': 'deny all;',
  'auth-secret': 'users',
  'whitelist-source-range': '10.0.0.0/8',
  'allowlist-source-range': '10.0.0.0/8',
  'denylist-source-range': '10.0.0.0/8',
  satisfy: 'any',
  'limit-rps': '5',
  'limit-connections': '2',
  'enable-modsecurity': 'true',
  'configuration-snippet': 'deny all;',
  'server-snippet': 'deny all;',
};

test('an annotation that restricts access closes every route of its Ingress with 503, and no other Ingress’ of the host', async () => {
  await site.apply(
    'restricted.yaml',
    (
      await Promise.all(
        Object.entries(RESTRICTIONS).flatMap(([key, value]) => [
          site.manifestsOf({
            host: `${key}.test`,
            name: `r-${key}`,
            backends: [backend],
            paths: ['/closed', '/closed-too'],
            annotations: { [key]: value },
          }),
          site.manifestsOf({ host: `${key}.test`, name: `open-${key}`, backends: [backend], paths: ['/open'] }),
        ]),
      )
    ).flat(),
  );
  for (const key of Object.keys(RESTRICTIONS)) {
    const before = backend.requests();
    for (const path of ['/closed', '/closed-too']) {
      assert.equal((await site.http(`${key}.test`, path)).status, 503, key);
      assert.equal((await site.https(`${key}.test`, path)).status, 503, key);
    }
    assert.equal(backend.requests(), before, key);
    assert.equal((await site.http(`${key}.test`, '/open')).status, 200, key);
    const findings = await site.findings(`r-${key}`);
    assert.ok(
      findings.some(
        ({ code, severity, field: at }) => code === 'WEIR0202' && severity === 'error' && at === field(key),
      ),
      `${key}: ${JSON.stringify(findings)}`,
    );
  }
});

test('a misspelled restriction closes its routes too, and taking it away opens them', async () => {
  const host = 'typo.test';
  await site.expose({ host, backends: [backend], annotations: { 'whitelist-source-rnage': '10.0.0.0/8' } });
  assert.equal((await site.http(host)).status, 503);
  const [finding] = await site.findings('typo');
  assert.equal(finding?.code, 'WEIR0201');
  assert.match(`${finding?.message} ${finding?.fix}`, /whitelist-source-range/);
  await site.expose({ host, backends: [backend] });
  assert.equal((await site.http(host)).status, 200);
  assert.deepEqual(await site.findings('typo'), []);
});

test('hostile values reach neither nginx nor its configuration: the rest is served and nothing is reloaded', async () => {
  const host = 'hostile.test';
  const { reloads } = await site.status();
  await site.expose({
    host,
    backends: [backend],
    annotations: {
      'proxy-body-size': '1m; } http { server { listen 9; }',
      'upstream-vhost': 'a"; return 200 "owned',
      'permanent-redirect': 'https://x.test/\r\nSet-Cookie: a=b',
      'session-cookie-name': 'a; Domain=evil.test',
      affinity: 'cookie',
      'upstream-hash-by': '$ssl_client_raw_cert',
      'connection-proxy-header': 'close\nX-Evil: 1',
    },
  });
  const reply = await site.http(host);
  assert.equal(reply.status, 200);
  assert.match(String(reply.headers['set-cookie']), /^INGRESSCOOKIE=/);
  assert.equal((await site.findings('hostile')).filter(({ code }) => code === 'WEIR0204').length, 6);
  assert.equal((await site.status()).reloads, reloads);
});
