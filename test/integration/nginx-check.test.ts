import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkModel } from '../../src/drivers/nginx/check-model.ts';
import { renderNginx } from '../../src/drivers/nginx/render-nginx.ts';
import { Redacted } from '../../src/lib/redacted.ts';
import type { Model } from '../../src/model/model.ts';
import type { Route } from '../../src/model/route.ts';
import {
  sampleBackend,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleOrigin,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { buildDataplane } from '../../tools/build-dataplane.ts';

function patternRoute(name: string, value: string): Route {
  return sampleRoute('/', 'b', {
    match: { path: { kind: 'regex', value, ignoreCase: false } },
    origin: sampleOrigin(name),
  });
}

function modelOf(routes: readonly Route[]): Model {
  // A port that nobody may bind without a right, and an address of no machine: neither is the objects' fault.
  const listeners = [sampleListener('http', 80, { addresses: ['192.0.2.1'] }), sampleListener('https', 443)];
  return sampleModel({ listeners, hosts: [sampleHost('a.example', routes)], backends: [sampleBackend('b')] });
}

test('a model is checked by nginx and its own regular-expression engine', async () => {
  const findings = await checkModel(
    modelOf([patternRoute('good', '/(?<name>a)++b'), patternRoute('bad', '/x/(?<name'), sampleRoute('/', 'b')]),
    { dataplane: buildDataplane },
  );
  assert.deepEqual(
    findings.map(({ code, object }) => `${code} ${object.name}`),
    ['WEIR0405 bad'],
  );
});

test('what nginx -t refuses is found among the rest', async () => {
  const findings = await checkModel(
    modelOf([sampleRoute('/a', 'b', { bodyLimit: 2000, origin: sampleOrigin('faulty') }), sampleRoute('/', 'b')]),
    {
      dataplane: buildDataplane,
      faultProfile: (profile) => (profile.bodyLimit === 2000 ? { ...profile, bodyLimit: -1 } : profile),
    },
  );
  assert.deepEqual(
    findings.map(({ code, object }) => `${code} ${object.name}`),
    ['WEIR0407 faulty'],
  );
});

test('without nginx a check says so and still finds parentheses that do not balance', async () => {
  const findings = await checkModel(modelOf([patternRoute('bad', '/x/('), patternRoute('good', '/a++')]), {
    dataplane: buildDataplane,
    nginx: '/nonexistent/nginx',
  });
  assert.deepEqual(
    findings.map(({ code, severity, object }) => `${code} ${severity} ${object.name}`),
    ['WEIR0414 info nginx', 'WEIR0405 error bad'],
  );
});

test('rendering for people shows configuration and records, and no private key', () => {
  const certificate = {
    id: 'shop/tls',
    chain: 'CHAIN',
    privateKey: new Redacted('PRIVATE'),
    keyType: 'ec' as const,
    names: ['a.example'],
    notBefore: '2026-01-01T00:00:00Z',
    notAfter: '2027-01-01T00:00:00Z',
    fingerprint: '00',
    origin: sampleOrigin('tls'),
  };
  const model = { ...modelOf([sampleRoute('/', 'b')]), certificates: new Map([[certificate.id, certificate]]) };
  const rendered = renderNginx(model);
  assert.deepEqual(Object.keys(rendered.records), ['b:b', 'c:shop/tls', 'h:default/a.example']);
  assert.deepEqual(rendered.records['c:shop/tls'], { chain: 'CHAIN', key: '[redacted]', type: 'ec' });
  assert.match(rendered.configuration, /listen "192\.0\.2\.1:80"/u);
  assert.doesNotMatch(JSON.stringify(rendered), /PRIVATE/u);
  assert.deepEqual(renderNginx(model), rendered);
});
