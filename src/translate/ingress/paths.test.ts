import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resource, ingress, service, slice } from '../../../test/support/resources.ts';
import { findingsOf, hostOf, routesOf, translate } from './translated.fixture.ts';

const WEB = [service(), slice()];
const HOST = 'a.example';
const of = (path: string, type: string) => ({ path, type });

test('Exact, Prefix and ImplementationSpecific become exact, prefix by element and prefix by characters', () => {
  const translator = translate([
    ...WEB,
    ingress({ hosts: { [HOST]: [of('/e', 'Exact'), of('/p', 'Prefix'), of('/i', 'ImplementationSpecific')] } }),
  ]);
  assert.deepEqual(routesOf(translator, HOST), [
    'exact /e → shop/web:80',
    'text-prefix /i → shop/web:80',
    'prefix /p → shop/web:80',
  ]);
  assert.deepEqual(findingsOf(translator), []);
});

test('a path that is missing is /', () => {
  const translator = translate([...WEB, ingress({ hosts: { [HOST]: [{ type: 'ImplementationSpecific' }] } })]);
  assert.deepEqual(routesOf(translator, HOST), ['text-prefix / → shop/web:80']);
});

test('the longest path comes first, and exact before prefix', () => {
  const translator = translate([...WEB, ingress({ hosts: { [HOST]: ['/', '/a', '/a/b/c', of('/a', 'Exact')] } })]);
  assert.deepEqual(
    hostOf(translator, HOST).routes.map(({ match }) => `${match.path.kind} ${match.path.value}`),
    ['exact /a', 'prefix /a/b/c', 'prefix /a', 'prefix /'],
  );
});

test('a path that ends in a slash redirects the form without it, except a prefix by element', () => {
  const translator = translate([
    ...WEB,
    ingress({ hosts: { [HOST]: [of('/i/', 'ImplementationSpecific'), of('/e/', 'Exact'), of('/p/', 'Prefix')] } }),
  ]);
  assert.deepEqual(routesOf(translator, HOST), [
    'exact /e ↪ 301 /e/',
    'exact /e/ → shop/web:80',
    'exact /i ↪ 301 /i/',
    'text-prefix /i/ → shop/web:80',
    'prefix /p → shop/web:80',
  ]);
});

for (const type of ['Exact', 'Prefix', 'ImplementationSpecific']) {
  test(`a path of type ${type} for the form without slash, of whatever Ingress, leaves no redirect`, () => {
    const translator = translate([
      ...WEB,
      ingress({ hosts: { [HOST]: [of('/docs/', 'ImplementationSpecific')] } }),
      ingress({ name: 'other', hosts: { [HOST]: [of('/docs', type)] } }),
    ]);
    assert.ok(!routesOf(translator, HOST).some((route) => route.includes('↪')));
  });
}

test('a path for everything does not stand in the way of the redirect to the slash', () => {
  const translator = translate([...WEB, ingress({ hosts: { [HOST]: ['/', of('/docs/', 'Exact')] } })]);
  assert.ok(routesOf(translator, HOST).includes('exact /docs ↪ 301 /docs/'));
});

test('the oldest Ingress wins a path, and the loser is told who has it', () => {
  const translator = translate([
    ...WEB,
    service({ name: 'new' }),
    slice({ of: 'new' }),
    ingress({ name: 'a', created: '2026-02-01T00:00:00Z', hosts: { [HOST]: [{ path: '/x', to: 'new:80' }] } }),
    ingress({ name: 'b', created: '2026-01-01T00:00:00Z', hosts: { [HOST]: ['/x/'] } }),
  ]);
  assert.deepEqual(routesOf(translator, HOST), ['prefix /x → shop/web:80']);
  const [conflict] = translator.findings();
  assert.deepEqual(findingsOf(translator), ['WEIR0106 Ingress/shop/a spec.rules[0].http.paths[0].path']);
  assert.match(conflict!.message, /Ingress shop\/b \(spec\.rules\[0\]\.http\.paths\[0\]\), which is older/);
});

