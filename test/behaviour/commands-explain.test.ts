import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Value } from 'typebox/value';
import { Explanation } from '../../src/explain/explanation.ts';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { runCommand } from '../support/run-command.ts';
import { freePort } from '../support/scope.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let shop: Backend;
let cart: Backend;

before(async () => {
  [site, shop, cart] = await Promise.all([
    Site.open(scope),
    startBackend(scope, { name: 'shop' }),
    startBackend(scope, { name: 'cart' }),
  ]);
  await site.expose({ host: 'shop.example', backends: [shop], paths: ['/', '/help'], tls: true });
  await site.expose({ host: 'shop.example', name: 'cart', backends: [cart], paths: ['/cart'] });
});

interface Asked {
  readonly args?: readonly string[];
  /** By the manifests instead of the running weir. */
  readonly offline?: boolean;
}

function explain(url: string, { args = [], offline = false }: Asked = {}) {
  const who = offline ? ['-f', site.folder.path] : ['--admin', `127.0.0.1:${site.weir.adminPort}`];
  return runCommand(['explain', url, ...who, ...args]);
}

async function explained(url: string, asked: Asked = {}): Promise<Explanation> {
  const { out, err } = await explain(url, { ...asked, args: [...(asked.args ?? []), '-o', 'json'] });
  assert.notEqual(out, '', err);
  const explanation = JSON.parse(out) as Explanation;
  assert.deepEqual([...Value.Errors(Explanation, explanation)], []);
  return explanation;
}

function forwarded({ outcome }: Explanation): Extract<Explanation['outcome'], { kind: 'forward' }> {
  assert.equal(outcome.kind, 'forward');
  return outcome as Extract<Explanation['outcome'], { kind: 'forward' }>;
}

test('explain by manifests and by the running weir: the rule that wins, those that lost and why, the endpoints', async () => {
  for (const offline of [true, false]) {
    const explanation = await explained('https://shop.example/cart/7?x=1', { offline });
    assert.deepEqual(
      explanation.routes.map(({ reason, origin }) => [reason, origin.object.name, origin.field]),
      [
        ['won', 'cart', 'spec.rules[0].http.paths[0]'],
        ['path', 'shop', 'spec.rules[0].http.paths[1]'],
        ['beaten', 'shop', 'spec.rules[0].http.paths[0]'],
      ],
    );
    assert.match(explanation.routes[2]?.why ?? '', /matches too, but .*\/cart.* is asked first/);
    const { backends } = forwarded(explanation);
    assert.deepEqual(
      backends.map(({ chance, endpoints }) => [chance, endpoints.map(({ address, port }) => [address, port])]),
      [[100, [[cart.address, cart.port]]]],
    );
    assert.equal(explanation.listener?.port, offline ? 443 : site.weir.httpsPort);
  }
  assert.equal((await site.https('shop.example', '/cart/7?x=1')).json<Echo>().backend, 'cart');
});

test('explain as text: winner, losers, filters and endpoints in the order in which they count', async () => {
  const { code, out, err } = await explain('https://shop.example/cart/7');
  assert.deepEqual([code, err], [0, '']);
  const parts = [
    'GET https://shop.example/cart/7',
    'is forwarded to ',
    'wins: ',
    'from Ingress/default/cart spec.rules[0].http.paths[0]',
    'from Ingress/default/shop spec.rules[0].http.paths[0]',
    `${cart.address}:${cart.port}`,
  ];
  let from = 0;
  for (const part of parts) {
    const at = out.indexOf(part, from);
    assert.ok(at >= from, `${part} is missing, or comes too early, in\n${out}`);
    from = at;
  }
  const yaml = await explain('https://shop.example/cart/7', { args: ['-o', 'yaml'] });
  assert.match(yaml.out, /^outcome:\n {2}kind: forward$/m);
});

test('explain -X and -H: what the request is decides', async () => {
  await site.expose({ host: 'beta.example', backends: [shop] });
  const annotations = { canary: 'true', 'canary-by-header': 'X-Beta' };
  await site.expose({ host: 'beta.example', name: 'beta-canary', backends: [cart], annotations });
  const target = (explanation: Explanation) =>
    forwarded(explanation)
      .backends.filter(({ chance }) => chance > 0)
      .map(({ backend, chance }) => [backend, chance]);
  for (const offline of [true, false]) {
    const url = 'http://beta.example/';
    assert.deepEqual(target(await explained(url, { offline })), [['default/beta:80', 100]]);
    const args = ['-X', 'post', '-H', 'X-Beta: always', '-H', 'Accept: text/html'];
    const beta = await explained(url, { offline, args });
    assert.equal(beta.request.method, 'POST');
    assert.deepEqual(target(beta), [['default/beta-canary:80', 100]]);
    const [canary] = forwarded(beta).canaries;
    assert.equal(canary?.verdict, 'takes it');
    const byAddress = await explained(`http://127.0.0.1${offline ? '' : `:${site.weir.httpPort}`}/`, {
      offline,
      args: ['-H', 'Host: beta.example'],
    });
    assert.equal(byAddress.request.host, 'beta.example');
  }
  const reply = await site.http('beta.example', '/', { method: 'POST', headers: { 'X-Beta': 'always' } });
  assert.equal(reply.json<Echo>().backend, 'cart');
});

