import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import type { Filter } from '../model/filter.ts';
import type { VirtualHost } from '../model/virtual-host.ts';
import { BackendView, backendView, HostView, hostView } from './views.ts';

const origin = { object: { kind: 'Ingress', namespace: 'app', name: 'web' }, field: 'spec' };
const secret = { kind: 'Secret', namespace: 'app', name: 'authorities' };
const PEM = '-----BEGIN CERTIFICATE-----';

test('a host is shown with what it asks of client certificates, its routes with their services, and no PEM', () => {
  const filters: Filter[] = [
    { type: 'external-auth', auth: { backend: 'auth', path: '/', protocol: 'http' } },
    { type: 'mirror', backend: 'copies' },
  ];
  const route = { match: { path: { kind: 'prefix' as const, value: '/' } }, origin };
  const action = { kind: 'respond' as const, status: 200, reason: 'OK' };
  const host: VirtualHost = {
    scope: 'main',
    hostname: 'a.test',
    tls: {
      certificates: [],
      clientCertificate: { mode: 'optional', authorities: PEM, authoritiesFrom: secret, depth: 1, revocations: PEM },
    },
    routes: [
      { ...route, id: 'served', filters, action },
      { ...route, id: 'plain', filters: [], action },
    ],
    origins: [origin],
  };
  const view = hostView(host);
  assert.ok(Check(HostView, view));
  assert.deepEqual(view.clientCertificates, {
    mode: 'optional',
    authorities: secret,
    depth: 1,
    revocations: true,
    passToBackend: false,
  });
  assert.deepEqual(
    view.routes.map(({ auth, mirrors }) => [auth, mirrors]),
    [
      ['auth', ['copies']],
      [undefined, []],
    ],
  );
  assert.doesNotMatch(JSON.stringify(view), /BEGIN/);
});

test('a backend is shown with how it is verified and what it is shown, and no PEM', () => {
  const view = backendView({
    id: 'web',
    protocol: 'https',
    tls: {
      verify: true,
      authorities: PEM,
      authoritiesFrom: secret,
      serverName: 'in.test',
      sendServerName: true,
      clientCertificate: 'app/weir',
    },
    balancing: { kind: 'round-robin' },
    endpoints: [],
    origin,
  });
  assert.ok(Check(BackendView, view));
  assert.deepEqual(view.tls, {
    verify: true,
    authorities: secret,
    serverName: 'in.test',
    sendServerName: true,
    clientCertificate: 'app/weir',
  });
  assert.doesNotMatch(JSON.stringify(view), /BEGIN/);
});
