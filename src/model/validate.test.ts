import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redacted } from '../lib/redacted.ts';
import type { Backend } from './backend.ts';
import { emptyDelta } from './diff.ts';
import type { L4Route } from './l4-route.ts';
import type { Listener } from './listener.ts';
import { emptyModel, type Model } from './model.ts';
import { partKey } from './part.ts';
import type { Route } from './route.ts';
import { validateDelta, validateModel } from './validate.ts';
import { problemText } from './validation/problem.ts';
import type { VirtualHost } from './virtual-host.ts';

const origin = { object: { kind: 'Ingress', namespace: 'shop', name: 'web' }, field: 'spec' };

const listener: Listener = { name: 'http', scope: 'main', protocol: 'http', addresses: [], port: 80, origin };
const backend: Backend = {
  id: 'shop/web:80',
  protocol: 'http',
  balancing: { kind: 'round-robin' },
  endpoints: [{ address: '10.0.0.1', port: 8080, weight: 1, state: 'ready' }],
  origin,
};
const route: Route = {
  id: 'r',
  match: { path: { kind: 'prefix', value: '/' } },
  filters: [],
  action: { kind: 'forward', backends: [{ backend: 'shop/web:80', weight: 1 }] },
  origin,
};
const host: VirtualHost = { scope: 'main', hostname: 'shop.example', routes: [route], origins: [origin] };
const l4: L4Route = { id: 't', listener: 'tcp', serverNames: [], tls: 'none', certificates: [], backends: [], origin };

interface Parts {
  listeners?: readonly Listener[];
  hosts?: readonly VirtualHost[];
  backends?: readonly Backend[];
  l4Routes?: readonly L4Route[];
}

function model(parts: Parts): Model {
  return {
    ...emptyModel(),
    listeners: new Map((parts.listeners ?? [listener]).map((part) => [partKey('listeners', part), part])),
    hosts: new Map((parts.hosts ?? [host]).map((part) => [partKey('hosts', part), part])),
    backends: new Map((parts.backends ?? [backend]).map((part) => [partKey('backends', part), part])),
    l4Routes: new Map((parts.l4Routes ?? []).map((part) => [partKey('l4Routes', part), part])),
  };
}

/** `name table path` of each problem. */
function problems(parts: Parts): string[] {
  return validateModel(model(parts)).map((problem) => `${problem.name} ${problem.table} ${problem.path}`);
}

const withRoute = (changes: Partial<Route>): Parts => ({ hosts: [{ ...host, routes: [{ ...route, ...changes }] }] });

test('a sound model has no problem', () => {
  assert.deepEqual(problems({}), []);
});

test('a backend, a certificate and a listener that are named must be there', () => {
  assert.deepEqual(problems({ backends: [] }), ['unknown-backend hosts routes[0].action.backends[0].backend']);
  assert.deepEqual(problems({ hosts: [{ ...host, tls: { certificates: ['shop/tls'] } }] }), [
    'unknown-certificate hosts tls.certificates[0]',
  ]);
  assert.deepEqual(problems({ l4Routes: [l4] }), ['unknown-listener l4Routes listener']);
  assert.deepEqual(
    problems(
      withRoute({
        filters: [
          { type: 'mirror', backend: 'gone' },
          { type: 'error-pages', statuses: [404], backend: 'gone' },
        ],
      }),
    ),
    ['unknown-backend hosts routes[0].filters[0].backend', 'unknown-backend hosts routes[0].filters[1].backend'],
  );
});

test('a host needs a listener that takes requests for its scope', () => {
  assert.deepEqual(problems({ listeners: [{ ...listener, scope: 'other' }] }), ['scope-without-listener hosts scope']);
  assert.deepEqual(problems({ listeners: [{ ...listener, protocol: 'tcp' }] }), ['scope-without-listener hosts scope']);
});

test('host names have their form', () => {
  for (const hostname of ['Shop.example', 'shop.example.', 'a.*.example', 'shop.example:80', "a'b"]) {
    assert.deepEqual(problems({ hosts: [{ ...host, hostname }] }), ['hostname hosts hostname'], hostname);
  }
});

test('routes and endpoints stand in canonical order, and once', () => {
  const longer: Route = { ...route, id: 'longer', match: { path: { kind: 'prefix', value: '/a' } } };
  assert.deepEqual(problems({ hosts: [{ ...host, routes: [longer, route] }] }), []);
  assert.deepEqual(problems({ hosts: [{ ...host, routes: [route, longer] }] }), ['order hosts routes[1]']);
  assert.deepEqual(problems({ hosts: [{ ...host, routes: [route, route] }] }), ['duplicate hosts routes[1].id']);
  const at = (address: string) => ({ address, port: 80, weight: 1, state: 'ready' as const });
  assert.deepEqual(problems({ backends: [{ ...backend, endpoints: [at('10.0.0.10'), at('10.0.0.9')] }] }), [
    'order backends endpoints[1]',
  ]);
  assert.deepEqual(problems({ backends: [{ ...backend, endpoints: [at('::1'), at('::1')] }] }), [
    'duplicate backends endpoints[1]',
  ]);
});

test('an endpoint is an address and never a socket, a name or a zone', () => {
  for (const address of ['unix:/run/x.sock', 'localhost', '[::1]', 'fe80::1%eth0', '10.0.0.1:80']) {
    const endpoints = [{ address, port: 80, weight: 1, state: 'ready' as const }];
    assert.deepEqual(
      problems({ backends: [{ ...backend, endpoints }] }),
      ['address backends endpoints[0].address'],
      address,
    );
  }
});