test('explain tells the filters in order, and the answer that nginx gives', async () => {
  const annotations = { 'rewrite-target': '/v2/$1', 'x-forwarded-prefix': '/api' };
  await site.expose({
    host: 'api.example',
    backends: [shop],
    tls: true,
    annotations,
    paths: [{ path: '/api/(.*)', pathType: 'ImplementationSpecific' }],
  });
  const { filters, outcome } = await explained('http://api.example/api/items');
  assert.match(filters[0] ?? '', /^Plain HTTP is redirected to HTTPS \(308\)/);
  assert.match(filters.slice(1).join('\n'), /\/v2\/\$1/);
  const redirected = await site.http('api.example', '/api/items');
  assert.equal(outcome.kind, 'redirect');
  assert.deepEqual(
    [redirected.status, redirected.headers.location],
    outcome.kind === 'redirect' ? [outcome.status, outcome.location] : [],
  );
  const { path } = forwarded(await explained('https://api.example/api/items'));
  assert.equal(path, '/v2/items');
  assert.equal((await site.https('api.example', '/api/items')).json<Echo>().url, path);
});

test('explain by the running weir has nginx try patterns; by manifests it says that the answer may differ', async () => {
  // JavaScript can’t compile a possessive quantifier, PCRE can.
  await site.expose({
    host: 'regex.example',
    backends: [shop],
    annotations: { 'use-regex': 'true' },
    paths: [{ path: '/item/[0-9]++', pathType: 'ImplementationSpecific' }],
  });
  const url = 'http://regex.example/item/42';
  const online = await explained(`http://regex.example:${site.weir.httpPort}/item/42`);
  assert.deepEqual([online.outcome.kind, online.approximate, online.notes], ['forward', false, []]);
  assert.equal((await site.http('regex.example', '/item/42')).status, 200);
  const offline = await explained(url, { offline: true });
  assert.equal(offline.approximate, true);
  assert.match(offline.notes.join('\n'), /not by the data plane/);
  assert.match((await explain(url, { offline: true })).out, /not by the data plane/);
});

test('explain says what is answered where no rule is for the URL, and ends with 1 where nobody listens', async () => {
  const unknown = await explained('http://nobody.example/');
  assert.deepEqual(unknown.outcome, { kind: 'respond', status: 404, reason: 'No route is for this host.' });
  assert.equal((await site.http('nobody.example')).status, 404);
  const refused = await explain(`http://shop.example:${await freePort()}/`, { args: ['-o', 'json'] });
  assert.equal(refused.code, 1, refused.out);
  assert.equal((JSON.parse(refused.out) as Explanation).outcome.kind, 'refused');
});

