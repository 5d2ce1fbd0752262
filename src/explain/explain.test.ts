import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import { Redacted } from '../lib/redacted.ts';
import type { Backend } from '../model/backend.ts';
import type { Filter } from '../model/filter.ts';
import type { L4Route } from '../model/l4-route.ts';
import type { Listener } from '../model/listener.ts';
import type { Match } from '../model/match.ts';
import { emptyModel, type Model } from '../model/model.ts';
import { sortRoutes } from '../model/order.ts';
import { partKey } from '../model/part.ts';
import type { Action, Canary, Route } from '../model/route.ts';
import { validateModel } from '../model/validate.ts';
import type { HostTls, VirtualHost } from '../model/virtual-host.ts';
import { explain } from './explain.ts';
import { Explanation } from './explanation.ts';
import { explanationText } from './explanation-text.ts';
import type { RegexEngine } from './regex-engine.ts';
import type { ExplainRequest } from './request-target.ts';

const origin = (name: string) => ({ object: { kind: 'Ingress', namespace: 'shop', name }, field: 'spec.rules[0]' });

const http: Listener = {
  name: 'http',
  scope: 'main',
  protocol: 'http',
  addresses: [],
  port: 80,
  origin: origin('http'),
};
const https: Listener = { ...http, name: 'https', protocol: 'https', port: 443 };

function backend(id: string, addresses: readonly string[]): Backend {
  const endpoints = addresses.map((address) => ({ address, port: 8080, weight: 1, state: 'ready' as const }));
  return { id, protocol: 'http', balancing: { kind: 'round-robin' }, endpoints, origin: origin(id) };
}

interface RouteSketch {
  filters?: readonly Filter[];
  action?: Action;
  extra?: Partial<Route>;
}

const toWeb: Action = { kind: 'forward', backends: [{ backend: 'web', weight: 1 }] };

function route(id: string, match: Match, { filters = [], action = toWeb, extra = {} }: RouteSketch = {}): Route {
  return { id, match, filters: [...filters], action, origin: origin(id), ...extra };
}

const prefix = (value: string): Match => ({ path: { kind: 'prefix', value } });
const regex = (value: string): Match => ({ path: { kind: 'regex', value, ignoreCase: true } });

function host(hostname: string, routes: readonly Route[], tls?: HostTls): VirtualHost {
  return {
    scope: 'main',
    hostname,
    routes: sortRoutes(routes),
    origins: [origin(hostname)],
    ...(tls === undefined ? {} : { tls }),
  };
}

interface Parts {
  listeners?: readonly Listener[];
  l4Routes?: readonly L4Route[];
  backends?: readonly Backend[];
}

function model(
  hosts: readonly VirtualHost[],
  { listeners = [http, https], l4Routes = [], backends = [] }: Parts = {},
): Model {
  const all = [
    backend('web', ['10.0.0.1', '10.0.0.2']),
    backend('next', ['10.0.0.9']),
    backend('empty', []),
    ...backends,
  ];
  const made: Model = {
    ...emptyModel(),
    listeners: new Map(listeners.map((part) => [partKey('listeners', part), part])),
    hosts: new Map(hosts.map((part) => [partKey('hosts', part), part])),
    backends: new Map(all.map((part) => [partKey('backends', part), part])),
    l4Routes: new Map(l4Routes.map((part) => [partKey('l4Routes', part), part])),
  };
  assert.deepEqual(validateModel(made), []);
  return made;
}

async function ask(
  hosts: readonly VirtualHost[],
  request: string | ExplainRequest,
  parts: Parts = {},
  engine?: RegexEngine,
): Promise<Explanation> {
  const explanation = await explain(
    model(hosts, parts),
    typeof request === 'string' ? { url: request } : request,
    engine,
  );
  assert.ok(Check(Explanation, explanation), 'is what its schema says');
  return explanation;
}

/** `won` or why it lost, by route id. */
function verdicts(explanation: Explanation): Record<string, string> {
  return Object.fromEntries(explanation.routes.map(({ id, reason }) => [id, reason]));
}