test('without times the Ingress that comes first by namespace and name wins', () => {
  const translator = translate([
    ...WEB,
    ingress({ name: 'b', hosts: { [HOST]: ['/x'] } }),
    ingress({ name: 'a', hosts: { [HOST]: ['/x'] } }),
  ]);
  assert.deepEqual(findingsOf(translator), ['WEIR0106 Ingress/shop/b spec.rules[0].http.paths[0].path']);
});

test('a path twice in one Ingress is served once', () => {
  const translator = translate([...WEB, ingress({ hosts: { [HOST]: ['/x', '/x'] } })]);
  assert.deepEqual(findingsOf(translator), ['WEIR0106 Ingress/shop/web spec.rules[0].http.paths[1].path']);
});

test('one use-regex or rewrite-target turns all paths of the host into regular expressions, and who did not ask is told', () => {
  for (const annotation of [{ 'use-regex': 'true' }, { 'rewrite-target': '/$1' }] as Record<string, string>[]) {
    const [[key, value] = ['', '']] = Object.entries(annotation);
    const translator = translate([
      ...WEB,
      ingress({
        name: 'regex',
        annotations: { [`nginx.ingress.kubernetes.io/${key}`]: value },
        hosts: { [HOST]: [of('/api/(.*)', 'ImplementationSpecific')] },
      }),
      ingress({ name: 'plain', hosts: { [HOST]: [of('/exact', 'Exact'), '/p/'], 'b.example': [of('/e', 'Exact')] } }),
    ]);
    assert.deepEqual(
      hostOf(translator, HOST).routes.map(({ match }) => match.path),
      ['/api/(.*)', '/exact', '/p/'].map((path) => ({ kind: 'regex', value: path, ignoreCase: true })),
    );
    assert.deepEqual(routesOf(translator, 'b.example'), ['exact /e → shop/web:80']);
    assert.deepEqual(findingsOf(translator), ['WEIR0111 Ingress/shop/plain spec.rules[0].http.paths[0].path']);
  }
});

test('a rewrite to the path that is written turns nothing on', () => {
  const translator = translate([
    ...WEB,
    ingress({ annotations: { 'nginx.ingress.kubernetes.io/rewrite-target': '/' }, hosts: { [HOST]: ['/'] } }),
  ]);
  assert.deepEqual(routesOf(translator, HOST), ['prefix / → shop/web:80']);
  assert.deepEqual(hostOf(translator, HOST).routes[0]!.filters, []);
});

test('a rewrite target becomes a rewrite by captures', () => {
  const translator = translate([
    ...WEB,
    ingress({
      annotations: { 'nginx.ingress.kubernetes.io/rewrite-target': '/$2' },
      hosts: { [HOST]: [of('/app(/|$)(.*)', 'ImplementationSpecific')] },
    }),
  ]);
  assert.deepEqual(hostOf(translator, HOST).routes[0]!.filters, [
    { type: 'rewrite', path: { kind: 'captures', value: '/$2' } },
  ]);
});

test('a regular expression that does not compile is closed and reported, the others are served', () => {
  const translator = translate([
    ...WEB,
    ingress({
      annotations: { 'nginx.ingress.kubernetes.io/use-regex': 'true' },
      hosts: { [HOST]: [of('/a(b', 'ImplementationSpecific'), of('/ok', 'ImplementationSpecific')] },
    }),
  ]);
  assert.deepEqual(routesOf(translator, HOST), ['regex /a(b ✗ 503', 'regex /ok → shop/web:80']);
  assert.deepEqual(findingsOf(translator), ['WEIR0123 Ingress/shop/web spec.rules[0].http.paths[0].path']);
  assert.match(translator.findings()[0]!.message, /paths that begin with "\/a" answer 503/);
});

