import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from './answer.ts';
import type { IngressManifest, IngressPath, Manifest } from './manifest.ts';
import type { RequestText } from './request-text.ts';
import { routeRequest } from './router.ts';

const PORTS = { http: 8080, https: 8443 };

function service(name: string, namespace = 'one', ready = true): readonly Manifest[] {
  return [
    { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { ports: [{ name: 'web', port: 80 }] } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: 'web', port: 7 }],
      endpoints: [{ addresses: [`${name}.${namespace}`], conditions: { ready } }],
    },
  ];
}

/** `Prefix /a to`: type, path, Service. */
function pathOf(text: string): IngressPath {
  const [pathType = '', path = '', name = ''] = text.split(' ');
  return { path, pathType, backend: { service: { name, port: { number: 80 } } } };
}

interface Options {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace?: string;
  readonly created?: string;
  readonly defaultBackend?: string;
  readonly tls?: readonly string[];
}

/** Rules by host; `*`: a rule without one. */
function ingress(
  name: string,
  rules: Readonly<Record<string, readonly string[]>>,
  { annotations = {}, namespace = 'one', created, defaultBackend, tls }: Options = {},
): IngressManifest {
  const prefixed = Object.entries(annotations).map(([key, value]) => [`nginx.ingress.kubernetes.io/${key}`, value]);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace,
      annotations: Object.fromEntries(prefixed) as Record<string, string>,
      ...(created === undefined ? {} : { creationTimestamp: created }),
    },
    spec: {
      ...(tls === undefined ? {} : { tls: [{ hosts: tls }] }),
      ...(defaultBackend === undefined ? {} : { defaultBackend: pathOf(`Prefix / ${defaultBackend}`).backend }),
      rules: Object.entries(rules).map(([host, paths]) => ({
        ...(host === '*' ? {} : { host }),
        http: { paths: paths.map(pathOf) },
      })),
    },
  };
}

const SERVICES = ['s', 't', 'u'].flatMap((name) => service(name));

function ask(
  manifests: readonly Manifest[],
  url: string,
  headers: readonly (readonly [string, string])[] = [],
  more: Partial<RequestText> = {},
): Answer {
  const slash = url.indexOf('/');
  const request: RequestText = {
    method: 'GET',
    target: url.slice(slash),
    version: '1.1',
    headers: [['Host', url.slice(0, slash)], ...headers],
    ...more,
  };
  return routeRequest([...SERVICES, ...manifests], request, PORTS);
}

/** `s /uri` for a proxied request: its Service, what it is asked for. Else the status, with its location. */
function short(answer: Answer): string {
  if (answer.kind === 'status') return String(answer.status);
  if (answer.kind === 'redirect') return `${answer.status} ${answer.location}`;
  return `${answer.endpoints.map((endpoint) => endpoint.split('.')[0]).join()} ${answer.uri}`;
}

/** By URL, what is expected of it. */
function answers(manifests: readonly Manifest[], expected: Readonly<Record<string, string>>): void {
  const actual = Object.fromEntries(Object.keys(expected).map((url) => [url, short(ask(manifests, url))]));
  assert.deepEqual(actual, expected);
}

test('the Kubernetes table of path types: Prefix', () => {
  const table: readonly (readonly [path: string, asked: string, matches: boolean])[] = [
    ['/', '/any', true],
    ['/foo', '/foo', true],
    ['/foo', '/foo/', true],
    ['/foo/', '/foo', true],
    ['/foo/', '/foo/', true],
    ['/aaa/bb', '/aaa/bbb', false],
    ['/aaa/bbb', '/aaa/bbb', true],
    ['/aaa/bbb/', '/aaa/bbb', true],
    ['/aaa/bbb', '/aaa/bbb/', true],
    ['/aaa/bbb', '/aaa/bbb/ccc', true],
    ['/aaa/bbb', '/aaa/bbbxyz', false],
    ['/aaa', '/ccc', false],
  ];
  for (const [path, asked, matches] of table) {
    const answer = short(ask([ingress('i', { 'a.test': [`Prefix ${path} s`] })], `a.test${asked}`));
    assert.equal(answer, matches ? `s ${asked}` : '404', `${path} ${asked}`);
  }
});