test('every route is told with what decided', async () => {
  const old = { extra: { created: '2020-01-01T00:00:00Z' } };
  const shop = host('shop.example', [
    route('cart', prefix('/cart'), old),
    route('post', { ...prefix('/'), method: 'POST' }, old),
    route('beta', { ...prefix('/'), headers: [{ name: 'X-Beta', match: { kind: 'present' } }] }, old),
    route('v2', { ...prefix('/'), query: [{ name: 'api', match: { kind: 'exact', value: 'v2' } }] }, old),
    route('all', prefix('/'), old),
    route('late', prefix('/'), { extra: { created: '2030-01-01T00:00:00Z' } }),
  ]);
  const explanation = await ask([shop], 'http://shop.example/page?api=v1');
  assert.deepEqual(verdicts(explanation), {
    cart: 'path',
    post: 'method',
    beta: 'header',
    v2: 'query',
    all: 'won',
    late: 'beaten',
  });
  const why = (id: string) => explanation.routes.find((r) => r.id === id)?.why;
  assert.equal(why('cart'), 'its path is /cart and below');
  assert.equal(why('post'), 'asks for method POST, this is GET');
  assert.equal(why('beta'), 'asks for header X-Beta (any value), which is missing');
  assert.equal(why('v2'), 'asks for query parameter api=v2, which is "v1"');
  assert.match(why('late') ?? '', /^matches too, but all \(every path\) is asked first$/);
});

test('conditions that hold win, whatever the case of a header name', async () => {
  const beta = route('beta', {
    ...prefix('/'),
    headers: [{ name: 'X-Beta', match: { kind: 'regex', value: '^y' } }],
    method: 'PUT',
  });
  const shop = host('shop.example', [beta, route('all', prefix('/'))]);
  const explanation = await ask([shop], { url: 'http://shop.example/', method: 'put', headers: [['x-bEtA', 'yes']] });
  assert.deepEqual(verdicts(explanation), { beta: 'won', all: 'beaten' });
});

test('the most specific host takes the name, the others are told', async () => {
  const hosts = ['a.b.example', '*.b.example', '**.example', '*'].map((name) => host(name, [route(name, prefix('/'))]));
  const explanation = await ask(hosts.slice(1), 'http://a.b.example/');
  assert.deepEqual(
    explanation.hosts.map(({ hostname, known, chosen }) => `${hostname} ${known} ${chosen}`),
    [
      'a.b.example false false',
      '*.b.example true true',
      '**.b.example false false',
      '**.example true false',
      '* true false',
    ],
  );
  assert.equal(explanation.hosts[3]?.why, '*.b.example is more specific');
  assert.equal((await ask(hosts, 'http://A.B.example.:80/')).routes[0]?.id, 'a.b.example');
});

test('no host and no route are 404, a path above the root is 400', async () => {
  const shop = host('shop.example', [route('cart', prefix('/cart'))]);
  const status = async (url: string) => {
    const { outcome } = await ask([shop], url);
    return outcome.kind === 'respond' ? outcome.status : outcome.kind;
  };
  assert.equal(await status('http://other.example/'), 404);
  assert.equal(await status('http://shop.example/'), 404);
  assert.equal(await status('http://shop.example/a/%2e%2e/..'), 400);
  assert.equal(await status('http://shop.example/x/../cart'), 'forward');
});

test('the path is matched decoded and sent as it was written', async () => {
  const { request, outcome } = await ask(
    [host('shop.example', [route('cart', prefix('/cart'))])],
    'http://shop.example//c%61rt/%2Fx?y=%20',
  );
  assert.equal(request.path, '/cart/x');
  assert.ok(outcome.kind === 'forward');
  assert.equal(outcome.path, '//c%61rt/%2Fx?y=%20');
});