test('explain refuses what it can’t use with 2 and says what to write', async () => {
  const cases: readonly (readonly [RegExp, ...string[]])[] = [
    [/argument 'subject'/],
    [/NAME:VALUE/, 'http://shop.example/', '-f', site.folder.path, '-H', 'nonsense'],
    [/exclude each other/, 'http://shop.example/', '-f', site.folder.path, '--admin', '127.0.0.1:1'],
    [/one URL/, 'http://shop.example/', 'http://cart.example/'],
    [/which annotation\?[^]*explain annotation NAME/, 'annotation'],
    [/which code\?[^]*WEIRxxxx/, 'code'],
    [/ftp/, 'ftp://shop.example/', '-f', site.folder.path],
    [/ftp/, 'ftp://shop.example/', '--admin', `127.0.0.1:${site.weir.adminPort}`],
  ];
  for (const [words, ...args] of cases) {
    const { code, out, err } = await runCommand(['explain', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, words);
  }
});

test('explain annotation: what it does, its values and its default, with or without its prefix', async () => {
  const prefixless = await runCommand(['explain', 'annotation', 'proxy-body-size']);
  assert.deepEqual([prefixless.code, prefixless.err], [0, '']);
  assert.match(prefixless.out, /^nginx\.ingress\.kubernetes\.io\/proxy-body-size\n/);
  for (const fact of ['state', 'family', 'value', 'default', 'example', 'if invalid']) {
    assert.match(prefixless.out, new RegExp(`^${fact} {2,}\\S`, 'm'));
  }
  const whole = await runCommand(['explain', 'annotation', 'nginx.ingress.kubernetes.io/proxy-body-size']);
  assert.equal(whole.out, prefixless.out);
  const { out } = await runCommand(['explain', 'annotation', 'whitelist-source-range', '-o', 'json']);
  const { state, restrictsAccess } = JSON.parse(out) as Record<string, unknown>;
  assert.deepEqual([state, restrictsAccess], ['not-yet', true]);
});

test('explain code: what a finding means and what to do', async () => {
  const { code, out } = await runCommand(['explain', 'code', 'weir0103']);
  assert.equal(code, 0);
  assert.match(out, /^WEIR0103 Service not found\n\n\S[^]*\nseverity {2,}error\nfix {2,}\S/);
  const json = JSON.parse((await runCommand(['explain', 'code', 'WEIR0103', '-o', 'json'])).out) as object;
  assert.deepEqual(Object.keys(json).sort(), ['code', 'explanation', 'fix', 'severity', 'title']);
});

test('explain and the lists tell what decides besides the URL: client certificates, auth services, copies, TLS to backends', async () => {
  const pair = await site.authority.issue(['client']);
  await site.apply('access-secret.yaml', [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'access-ca', namespace: 'default' },
      stringData: { 'ca.crt': site.authority.certificate, 'tls.crt': pair.certificate, 'tls.key': pair.key },
    },
  ]);
  const annotations = {
    'auth-tls-secret': 'default/access-ca',
    'auth-tls-match-cn': 'CN=client',
    'auth-url': `http://${shop.address}:${shop.port}/auth`,
    'mirror-target': `http://${cart.address}:${cart.port}/copy`,
    'backend-protocol': 'HTTPS',
    'proxy-ssl-secret': 'default/access-ca',
    'proxy-ssl-verify': 'on',
    'proxy-ssl-name': 'in.test',
  };
  await site.expose({ host: 'access.example', backends: [shop], tls: true, annotations });
  const ca = { kind: 'Secret', namespace: 'default', name: 'access-ca' };
  for (const offline of [true, false]) {
    const explanation = await explained('https://access.example/', { offline });
    const [clients = '', auth = ''] = explanation.conditions;
    assert.match(clients, /Secret\/default\/access-ca; else 400; and only if .* matches CN=client; else 403/);
    assert.match(auth, /^only if the auth service \S+, which is asked first, answers 2xx/);
    assert.ok(explanation.filters.some((filter) => filter.startsWith(`A copy goes to ${cart.address}:${cart.port}`)));
    const { tls } = forwarded(explanation).backends[0] ?? {};
    assert.deepEqual([tls?.verify, tls?.authorities, tls?.serverName], [true, ca, 'in.test']);
    assert.equal(tls?.clientCertificate, 'default/access-ca');
    const { out } = await explain('https://access.example/', { offline });
    assert.match(out, /TLS: verified as in\.test by the authorities of Secret\/default\/access-ca/);
    assert.doesNotMatch(out + JSON.stringify(explanation), /BEGIN CERTIFICATE/);
    const plain = await explained('http://access.example/', { offline });
    assert.deepEqual([plain.outcome.kind, plain.clientCertificates?.mode], ['redirect', 'require']);
  }
  assert.equal((await site.https('access.example')).status, 400);
  assert.equal((await site.http('access.example')).status, 308);
  interface Lists {
    readonly items: readonly {
      readonly id?: string;
      readonly clientCertificates?: { readonly authorities?: unknown };
      readonly routes?: readonly { readonly auth?: string; readonly mirrors: readonly string[] }[];
      readonly tls?: { readonly clientCertificate?: string };
    }[];
  }
  const routes = await site.weir.admin<Lists>('/api/v1/routes?host=access.example');
  const [host] = routes.items;
  assert.deepEqual(host?.clientCertificates?.authorities, ca);
  assert.match(`${host?.routes?.[0]?.auth} ${host?.routes?.[0]?.mirrors[0]}`, /^\d\S+ \d\S+$/);
  const backends = await site.weir.admin<Lists>('/api/v1/backends');
  const web = backends.items.find(({ id }) => id?.startsWith('default/access:80'));
  assert.equal(web?.tls?.clientCertificate, 'default/access-ca');
  assert.doesNotMatch(JSON.stringify([routes, backends]), /BEGIN/);
});

test('explain tells that an auth service without endpoint closes its route, as requests find', async () => {
  const annotations = { 'auth-url': 'http://169.254.169.254/auth' };
  await site.expose({ host: 'unasked.example', backends: [shop], annotations });
  for (const offline of [true, false]) {
    const { outcome } = await explained('http://unasked.example/', { offline });
    assert.ok(outcome.kind === 'respond' && outcome.status === 503, JSON.stringify(outcome));
    const { out } = await explain('http://unasked.example/', { offline });
    assert.match(out, /is answered with 503: the auth service \S+ has no endpoint/i);
  }
  assert.equal((await site.http('unasked.example')).status, 503);
});