test('the Kubernetes table of path types: Exact, and of several the longest', () => {
  const exact = [ingress('i', { 'a.test': ['Exact /foo s'] })];
  answers(exact, { 'a.test/foo': 's /foo', 'a.test/bar': '404', 'a.test/foo/': '404' });
  const several = [ingress('i', { 'a.test': ['Prefix / s', 'Prefix /aaa t', 'Prefix /aaa/bbb u'] })];
  answers(several, { 'a.test/aaa/ccc': 't /aaa/ccc', 'a.test/aaa/bbb': 'u /aaa/bbb', 'a.test/ccc': 's /ccc' });
  const mixed = [ingress('i', { 'a.test': ['Prefix /foo s', 'Exact /foo t'] })];
  answers(mixed, { 'a.test/foo': 't /foo', 'a.test/foo/': 's /foo/' });
});

test('the Kubernetes table of wildcard hosts', () => {
  const manifests = [ingress('i', { '*.foo.com': ['Prefix / s'] })];
  answers(manifests, { 'bar.foo.com/': 's /', 'baz.bar.foo.com/': '404', 'foo.com/': '404' });
});

test('a host with rules is the whole answer: its missing paths are not looked for elsewhere', () => {
  const manifests = [
    ingress('exact', { 'a.foo.com': ['Exact /a s'] }),
    ingress('wild', { '*.foo.com': ['Prefix / t'] }),
    ingress('any', { '*': ['Prefix /any u'] }),
  ];
  answers(manifests, {
    'a.foo.com/a': 's /a',
    'a.foo.com/b': '404',
    'b.foo.com/b': 't /b',
    'x.org/any': 'u /any',
    'x.org/': '404',
  });
});

test('hosts are compared without case, port and the dot of the root; the backend is told what the client wrote', () => {
  const answer = ask([ingress('i', { 'a.test': ['Prefix / s'] })], 'A.Test.:99/x');
  assert.deepEqual(answer, { kind: 'proxied', endpoints: ['s.one:7'], method: 'GET', uri: '/x', host: 'A.Test.:99' });
});

test('nginx’s path: decoded, merged, dots resolved; the backend gets it as it was written', () => {
  const manifests = [ingress('i', { 'a.test': ['Prefix /admin s', 'Prefix /public t', 'Exact /a/b u'] })];
  answers(manifests, {
    'a.test/a%2Fb': 'u /a%2Fb',
    'a.test/admin%2f..%2fpublic': 't /admin%2f..%2fpublic',
    'a.test//admin': 's //admin',
    'a.test/%2e/admin': 's /%2e/admin',
    'a.test/x/../admin/.': 's /x/../admin/.',
    'a.test/%61dmin?q=/public': 's /%61dmin?q=/public',
    'a.test/x%2F%2e%2e/a//b': 'u /x%2F%2e%2e/a//b',
    'a.test/admin%00': '400',
    'a.test/..': '400',
    'a.test/admin/../../public': '400',
    'a.test/admin%4': '400',
    'a.test/admin%252f': '404',
    'a.test/Admin': '404',
  });
});

test('regular expressions: of the whole host, from the start, without case, the longest first', () => {
  const manifests = [
    ingress('i', { 'a.test': ['ImplementationSpecific /a/[a-z]+ s'] }, { annotations: { 'use-regex': 'true' } }),
    ingress('j', { 'a.test': ['Exact /Foo t', 'Prefix /dir/ u'], 'b.test': ['Exact /Foo t'] }),
  ];
  answers(manifests, {
    'a.test/A/B': 's /A/B',
    'a.test/a/1': '404',
    'a.test/x/a/b': '404',
    'a.test/fooBAR': 't /fooBAR',
    'a.test/dir/x': 'u /dir/x',
    'a.test/directory': '404',
    'b.test/fooBAR': '404',
  });
  const lengths = { 'a.test': ['ImplementationSpecific /.* s', 'ImplementationSpecific /blog/.* t'] };
  const longest = [ingress('i', lengths, { annotations: { 'use-regex': 'true' } })];
  answers(longest, { 'a.test/blog/x': 't /blog/x', 'a.test/x': 's /x' });
});

