import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingress, put, remove, resource, service, slice } from '../../../test/support/resources.ts';
import { endpointsOf, findingsOf, hostOf, routesOf, translate } from './translated.fixture.ts';

const WEB = [service(), slice()];
const AUTH_FIELD = 'metadata.annotations["nginx.ingress.kubernetes.io/auth-url"]';
const MIRROR_FIELD = 'metadata.annotations["nginx.ingress.kubernetes.io/mirror-target"]';

function site(annotations: Readonly<Record<string, string>>) {
  return ingress({
    hosts: { 'a.example': ['/'] },
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [`nginx.ingress.kubernetes.io/${name}`, value]),
    ),
  });
}

const filtersOf = (translator: ReturnType<typeof translate>) => hostOf(translator, 'a.example').routes[0]?.filters;

test('a Service that a URL names is a backend with its endpoints, also one of another namespace', () => {
  const translator = translate([
    ...WEB,
    resource('Service', { name: 'auth', namespace: 'sso' }, { spec: { ports: [{ name: 'http', port: 4180 }] } }),
    site({ 'auth-url': 'http://auth.sso.svc.cluster.local:4180/check', 'mirror-target': 'http://web.shop.svc:80' }),
  ]);
  assert.deepEqual(filtersOf(translator), [
    {
      type: 'external-auth',
      auth: { backend: 'sso/auth:http', path: '/check', host: 'auth.sso.svc.cluster.local', protocol: 'http' },
    },
    { type: 'mirror', host: 'web.shop.svc', backend: 'shop/web:80' },
  ]);
  // Nobody serves it yet, which the data plane finds out.
  assert.deepEqual(findingsOf(translator), [`WEIR0105 Ingress/shop/web ${AUTH_FIELD}`]);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / → shop/web:80']);
});

test('a Service that is not there closes the routes of an auth URL, and makes no copies', () => {
  const translator = translate([
    ...WEB,
    site({ 'auth-url': 'http://auth.sso.svc/check', 'mirror-target': 'http://copy.shop.svc' }),
  ]);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / ✗ 503']);
  assert.deepEqual(findingsOf(translator), [`WEIR0103 Ingress/shop/web ${AUTH_FIELD}`]);
  translator.update(
    put(resource('Service', { name: 'auth', namespace: 'sso' }, { spec: { ports: [{ name: 'http', port: 81 }] } })),
  );
  assert.deepEqual(findingsOf(translator), [`WEIR0104 Ingress/shop/web ${AUTH_FIELD}`]);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / ✗ 503']);
  translator.update(
    put(resource('Service', { name: 'auth', namespace: 'sso' }, { spec: { ports: [{ name: 'http', port: 80 }] } })),
  );
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / → shop/web:80']);
  assert.deepEqual(findingsOf(translator).toSorted(), [
    `WEIR0103 Ingress/shop/web ${MIRROR_FIELD}`,
    `WEIR0105 Ingress/shop/web ${AUTH_FIELD}`,
  ]);
  translator.update(remove(resource('Service', { name: 'auth', namespace: 'sso' }, {})));
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / ✗ 503']);
});

test('another host is asked of DNS, and its addresses are judged as any endpoint’s', () => {
  const translator = translate([...WEB, site({ 'auth-url': 'https://login.example/check' })], {
    allowLoopbackEndpoints: false,
  });
  const [id = ''] = [...translator.model.backends.keys()].filter((known) => known.startsWith('login.example:443'));
  assert.deepEqual(translator.model.backends.get(id)?.tls, {
    verify: false,
    serverName: 'login.example',
    sendServerName: true,
  });
  assert.deepEqual([...translator.neededNames()], ['login.example']);
  translator.resolved('login.example', { addresses: ['192.0.2.9', '192.0.2.8'] });
  assert.deepEqual(endpointsOf(translator, id), ['192.0.2.8:443', '192.0.2.9:443']);
  assert.deepEqual(findingsOf(translator), []);
  for (const address of ['127.0.0.1', '169.254.169.254', '::1', '0.0.0.0']) {
    translator.resolved('login.example', { addresses: [address] });
    assert.deepEqual(endpointsOf(translator, id), []);
    assert.deepEqual(findingsOf(translator), [`WEIR0109 Ingress/shop/web ${AUTH_FIELD}`], address);
  }
  translator.resolved('login.example', { error: 'no such name' });
  assert.deepEqual(findingsOf(translator), [`WEIR0120 Ingress/shop/web ${AUTH_FIELD}`]);
});

test('an address of the metadata service, of loopback in a cluster or of weir itself is never asked', () => {
  const own = { name: 'admin port', port: 9180, addresses: ['192.0.2.1'] };
  for (const [url, code] of [
    ['http://169.254.169.254/latest/meta-data', 'WEIR0109'],
    ['http://127.0.0.1:9180/metrics', 'WEIR0109'],
    ['http://[::1]:9180/', 'WEIR0109'],
    ['http://192.0.2.1:9180/', 'WEIR0128'],
  ] as const) {
    const translator = translate([...WEB, site({ 'auth-url': url })], {
      allowLoopbackEndpoints: false,
      ownListeners: () => [own],
    });
    const [backend] = [...translator.model.backends.keys()].filter((id) => !id.startsWith('shop/'));
    assert.deepEqual(endpointsOf(translator, backend ?? ''), []);
    assert.deepEqual(findingsOf(translator), [`${code} Ingress/shop/web ${AUTH_FIELD}`], url);
  }
});