test('paths begin with a slash; captures need a regular expression; a prefix is replaced where one matches', () => {
  assert.deepEqual(problems(withRoute({ match: { path: { kind: 'exact', value: 'shop' } } })), [
    'path hosts routes[0].match.path.value',
  ]);
  assert.deepEqual(problems(withRoute({ filters: [{ type: 'rewrite', path: { kind: 'captures', value: '/$1' } }] })), [
    'regex-captures hosts routes[0].filters[0].path',
  ]);
  assert.deepEqual(
    problems(
      withRoute({
        match: { path: { kind: 'exact', value: '/' } },
        filters: [{ type: 'rewrite', path: { kind: 'prefix', value: '/x' } }],
      }),
    ),
    ['path hosts routes[0].filters[0].path'],
  );
});

test('statuses, shares, times, headers and address ranges are what they should be', () => {
  assert.deepEqual(problems(withRoute({ filters: [{ type: 'redirect', status: 304 }] })), [
    'status hosts routes[0].filters[0].status',
  ]);
  assert.deepEqual(problems(withRoute({ retry: { tries: 2, on: [], statuses: [200] } })), [
    'status hosts routes[0].retry.statuses[0]',
  ]);
  assert.deepEqual(problems(withRoute({ created: 'yesterday' })), ['time hosts routes[0].created']);
  assert.deepEqual(problems(withRoute({ filters: [{ type: 'deny-sources', cidrs: ['10.0.0.0/33'] }] })), [
    'address hosts routes[0].filters[0].cidrs[0]',
  ]);
  const change = { set: [{ name: 'X Bad', value: 'a' }], add: [{ name: 'X-Good', value: 'a\r\nSet-Cookie: b' }] };
  assert.deepEqual(problems(withRoute({ filters: [{ type: 'request-headers', change }] })), [
    'header hosts routes[0].filters[0].change.set[0].name',
    'header hosts routes[0].filters[0].change.add[0].value',
  ]);
  const canary = { backend: 'shop/web:80', weight: 101, weightTotal: 100, followsAffinity: true, origin };
  assert.deepEqual(problems(withRoute({ action: { kind: 'forward', backends: [], canaries: [canary] } })), [
    'weight hosts routes[0].action.canaries[0].weight',
  ]);
});

test('a part of the wrong shape is told by its schema, and nothing else about it', () => {
  assert.deepEqual(problems(withRoute({ filters: [{ type: 'redirect' } as never] })), [
    'shape hosts routes[0].filters[0].status',
  ]);
});

test('a part stands under its own key', () => {
  const wrong: Model = { ...model({}), hosts: new Map([['main/other', host]]) };
  assert.deepEqual(
    validateModel(wrong).map((problem) => problem.name),
    ['key'],
  );
});

test('listeners share a port only if the name tells them apart', () => {
  const other = { ...listener, name: 'http-2' };
  assert.deepEqual(problems({ listeners: [listener, other] }), ['port-conflict listeners hostname']);
  assert.deepEqual(problems({ listeners: [listener, { ...other, hostname: '**.example' }] }), []);
  assert.deepEqual(problems({ listeners: [listener, { ...other, protocol: 'https' }] }), [
    'port-conflict listeners port',
  ]);
  assert.deepEqual(problems({ listeners: [listener, { ...other, protocol: 'udp' }] }), []);
  const tls = { ...listener, name: 'tls', port: 443, protocol: 'tls' as const };
  assert.deepEqual(problems({ listeners: [listener, tls, { ...tls, name: 'https', protocol: 'https' }] }), []);
  const bound = { ...listener, addresses: ['10.0.0.1'] };
  assert.deepEqual(problems({ listeners: [bound, { ...other, addresses: ['10.0.0.2'] }] }), []);
});

test('requests and connections reach only backends that speak their protocol', () => {
  const tcp: Listener = { ...listener, name: 'tcp', scope: 'tcp', port: 5432, protocol: 'tcp' };
  const udp: Backend = { ...backend, id: 'u', protocol: 'udp' };
  const to: L4Route = { ...l4, backends: [{ backend: 'u', weight: 1 }] };
  assert.deepEqual(problems({ listeners: [listener, tcp], backends: [backend, udp], l4Routes: [to] }), [
    'wrong-protocol l4Routes backends[0].backend',
  ]);
  assert.deepEqual(problems({ listeners: [listener, tcp], l4Routes: [{ ...l4, tls: 'passthrough' }] }), [
    'wrong-protocol l4Routes tls',
  ]);
  assert.deepEqual(problems({ backends: [{ ...backend, protocol: 'tcp' }] }), [
    'wrong-protocol hosts routes[0].action.backends[0].backend',
  ]);
});

test('a backend that is verified needs authorities and a name', () => {
  const tls = { verify: true, sendServerName: true };
  assert.deepEqual(problems({ backends: [{ ...backend, protocol: 'https', tls }] }), [
    'tls backends tls.verify',
    'tls backends tls.verify',
    'tls backends tls.sendServerName',
  ]);
});

test('a delta is checked part by part', () => {
  const bad = model({ hosts: [{ ...host, hostname: 'A' }] });
  assert.deepEqual(validateDelta(bad, emptyDelta()), []);
  assert.equal(validateDelta(bad, { ...emptyDelta(), hosts: new Set(['main/A', 'main/gone']) }).length, 1);
});

test('the text of a problem names part, field, value and rule, and no secret', () => {
  const users = new Redacted('ada:hash');
  const [problem] = validateModel(
    model(
      withRoute({
        match: { path: { kind: 'exact', value: 'x' } },
        filters: [{ type: 'basic-auth', realm: '', scheme: 'basic', users }],
      }),
    ),
  );
  assert.ok(problem);
  assert.equal(
    problemText(problem),
    'hosts["main/shop.example"].routes[0].match.path.value: "x" (path: a path begins with a slash)',
  );
});
