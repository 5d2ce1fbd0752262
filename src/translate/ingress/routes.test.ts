import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingress, service, slice } from '../../../test/support/resources.ts';
import { defaultSettings, type IngressSettings } from './settings.ts';
import { IngressTranslator } from './ingress-translator.ts';
import { hostOf, OPTIONS } from './translated.fixture.ts';
import { put } from '../../../test/support/resources.ts';
import type { Route } from '../../model/route.ts';
import type { TranslatorOptions } from '../translator.ts';

const TLS = [{ hosts: ['a.example'] }];

/** The route of `/` (or another path) of an Ingress whose annotations say this. */
function routeWith(
  settings: Partial<IngressSettings>,
  {
    tls,
    path = '/',
    type = 'Prefix',
    options = {},
  }: { tls?: unknown; path?: string; type?: string; options?: Partial<TranslatorOptions> } = {},
): Route {
  const parser = () => ({ settings: { ...defaultSettings(), ...settings }, findings: [] });
  const translator = new IngressTranslator({ ...OPTIONS, ...options }, parser);
  const web = ingress({ hosts: { 'a.example': [{ path, type }] }, ...(tls === undefined ? {} : { tls }) });
  translator.update(put(service(), slice(), web));
  return hostOf(translator, 'a.example').routes.find(({ match }) => match.path.value === path)!;
}

test('plain settings leave everything to the drivers’ defaults', () => {
  assert.deepEqual(routeWith({}), {
    id: 'shop/web Prefix /',
    match: { path: { kind: 'prefix', value: '/' } },
    filters: [],
    action: { kind: 'forward', backends: [{ backend: 'shop/web:80', weight: 1 }] },
    origin: { object: { kind: 'Ingress', namespace: 'shop', name: 'web' }, field: 'spec.rules[0].http.paths[0]' },
  });
});

test('HTTP is redirected to HTTPS with 308 where the host has TLS, always, or never', () => {
  const redirect = { type: 'https-redirect', status: 308 };
  assert.deepEqual(routeWith({ httpsRedirect: 'tls' }, { tls: TLS }).filters, [redirect]);
  assert.deepEqual(routeWith({ httpsRedirect: 'tls' }).filters, []);
  assert.deepEqual(routeWith({ httpsRedirect: 'always' }).filters, [redirect]);
  assert.deepEqual(routeWith({ httpsRedirect: 'never' }, { tls: TLS }).filters, []);
});

test('the redirect names the HTTPS port where it isn’t the usual one', () => {
  const { filters } = routeWith({ httpsRedirect: 'always' }, { options: { httpsPort: 8443 } });
  assert.deepEqual(filters, [{ type: 'https-redirect', status: 308, port: 8443 }]);
});

test('filters stand in order: redirects elsewhere, to HTTPS, what else the annotations say, the rewrite', () => {
  const { filters } = routeWith({
    httpsRedirect: 'always',
    filters: [
      { type: 'response-headers', change: { remove: ['Server'] } },
      { type: 'redirect', status: 302, onlyPath: '/', path: { kind: 'full', value: '/app' } },
    ],
    rewriteTarget: '/b',
    upstreamHost: 'inner.example',
    forwardedPrefix: '/shop',
  });
  assert.deepEqual(
    filters.map(({ type }) => type),
    ['redirect', 'https-redirect', 'response-headers', 'rewrite'],
  );
  assert.deepEqual(filters[3], {
    type: 'rewrite',
    path: { kind: 'captures', value: '/b' },
    hostname: 'inner.example',
    forwardedPrefix: '/shop',
  });
});

test('an Ingress that is closed answers 503 on every route, whatever else it says, and says why', () => {
  const { action, filters } = routeWith({
    closed: 'nginx.ingress.kubernetes.io/auth-url',
    filters: [{ type: 'redirect', status: 302, url: 'https://b.example/' }],
    rewriteTarget: '/b',
  });
  assert.ok(action.kind === 'respond' && action.status === 503);
  assert.match(action.reason, /nginx\.ingress\.kubernetes\.io\/auth-url/);
  assert.deepEqual(filters, []);
});

test('what the settings say of time, bodies, retries and logs stands on the route', () => {
  const said = {
    timeouts: { connect: 5 },
    buffering: { request: false },
    retry: { tries: 3, on: ['timeout' as const] },
    bodyLimit: 0,
    connectionHeader: 'close',
    accessLog: false,
  };
  const route = routeWith(said);
  for (const [key, value] of Object.entries(said)) assert.deepEqual(route[key as keyof Route], value);
});

test('a session cookie without path has the route’s, and / where the path is a regular expression', () => {
  const affinity = { kind: 'cookie', name: 'c', mode: 'balanced', changeOnFailure: false } as const;
  assert.equal(routeWith({ affinity }, { path: '/app' }).affinity!.path, '/app');
  assert.equal(routeWith({ affinity: { ...affinity, path: '/x' } }, { path: '/app' }).affinity!.path, '/x');
  assert.equal(routeWith({ affinity, useRegex: true }, { path: '/app' }).affinity!.path, '/');
});

test('both listeners serve the Ingresses’ scope and are told whom to trust', () => {
  const translator = new IngressTranslator({
    ...OPTIONS,
    httpPort: 8080,
    httpsPort: 8443,
    trustedProxies: ['10.0.0.0/8'],
  });
  assert.deepEqual([...translator.update([]).listeners].sort(), ['http', 'https']);
  const listeners = [...translator.model.listeners.values()];
  assert.deepEqual(
    listeners.map(({ name, protocol, port, scope, trustedProxies }) => ({
      name,
      protocol,
      port,
      scope,
      trustedProxies,
    })),
    [
      { name: 'http', protocol: 'http', port: 8080, scope: 'default', trustedProxies: ['10.0.0.0/8'] },
      { name: 'https', protocol: 'https', port: 8443, scope: 'default', trustedProxies: ['10.0.0.0/8'] },
    ],
  );
});