test('closed routes keep the matches that they would have open, so that no less exact route gets their requests', () => {
  const closing = { 'nginx.ingress.kubernetes.io/rewrite-target': '/$x' };
  const wide = ingress({ name: 'wide', hosts: { [HOST]: ['/'] } });
  const regex = of('/api/v[12]/(.*)', 'ImplementationSpecific');
  const rewriting = translate([...WEB, wide, ingress({ annotations: closing, hosts: { [HOST]: [regex] } })]);
  assert.deepEqual(routesOf(rewriting, HOST), ['regex /api/v[12]/(.*) ✗ 503', 'regex / → shop/web:80']);

  const restricting = { 'nginx.ingress.kubernetes.io/limit-rps': '5' };
  const slash = of('/docs/', 'ImplementationSpecific');
  const restricted = translate([...WEB, wide, ingress({ annotations: restricting, hosts: { [HOST]: [slash] } })]);
  assert.deepEqual(routesOf(restricted, HOST), [
    'exact /docs ✗ 503',
    'text-prefix /docs/ ✗ 503',
    'prefix / → shop/web:80',
  ]);
});

test('a rewrite target that names a group which the path does not have is reported at the path', () => {
  const said = (target: string, path: string) =>
    findingsOf(
      translate([
        ...WEB,
        ingress({
          annotations: { 'nginx.ingress.kubernetes.io/rewrite-target': target },
          hosts: { [HOST]: [of(path, 'ImplementationSpecific')] },
        }),
      ]),
    );
  assert.deepEqual(said('/$2', '/app(/|$)'), ['WEIR0216 Ingress/shop/web spec.rules[0].http.paths[0].path']);
  assert.deepEqual(said('/$1', '/app'), ['WEIR0216 Ingress/shop/web spec.rules[0].http.paths[0].path']);
  assert.deepEqual(said('/$2', '/app(/|$)(.*)'), []);
  assert.deepEqual(said('/', '/app'), []);
});

test('a path without a type is read as ImplementationSpecific and reported', () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const rules = [{ host: HOST, http: { paths: [{ path: '/a', backend }] } }];
  const translator = translate([...WEB, resource('Ingress', {}, { spec: { rules } })]);
  assert.deepEqual(routesOf(translator, HOST), ['text-prefix /a → shop/web:80']);
  assert.deepEqual(findingsOf(translator), ['WEIR0125 Ingress/shop/web spec.rules[0].http.paths[0].pathType']);
});

test('what can be no path costs that path alone', () => {
  const translator = translate([
    ...WEB,
    ingress({
      hosts: { [HOST]: ['/ok', '/new\nline', 'relative', of('/x', 'Regex'), '/quote";{}', '/a b'] },
    }),
  ]);
  assert.deepEqual(routesOf(translator, HOST), [
    'prefix /quote";{} → shop/web:80',
    'prefix /a b → shop/web:80',
    'prefix /ok → shop/web:80',
  ]);
  assert.deepEqual(findingsOf(translator), [
    'WEIR0102 Ingress/shop/web spec.rules[0].http.paths[1].path',
    'WEIR0102 Ingress/shop/web spec.rules[0].http.paths[2].path',
    'WEIR0107 Ingress/shop/web spec.rules[0].http.paths[3].pathType',
  ]);
});

test('a path of slashes takes nothing that is not its own', () => {
  for (const type of ['Prefix', 'ImplementationSpecific', 'Exact']) {
    const translator = translate([...WEB, ingress({ hosts: { [HOST]: [of('//', type)] } })]);
    const values = hostOf(translator, HOST).routes.map(({ match }) => match.path.value);
    assert.ok(!values.includes('/'), `${type}: ${values.join()}`);
    assert.equal(findingsOf(translator).length, 1);
  }
});

test('a path that normalisation takes away is served and reported', () => {
  for (const path of ['/a//b', '/a/../b', '/a%20b', '/a?b=c']) {
    const translator = translate([...WEB, ingress({ hosts: { [HOST]: [path] } })]);
    assert.deepEqual(routesOf(translator, HOST), [`prefix ${path} → shop/web:80`]);
    assert.deepEqual(findingsOf(translator), ['WEIR0110 Ingress/shop/web spec.rules[0].http.paths[0].path']);
  }
});