test('a redirect is told with its whole Location', async () => {
  const location = async (filter: Filter, match: Match, url: string) => {
    const { outcome } = await ask([host('shop.example', [route('r', match, { filters: [filter] })])], url);
    return outcome.kind === 'redirect' ? `${outcome.status} ${outcome.location}` : outcome.kind;
  };
  assert.equal(
    await location({ type: 'https-redirect', status: 308 }, prefix('/'), 'http://shop.example/a%20b?c=d'),
    '308 https://shop.example/a%20b?c=d',
  );
  assert.equal(
    await location({ type: 'https-redirect', status: 308, port: 8443 }, prefix('/'), 'http://shop.example/'),
    '308 https://shop.example:8443/',
  );
  assert.equal(
    await location({ type: 'https-redirect', status: 308 }, prefix('/'), 'https://shop.example/'),
    'forward',
  );
  assert.equal(
    await location(
      { type: 'redirect', status: 301, path: { kind: 'prefix', value: '/guide' } },
      prefix('/docs'),
      'http://shop.example/docs/a?b',
    ),
    '301 http://shop.example/guide/a?b',
  );
  assert.equal(
    await location(
      { type: 'redirect', status: 302, url: 'https://other.example/$1' },
      regex('/x/(.*)'),
      'http://shop.example/x/y?z',
    ),
    '302 https://other.example/y',
  );
  assert.equal(
    await location(
      { type: 'redirect', status: 302, url: 'https://other.example/$1', keepQuery: true },
      regex('/x/(.*)'),
      'http://shop.example/x/y?z',
    ),
    '302 https://other.example/y?z',
  );
  assert.equal(
    await location(
      { type: 'redirect', status: 302, onlyPath: '/', path: { kind: 'full', value: '/app' } },
      prefix('/'),
      'http://shop.example/?q',
    ),
    '302 http://shop.example/app',
  );
  assert.equal(
    await location(
      { type: 'redirect', status: 302, onlyPath: '/', path: { kind: 'full', value: '/app' } },
      prefix('/'),
      'http://shop.example/x',
    ),
    'forward',
  );
  assert.equal(
    await location({ type: 'redirect', status: 302, port: 8443, scheme: 'https' }, prefix('/'), 'http://shop.example/'),
    '302 https://shop.example:8443/',
  );
  assert.equal(
    await location(
      { type: 'redirect', status: 302, relative: true, path: { kind: 'full', value: '/y' } },
      prefix('/'),
      'http://shop.example/',
    ),
    '302 /y',
  );
});

test('a rewritten path and host are told as the backend sees them', async () => {
  const filters: Filter[] = [
    { type: 'rewrite', path: { kind: 'captures', value: '/$2?from=${1}' }, hostname: 'inner.example' },
  ];
  const { outcome } = await ask(
    [host('shop.example', [route('r', regex('/(api)(?:/|$)(.*)'), { filters })])],
    'http://shop.example/API/x%20y?q=1',
  );
  assert.ok(outcome.kind === 'forward');
  assert.deepEqual([outcome.host, outcome.path], ['inner.example', '/x%20y?from=API&q=1']);
});

test('patterns are asked of the engine that is given, and only without one is the answer approximate', async () => {
  const shop = host('shop.example', [route('r', regex('/a(?<rest>.*)'))]);
  const without = await ask([shop], 'http://shop.example/abc');
  assert.ok(without.approximate && without.routes[0]?.won);
  assert.match(without.notes.join(), /JavaScript/);
  const asked: string[] = [];
  const engine: RegexEngine = async ({ pattern, subject, ignoreCase, anchored }) => {
    asked.push(`${pattern} ${subject} ${ignoreCase} ${anchored}`);
    return { matched: false };
  };
  const withEngine = await ask([shop], 'http://shop.example/abc', {}, engine);
  assert.deepEqual(asked, ['/a(?<rest>.*) /abc true true']);
  assert.ok(!withEngine.approximate && !withEngine.routes[0]?.won);
  assert.ok(!(await ask([host('shop.example', [route('r', prefix('/'))])], 'http://shop.example/')).approximate);
});

