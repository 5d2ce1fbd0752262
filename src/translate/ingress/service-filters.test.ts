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

test('a finding at a URL tells what becomes of the requests, and advises what can be done about a URL', () => {
  const own = { name: 'admin port', port: 9180, addresses: ['192.0.2.1'] };
  const options = { allowLoopbackEndpoints: false, ownListeners: () => [own] };
  for (const [name, outcome] of [
    ['auth-url', 'the routes answer 503'],
    ['mirror-target', 'no copies are sent'],
  ] as const) {
    const told = (url: string, resolve?: (translator: ReturnType<typeof translate>) => void) => {
      const translator = translate([...WEB, service({ name: 'idle' }), site({ [name]: url })], options);
      resolve?.(translator);
      return translator.findings().map(({ code, message, fix }) => [code, message, fix]);
    };
    const unknown = told('http://login.example/', (translator) => {
      translator.resolved('login.example', { error: 'no such name' });
    });
    assert.deepEqual(unknown, [
      [
        'WEIR0120',
        `Host login.example can not be resolved: no such name; ${outcome}.`,
        'Correct the host in the URL, or see why DNS does not know it.',
      ],
    ]);
    const [[, led, fix] = []] = told('http://login.example/', (translator) => {
      translator.resolved('login.example', { addresses: ['169.254.169.254'] });
    });
    assert.match(led ?? '', new RegExp(`^Host login\\.example can not be asked: "169\\.254.*; ${outcome}\\.$`));
    assert.equal(fix, 'Correct the host or the port in the URL, or what DNS tells about the host.');
    for (const address of ['127.0.0.1', '192.0.2.1']) {
      const [[, message, advice] = []] = told(`http://${address}:9180/`);
      assert.match(message ?? '', new RegExp(`^"${address}" .*; ${outcome}\\.$`));
      assert.doesNotMatch(message ?? '', /it is not used/);
      assert.equal(advice, 'Correct the host or the port in the URL.');
    }
    const [[, empty] = []] = told('http://idle.shop.svc/');
    assert.equal(empty, `Service shop/idle has no EndpointSlice; ${outcome}.`);
  }
});

test('a host that is short for a Service is told about, with the name that weir finds it by', () => {
  const auth = resource('Service', { name: 'auth', namespace: 'app' }, { spec: { ports: [{ port: 4180 }] } });
  const near = resource('Service', { name: 'auth', namespace: 'shop' }, { spec: { ports: [{ port: 4180 }] } });
  for (const [url, known, meant] of [
    ['http://auth:4180/check?u=$host', near, 'http://auth.shop.svc.cluster.local:4180/check?u=$host'],
    ['http://auth.app:4180/', auth, 'http://auth.app.svc.cluster.local:4180/'],
    ['https://auth.app', auth, 'https://auth.app.svc.cluster.local'],
  ] as const) {
    const translator = translate([...WEB, site({ 'auth-url': url })]);
    assert.deepEqual(findingsOf(translator), [], url);
    translator.update(put(known));
    const [only, ...others] = translator.findings();
    assert.deepEqual([only?.code, only?.field, others], ['WEIR0129', AUTH_FIELD, []], url);
    assert.match(only?.message ?? '', /the routes answer 503\.$/);
    assert.equal(only?.fix, `Did you mean ${meant}?`);
    translator.resolved(new URL(url.replace('$', '')).hostname, { error: 'no such name' });
    assert.equal(translator.findings().find(({ code }) => code === 'WEIR0120')?.fix, `Did you mean ${meant}?`, url);
    translator.update(remove(known));
    assert.deepEqual(findingsOf(translator), [`WEIR0120 Ingress/shop/web ${AUTH_FIELD}`], url);
  }
  const elsewhere = translate([
    ...WEB,
    auth,
    site({ 'auth-url': 'http://auth:4180/', 'mirror-target': 'http://a.b.c/' }),
  ]);
  assert.deepEqual(findingsOf(elsewhere), []);
});