test('rewrite-target: captures of the decoded path, encoded again, with the query', () => {
  const rewrite = (target: string, ...paths: readonly string[]) => [
    ingress('i', { 'a.test': paths }, { annotations: { 'rewrite-target': target } }),
  ];
  answers(rewrite('/$2', 'ImplementationSpecific /shop(/|$)(.*) s'), {
    'a.test/shop/cart/7?a=1': 's /cart/7?a=1',
    'a.test/shop': 's /',
    'a.test/shop/a%20b%3Fc%2Fd': 's /a%20b%3Fc/d',
    'a.test/shop/%c3%a9%25': 's /%C3%A9%25',
    'a.test/shop/x?': 's /x',
    'a.test/shopping': '404',
  });
  answers(rewrite('/new', 'Prefix /old s'), { 'a.test/old/more?q': 's /new?q' });
  answers(rewrite('/', 'Prefix / s'), { 'a.test/old//more': 's /old//more' });
  answers(rewrite('/$host', 'Prefix / s'), { 'a.test/': '503' });
});

test('of Ingresses that want the same the oldest wins, then the first by name', () => {
  const at = (month: number) => ({ created: `2026-0${month}-01T00:00:00Z` });
  const manifests = [
    ingress('a', { 'a.test': ['Prefix /x s', 'Prefix /own s'], 'b.test': ['Prefix / s'] }, at(2)),
    ingress('b', { 'a.test': ['Prefix /x/ t'], 'b.test': ['Prefix / t'] }, at(1)),
    ingress('c', { 'c.test': ['Prefix / u'] }),
    ingress('b', { 'c.test': ['Prefix / t', 'Prefix / s'] }),
  ];
  answers(manifests, { 'a.test/x': 't /x', 'a.test/own': 's /own', 'b.test/': 't /', 'c.test/': 't /' });
});

test('a default backend takes what the rules of its hosts leave, and hosts that nobody has', () => {
  const manifests = [ingress('i', { 'a.test': ['Exact /a s'] }, { defaultBackend: 't' })];
  answers([...manifests, ingress('j', { 'b.test': ['Exact /b u'] })], {
    'a.test/a': 's /a',
    'a.test/b': 't /b',
    'c.test/': 't /',
    'b.test/b': 'u /b',
    'b.test/x': '404',
  });
});

test('a missing Service, a missing port and a Service without endpoints answer 503 on their route alone', () => {
  const bad = ingress('i', { 'a.test': ['Prefix / s', 'Prefix /gone gone', 'Prefix /down down'] });
  const down = service('down', 'one', false);
  answers([bad, ...down], { 'a.test/': 's /', 'a.test/gone': '503', 'a.test/down': '503' });
  answers([ingress('i', { 'a.test': ['Prefix / s'] }, { namespace: 'two' })], { 'a.test/': '503' });
});