test('a pattern that is none loses, says so, and closes what it begins with to less exact routes', async () => {
  const explanation = await ask(
    [host('shop.example', [route('bad', regex('/a(')), route('all', prefix('/'))])],
    'http://shop.example/a',
  );
  assert.deepEqual(verdicts(explanation), { bad: 'path', all: 'beaten' });
  assert.match(explanation.routes[0]?.why ?? '', /can't be used/);
  assert.ok(explanation.outcome.kind === 'respond' && explanation.outcome.status === 503);
  const routes = [route('bad', regex('/a(')), route('own', prefix('/a/b')), route('all', prefix('/'))];
  const winner = async (path: string) =>
    (await ask([host('shop.example', routes)], `http://shop.example${path}`)).routes.find(({ won }) => won)?.id;
  assert.deepEqual([await winner('/a/b'), await winner('/b'), await winner('/a')], ['own', 'all', undefined]);
});

const canary = (changes: Partial<Canary>): Canary => ({
  backend: 'next',
  weight: 0,
  weightTotal: 100,
  followsAffinity: false,
  origin: origin('canary'),
  ...changes,
});

/** Chance of each backend. */
async function chances(action: Action, headers: [string, string][] = []): Promise<Record<string, number>> {
  const { outcome } = await ask([host('shop.example', [route('r', prefix('/'), { action })])], {
    url: 'http://shop.example/',
    headers,
  });
  assert.ok(outcome.kind === 'forward');
  return Object.fromEntries(outcome.backends.map(({ backend, chance }) => [backend, chance]));
}

test('a canary is decided by header, then cookie, then weight', async () => {
  const action: Action = {
    ...toWeb,
    kind: 'forward',
    backends: [{ backend: 'web', weight: 1 }],
    canaries: [canary({ header: 'X-Canary', cookie: 'canary', weight: 20 })],
  };
  assert.deepEqual(await chances(action), { web: 80, next: 20 });
  assert.deepEqual(await chances(action, [['X-Canary', 'always']]), { web: 0, next: 100 });
  assert.deepEqual(
    await chances(action, [
      ['X-Canary', 'never'],
      ['Cookie', 'canary=always'],
    ]),
    { web: 100, next: 0 },
  );
  assert.deepEqual(
    await chances(action, [
      ['X-Canary', 'maybe'],
      ['Cookie', 'a=b; canary=always'],
    ]),
    { web: 0, next: 100 },
  );
});

test('a canary by the value of a header leaves it to the next rule where the value is another', async () => {
  const action: Action = {
    kind: 'forward',
    backends: [{ backend: 'web', weight: 1 }],
    canaries: [canary({ header: 'X-Team', headerMatch: { kind: 'exact', value: 'pay' } })],
  };
  assert.deepEqual(await chances(action, [['X-Team', 'pay']]), { web: 0, next: 100 });
  assert.deepEqual(await chances(action, [['X-Team', 'always']]), { web: 100, next: 0 });
});

test('the rules of a canary are told with what each says', async () => {
  const action: Action = {
    kind: 'forward',
    backends: [{ backend: 'web', weight: 1 }],
    canaries: [canary({ header: 'X-Canary', weight: 5, weightTotal: 200 })],
  };
  const { outcome } = await ask([host('shop.example', [route('r', prefix('/'), { action })])], 'http://shop.example/');
  assert.ok(outcome.kind === 'forward');
  assert.deepEqual(outcome.canaries[0]?.rules, [
    { rule: 'header X-Canary: always or never', says: 'missing: the next rule decides' },
    { rule: 'weight 5 of 200', says: '2.5 %' },
  ]);
  assert.equal(outcome.canaries[0]?.verdict, 'by chance');
});

test('a canary without endpoints takes nothing; a fallback takes all while nobody else has one', async () => {
  assert.deepEqual(
    await chances({
      kind: 'forward',
      backends: [{ backend: 'web', weight: 1 }],
      canaries: [canary({ backend: 'empty', weight: 100 })],
    }),
    { web: 100, empty: 0 },
  );
  assert.deepEqual(await chances({ kind: 'forward', backends: [{ backend: 'empty', weight: 1 }], fallback: 'next' }), {
    empty: 0,
    next: 100,
  });
  assert.deepEqual(
    await chances({
      kind: 'forward',
      backends: [
        { backend: 'web', weight: 3 },
        { backend: 'next', weight: 1 },
      ],
    }),
    { web: 75, next: 25 },
  );
});

test('a backend without endpoints says what its requests get', async () => {
  const action: Action = { kind: 'forward', backends: [{ backend: 'empty', weight: 1 }] };
  const { outcome } = await ask([host('shop.example', [route('r', prefix('/'), { action })])], 'http://shop.example/');
  assert.ok(outcome.kind === 'forward');
  assert.match(outcome.backends[0]?.problem ?? '', /no endpoint: such a request gets 503/);
});

test('a listener is found by scheme and port; a URL without a port finds the only one, with a note', async () => {
  const shop = host('shop.example', [route('r', prefix('/'))]);
  const listeners = [{ ...http, port: 8080 }];
  const found = await ask([shop], 'http://shop.example/', { listeners });
  assert.equal(found.listener?.port, 8080);
  assert.match(found.notes[0] ?? '', /No http listener is on port 80; this is explained for port 8080/);
  const refused = await ask([shop], 'http://shop.example:81/', { listeners });
  assert.deepEqual(refused.outcome, {
    kind: 'refused',
    reason: 'No http listener is on port 81; http is served on 8080.',
  });
  assert.equal(
    (await ask([shop], { url: 'http://shop.example:81/', listener: 'http' }, { listeners })).outcome.kind,
    'forward',
  );
  const unknown = await ask([shop], { url: 'http://shop.example/', listener: 'x' }, { listeners });
  assert.deepEqual(unknown.outcome, { kind: 'refused', reason: 'No listener is called "x"; there are http.' });
});

test('of listeners that share a port the one with the most specific name takes the request, alone', async () => {
  const listeners: Listener[] = [http, { ...http, name: 'foo', scope: 'foo', hostname: '**.foo.example' }];
  const any = host('*', [route('any', prefix('/'))]);
  const foo = { ...host('a.foo.example', [route('foo', prefix('/foo'))]), scope: 'foo' };
  assert.equal((await ask([any, foo], 'http://a.foo.example/foo', { listeners })).listener?.name, 'foo');
  const alone = await ask([any, foo], 'http://a.foo.example/', { listeners });
  assert.ok(alone.outcome.kind === 'respond' && alone.outcome.status === 404);
  assert.equal((await ask([any, foo], 'http://b.example/', { listeners })).routes[0]?.id, 'any');
});

test('a request for a host with another TLS policy than the connection is 421', async () => {
  const policy = { mode: 'require' as const, authorities: 'PEM', depth: 1 };
  const secret = host('secret.example', [route('s', prefix('/'))], { certificates: [], clientCertificate: policy });
  const open = host('open.example', [route('o', prefix('/'))]);
  const crossed = await ask([secret, open], { url: 'https://open.example/', headers: [['Host', 'secret.example']] });
  assert.ok(crossed.outcome.kind === 'respond' && crossed.outcome.status === 421);
  assert.equal((await ask([secret, open], 'https://secret.example/')).outcome.kind, 'forward');
  const cross = async (clientCertificate: NonNullable<HostTls['clientCertificate']>) => {
    const next = host('next.example', [route('n', prefix('/'))], { certificates: [], clientCertificate });
    const request = { url: 'https://secret.example/', headers: [['Host', 'next.example']] as const };
    const { outcome } = await ask([secret, next], request);
    return outcome.kind === 'respond' ? outcome.status : outcome.kind;
  };
  const from = { kind: 'Secret', namespace: 'shop', name: 'same' };
  assert.equal(await cross({ ...policy, mode: 'optional', authoritiesFrom: from }), 'forward', 'verified alike');
  assert.equal(await cross({ ...policy, depth: 2 }), 421);
  assert.equal(await cross({ ...policy, revocations: 'PEM' }), 421);
  const other = host('other.example', [route('x', prefix('/'))]);
  assert.equal(
    (await ask([other, open], { url: 'https://open.example/', headers: [['Host', 'other.example']] })).outcome.kind,
    'forward',
  );
});

test('a name that is passed through is never opened, unless an https host is more specific', async () => {
  const tls: Listener = { ...https, name: 'tls', scope: 'tls', protocol: 'tls' };
  const db = backend('db', ['10.0.0.5']);
  const l4: L4Route = {
    id: 'p',
    listener: 'tls',
    serverNames: ['**.example'],
    tls: 'passthrough',
    certificates: [],
    backends: [{ backend: 'db', weight: 1 }],
    origin: origin('p'),
  };
  const parts = { listeners: [http, https, tls], l4Routes: [l4], backends: [{ ...db, protocol: 'tls' as const }] };
  const shop = host('shop.example', [route('r', prefix('/'))]);
  const passed = await ask([shop], 'https://db.example/', parts);
  assert.ok(passed.outcome.kind === 'passthrough' && passed.outcome.backends[0]?.backend === 'db');
  assert.equal((await ask([shop], 'https://shop.example/', parts)).outcome.kind, 'forward');
  assert.equal((await ask([shop], 'http://shop.example/', parts)).outcome.kind, 'forward');
});

test('filters are told in order, without their secrets', async () => {
  const filters: Filter[] = [
    { type: 'allow-sources', cidrs: ['10.0.0.0/8'] },
    { type: 'basic-auth', realm: 'Ops', scheme: 'basic', users: new Redacted('ada:hash') },
  ];
  const explanation = await ask([host('shop.example', [route('r', prefix('/'), { filters })])], 'http://shop.example/');
  assert.deepEqual(explanation.filters, [
    'Only clients in 10.0.0.0/8 are let in; others get 403.',
    'A name and password is asked for (basic, realm "Ops").',
  ]);
  assert.doesNotMatch(JSON.stringify(explanation), /hash/);
});

test('of filters that do nothing to this request it is told why', async () => {
  const filters: Filter[] = [
    { type: 'https-redirect', status: 308 },
    { type: 'redirect', status: 302, onlyPath: '/', url: 'https://else.example/' },
    { type: 'allow-sources', cidrs: ['10.0.0.0/8'] },
  ];
  const told = async (url: string) =>
    (await ask([host('shop.example', [route('r', prefix('/'), { filters })])], url)).filters.map(
      (sentence) => /Not this request: .*/.exec(sentence)?.[0],
    );
  assert.deepEqual(await told('https://shop.example/cart'), [
    'Not this request: it is HTTPS.',
    'Not this request: its path is another.',
    undefined,
  ]);
  const before = 'Not this request: it is redirected before.';
  assert.deepEqual(await told('http://shop.example/cart'), [undefined, before, before]);
  assert.deepEqual(await told('https://shop.example/'), ['Not this request: it is HTTPS.', undefined, before]);
});

test('where no endpoint is left the text says first that such a request gets 503', async () => {
  const shown = async (backends: { backend: string; weight: number }[]) => {
    const action: Action = { kind: 'forward', backends };
    const shop = host('shop.example', [route('r', prefix('/'), { action })]);
    return explanationText(await ask([shop], 'http://shop.example/')).split('\n')[1];
  };
  assert.equal(
    await shown([{ backend: 'empty', weight: 1 }]),
    '  gets 503: empty has no endpoint; it would be forwarded to empty as shop.example/',
  );
  assert.equal(
    await shown([
      { backend: 'web', weight: 1 },
      { backend: 'empty', weight: 1 },
    ]),
    '  gets 503 where empty has no endpoint, and otherwise is forwarded to web or empty as shop.example/',
  );
});

test('a URL that is none is refused with how to write it', async () => {
  for (const url of ['', 'ftp://a/', 'http://', 'http://a:99999/', 'http://a b:c/']) {
    await assert.rejects(explain(emptyModel(), { url }), { code: 'url-unreadable' }, url);
  }
});

test('the text says first what happens, then why', async () => {
  const action: Action = {
    kind: 'forward',
    backends: [{ backend: 'web', weight: 1 }],
    canaries: [canary({ weight: 10 })],
  };
  const shop = host('shop.example', [
    route('cart', prefix('/cart')),
    route('all', prefix('/'), { action, extra: { timeouts: { read: 5 }, bodyLimit: 0 } }),
  ]);
  const text = explanationText(await ask([shop], 'shop.example/page'));
  assert.equal(
    text,
    [
      'GET http://shop.example/page',
      '  is forwarded to web or next as shop.example/page',
      '  by listener http (http, port 80)',
      '',
      'Host:',
      '  * shop.example: is the very name',
      '',
      'Routes, in the order in which they are asked:',
      '  * every path',
      '      wins: is the first of which every condition holds',
      '      from Ingress/shop/all spec.rules[0]',
      '    1 route is for other paths',
      '',
      'Canaries:',
      '  next by chance (Ingress/shop/canary spec.rules[0])',
      '      weight 10 of 100: 10 %',
      '',
      'Backends:',
      '  web: 90 % (http, round-robin)',
      '      10.0.0.1:8080',
      '      10.0.0.2:8080',
      '  next: 10 % (http, round-robin)',
      '      10.0.0.9:8080',
      '',
      'Settings:',
      '  Time-out between two reads from the backend: 5 s.',
      '  Request bodies may be of any size.',
      '',
    ].join('\n'),
  );
});

test('a pattern that backtracks without end is stopped and treated as no match, and says so; others are still tried', async () => {
  const endless = '/(a+)+$';
  const explanation = await ask(
    [host('shop.example', [route('endless', regex(endless)), route('good', regex('/a+!'))])],
    `http://shop.example/${'a'.repeat(40)}!`,
  );
  assert.deepEqual(verdicts(explanation), { endless: 'path', good: 'won' });
  assert.match(explanation.routes[0]?.why ?? '', /took too long: treated as no match/);
  assert.ok(explanation.notes.includes(`The regular expression ${endless} took too long: treated as no match.`));
  assert.ok(explanation.approximate);
});

test('a pattern that only JavaScript refuses closes nothing: nginx may well take it', async () => {
  const explanation = await ask(
    [host('shop.example', [route('possessive', regex('/a++b')), route('all', prefix('/'))])],
    'http://shop.example/a',
  );
  assert.deepEqual(verdicts(explanation), { possessive: 'path', all: 'won' });
  assert.ok(explanation.approximate);
});
