import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Named } from '../../../test/support/resources.ts';
import { ingress, put, remove, service, slice } from '../../../test/support/resources.ts';
import { findingsOf, hostOf, translate } from './translated.fixture.ts';

const HOST = 'a.example';
const WEB = [service(), slice(), service({ name: 'next' }), slice({ of: 'next' })];
const main = ingress({ hosts: { [HOST]: ['/', '/api'] } });
const PREFIX = 'nginx.ingress.kubernetes.io/';

function canary(
  sketch: Named & { path?: string; type?: string; host?: string; to?: string } = {},
  more: Record<string, string> = {},
) {
  const { path = '/', type = 'Prefix', host = HOST, to = 'next:80', ...named } = sketch;
  const annotations = { canary: 'true', 'canary-weight': '20', ...more };
  return ingress({
    name: 'canary',
    ...named,
    annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [PREFIX + key, value])),
    hosts: { [host]: [{ path, type, to }] },
  });
}

function canariesOf(translator: ReturnType<typeof translate>, path = '/') {
  const action = hostOf(translator, HOST).routes.find(({ match }) => match.path.value === path)!.action;
  return action.kind === 'forward' ? (action.canaries ?? []) : [];
}

test('a canary Ingress becomes a canary of the route with its host and path, and no route', () => {
  const translator = translate([...WEB, main, canary()]);
  assert.equal(hostOf(translator, HOST).routes.length, 2);
  assert.deepEqual(canariesOf(translator), [
    {
      backend: 'shop/next:80',
      weight: 20,
      weightTotal: 100,
      followsAffinity: true,
      origin: { object: { kind: 'Ingress', namespace: 'shop', name: 'canary' }, field: 'spec.rules[0].http.paths[0]' },
    },
  ]);
  assert.deepEqual(canariesOf(translator, '/api'), []);
  assert.deepEqual(findingsOf(translator), []);
});

test('a canary comes and goes as a change of its host alone', () => {
  const translator = translate([...WEB, main]);
  const delta = translator.update(put(canary()));
  assert.deepEqual([[...delta.hosts], [...delta.backends]], [['default/a.example'], ['shop/next:80']]);
  translator.update(remove(canary()));
  assert.deepEqual(canariesOf(translator), []);
  assert.equal(translator.model.backends.has('shop/next:80'), false);
});

test('a canary without main route is reported and not served', () => {
  for (const sketch of [{ path: '/other' }, { type: 'Exact' }, { host: 'b.example' }]) {
    const translator = translate([...WEB, main, canary(sketch)]);
    assert.deepEqual(canariesOf(translator), []);
    assert.equal(translator.model.hosts.size, 1);
    assert.deepEqual(findingsOf(translator), ['WEIR0112 Ingress/shop/canary spec.rules[0].http.paths[0].path']);
  }
});

test('a route has one canary, the oldest', () => {
  const translator = translate([
    ...WEB,
    main,
    canary({ name: 'a', created: '2026-02-01T00:00:00Z', to: 'web:80' }),
    canary({ name: 'b', created: '2026-01-01T00:00:00Z' }),
  ]);
  assert.deepEqual(
    canariesOf(translator).map(({ backend }) => backend),
    ['shop/next:80'],
  );
  assert.deepEqual(findingsOf(translator), ['WEIR0113 Ingress/shop/a spec.rules[0].http.paths[0].path']);
});

test('a canary of another namespace takes no requests', () => {
  const translator = translate([
    ...WEB,
    main,
    service({ name: 'next', namespace: 'evil' }),
    canary({ namespace: 'evil' }),
  ]);
  assert.deepEqual(canariesOf(translator), []);
  assert.deepEqual(findingsOf(translator), ['WEIR0114 Ingress/evil/canary spec.rules[0].http.paths[0].path']);
});

test('a canary speaks the protocol of the main route', () => {
  const grpc = ingress({ annotations: { [`${PREFIX}backend-protocol`]: 'GRPC' }, hosts: { [HOST]: ['/'] } });
  const translator = translate([...WEB, grpc, canary()]);
  assert.deepEqual(
    canariesOf(translator).map(({ backend }) => backend),
    ['shop/next:80~grpc'],
  );
});

test('a canary whose Service is missing, or that is closed, leaves all requests to the main route', () => {
  const missing = translate([...WEB, main, canary({ to: 'gone:80' })]);
  assert.deepEqual(canariesOf(missing), []);
  assert.deepEqual(findingsOf(missing), [
    'WEIR0103 Ingress/shop/canary spec.rules[0].http.paths[0].backend.service.name',
  ]);
  const closed = translate([...WEB, main, canary({}, { 'limit-rps': '5' })]);
  assert.deepEqual(canariesOf(closed), []);
});

test('a canary finds its route also where paths are regular expressions', () => {
  const regex = ingress({
    annotations: { [`${PREFIX}use-regex`]: 'true' },
    hosts: { [HOST]: [{ path: '/v[12]', type: 'ImplementationSpecific' }] },
  });
  const translator = translate([...WEB, regex, canary({ path: '/v[12]', type: 'ImplementationSpecific' })]);
  assert.equal(canariesOf(translator, '/v[12]').length, 1);
});

test('a canary’s default backend goes with the main one’s', () => {
  const rest = ingress({ defaultTo: 'web:80' });
  const next = ingress({ name: 'canary', annotations: { [`${PREFIX}canary`]: 'true' }, defaultTo: 'next:80' });
  const translator = translate([...WEB, rest, next]);
  const [route] = hostOf(translator, '*').routes;
  assert.ok(route!.action.kind === 'forward' && route!.action.canaries?.[0]?.backend === 'shop/next:80');
  assert.deepEqual(findingsOf(translate([...WEB, next])), ['WEIR0112 Ingress/shop/canary spec.defaultBackend']);
});

test('a canary’s TLS section and use-regex mean nothing for the host', () => {
  const noisy = ingress({
    name: 'canary',
    annotations: { [`${PREFIX}canary`]: 'true', [`${PREFIX}use-regex`]: 'true' },
    hosts: { [HOST]: [{ path: '/', to: 'next:80' }] },
    tls: [{ hosts: [HOST] }],
  });
  const host = hostOf(translate([...WEB, main, noisy]), HOST);
  assert.equal(host.tls, undefined);
  assert.deepEqual(
    host.routes.map(({ match }) => match.path.kind),
    ['prefix', 'prefix'],
  );
});