test('canaries: header, then cookie, then weight; of their own namespace, and only while they are up', () => {
  const canary = (rules: Readonly<Record<string, string>>, more: Options = {}, to = 't') => [
    ingress('i', { 'a.test': ['Prefix / s'] }),
    ingress('c', { 'a.test': [`Prefix / ${to}`] }, { ...more, annotations: { canary: 'true', ...rules } }),
  ];
  const goes = (manifests: readonly Manifest[], ...headers: readonly (readonly [string, string])[]) =>
    short(ask(manifests, 'a.test/', headers)).slice(0, 1);
  const rules = { 'canary-by-header': 'X-C', 'canary-by-cookie': 'beta', 'canary-weight': '100' };
  assert.equal(goes(canary(rules)), 't');
  assert.equal(goes(canary(rules), ['x-c', 'never']), 's');
  assert.equal(goes(canary(rules), ['X-C', 'never'], ['X-C', 'never']), 't', 'together they are "never, never"');
  assert.equal(goes(canary(rules), ['Cookie', 'x=y; beta=never']), 's');
  assert.equal(goes(canary(rules), ['Cookie', 'xbeta=never']), 't');
  assert.equal(goes(canary({ ...rules, 'canary-weight': '0' }), ['X-C', 'other'], ['Cookie', 'beta=always']), 't');
  const valued = { 'canary-by-header': 'X-C', 'canary-by-header-value': 'eu' };
  assert.equal(goes(canary(valued), ['X-C', 'eu']), 't');
  assert.equal(goes(canary(valued), ['X-C', 'always']), 's');
  assert.equal(goes(canary({ ...valued, 'canary-weight': '100' }), ['X-C', 'never']), 't');
  const pattern = { 'canary-by-header': 'X-C', 'canary-by-header-pattern': 'eu-(w|n)' };
  assert.equal(goes(canary(pattern), ['X-C', 'my-eu-west']), 't');
  assert.equal(goes(canary(pattern), ['X-C', 'EU-WEST']), 's');
  assert.equal(goes(canary({ 'canary-weight': '100' }, { namespace: 'two' })), 's');
  assert.equal(goes(canary({ 'canary-weight': '100' }, {}, 'gone')), 's');
  const alone = [
    ingress('c', { 'a.test': ['Prefix / t'] }, { annotations: { canary: 'true', 'canary-weight': '100' } }),
  ];
  assert.equal(goes(alone), '4');
});

test('redirects: to HTTPS where the host has TLS, elsewhere before that, and to the missing slash', () => {
  const tls = { tls: ['a.test'] };
  const at = (annotations: Readonly<Record<string, string>>, more: Options = tls) => [
    ingress('i', { 'a.test': ['ImplementationSpecific /dir/ s', 'Prefix /p s'] }, { annotations, ...more }),
  ];
  answers(at({}), {
    'a.test/p/%2F?q': '308 https://a.test:8443/p/%2F?q',
    'A.test:80/dir?q': '301 /dir/?q',
    'a.test/none': '404',
  });
  answers(at({ 'ssl-redirect': 'false' }), { 'a.test/p': 's /p' });
  answers(at({ 'force-ssl-redirect': 'true' }, {}), { 'a.test/p': '308 https://a.test:8443/p' });
  answers(at({ 'permanent-redirect': 'https://b.test/' }), { 'a.test/p': '301 https://b.test/' });
  answers(at({ 'temporal-redirect': 'https://b.test/' }), { 'a.test/p': '302 https://b.test/' });
  answers(at({ 'auth-url': 'https://b.test/' }), { 'a.test/p': '308 https://a.test:8443/p' });
  answers(at({ 'auth-url': 'https://b.test/' }, {}), { 'a.test/p': '503' });
});

test('request lines: a whole URL names the host; without any it is the address; what nginx refuses', () => {
  const manifests = [ingress('i', { 'a.test': ['Prefix / s'] }), ingress('any', { '*': ['Prefix / t'] })];
  const line = (more: Partial<RequestText>) => ask(manifests, 'other.test/', [], more);
  const whole = line({ target: 'http://a.test:81/x%2F' });
  assert.deepEqual(whole, { kind: 'proxied', endpoints: ['s.one:7'], method: 'GET', uri: '/x%2F', host: 'a.test:81' });
  assert.equal(short(line({ target: 'http://a.test?q' })), 's /?q');
  const old = line({ headers: [], version: '1.0' });
  assert.deepEqual(old, { kind: 'proxied', endpoints: ['t.one:7'], method: 'GET', uri: '/', host: '127.0.0.1:8080' });
  assert.equal(short(line({ headers: [] })), '400');
  assert.equal(
    short(
      line({
        headers: [
          ['Host', 'a.test'],
          ['host', 'a.test'],
        ],
      }),
    ),
    '400',
  );
  assert.equal(short(line({ method: 'get' })), '400');
  assert.equal(short(line({ method: 'TRACE' })), '405');
  assert.equal(short(line({ target: '*', method: 'OPTIONS' })), '400');
  assert.equal(short(line({ target: '/a b' })), '400');
});
