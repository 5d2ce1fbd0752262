import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Endpoint } from './backend.ts';
import type { PathMatch } from './match.ts';
import { compareEndpoints, compareRoutes, sortEndpoints, sortRoutes } from './order.ts';
import type { Route } from './route.ts';

interface Sketch {
  path: PathMatch;
  method?: string;
  headers?: number;
  query?: number;
  created?: string;
  namespace?: string;
  name?: string;
  field?: string;
  id?: string;
}

function route(sketch: Sketch): Route {
  const named = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `n${i}`, match: { kind: 'present' as const } }));
  return {
    id: sketch.id ?? 'r',
    match: {
      path: sketch.path,
      ...(sketch.method === undefined ? {} : { method: sketch.method }),
      ...(sketch.headers === undefined ? {} : { headers: named(sketch.headers) }),
      ...(sketch.query === undefined ? {} : { query: named(sketch.query) }),
    },
    ...(sketch.created === undefined ? {} : { created: sketch.created }),
    filters: [],
    action: { kind: 'respond', status: 404, reason: 'test' },
    origin: {
      object: { kind: 'Ingress', namespace: sketch.namespace ?? 'shop', name: sketch.name ?? 'web' },
      field: sketch.field ?? 'spec',
    },
  };
}

const exact = (value: string): PathMatch => ({ kind: 'exact', value });
const prefix = (value: string): PathMatch => ({ kind: 'prefix', value });
const text = (value: string): PathMatch => ({ kind: 'text-prefix', value });
const regex = (value: string, rank?: number): PathMatch => ({
  kind: 'regex',
  value,
  ignoreCase: true,
  ...(rank === undefined ? {} : { rank }),
});

function before(first: Sketch, second: Sketch): void {
  assert.ok(compareRoutes(route(first), route(second)) < 0, 'the first comes first');
  assert.ok(compareRoutes(route(second), route(first)) > 0, 'and the second second');
}

test('an exact path comes before a regular expression, and that before a prefix', () => {
  before({ path: exact('/a') }, { path: regex('/a.*long.*long') });
  before({ path: regex('/') }, { path: prefix('/a/long/prefix') });
});

test('the longer prefix and the longer regular expression come first', () => {
  before({ path: prefix('/a/b') }, { path: prefix('/a') });
  before({ path: regex('/a/(.*)') }, { path: regex('/(.*)') });
});

test('a trailing slash makes no prefix longer, except a textual one', () => {
  before(
    { path: prefix('/a/'), created: '2024-01-01T00:00:00Z' },
    { path: prefix('/a'), created: '2025-01-01T00:00:00Z' },
  );
  before(
    { path: prefix('/a'), created: '2024-01-01T00:00:00Z' },
    { path: prefix('/a/'), created: '2025-01-01T00:00:00Z' },
  );
  before({ path: text('/a/') }, { path: prefix('/a') });
});

test('a prefix by element comes before the same prefix by characters', () => {
  before({ path: prefix('/a') }, { path: text('/a') });
  before({ path: prefix('/') }, { path: text('/') });
});

test('a rank goes before the length of a regular expression', () => {
  before({ path: regex('/x', 1) }, { path: regex('/a/very/long/one') });
});

test('a method weighs more than headers, headers more than query parameters', () => {
  before({ path: prefix('/'), method: 'GET' }, { path: prefix('/'), headers: 3 });
  before({ path: prefix('/'), headers: 2 }, { path: prefix('/'), headers: 1, query: 5 });
  before({ path: prefix('/'), query: 2 }, { path: prefix('/'), query: 1 });
});

test('the older of two equals wins, and one without an age is younger', () => {
  before(
    { path: exact('/'), created: '2024-01-01T00:00:00Z', name: 'z' },
    { path: exact('/'), created: '2024-01-01T00:00:01Z', name: 'a' },
  );
  before({ path: exact('/'), created: '2024-01-01T00:00:00Z', name: 'z' }, { path: exact('/'), name: 'a' });
});

test('age decides between regular expressions of one length before their text does', () => {
  before(
    { path: regex('/b.*'), created: '2024-01-01T00:00:00Z' },
    { path: regex('/a.*'), created: '2025-01-01T00:00:00Z' },
  );
});

test('paths[2] comes before paths[10]', () => {
  before(
    { path: exact('/'), field: 'spec.rules[0].http.paths[2]' },
    { path: exact('/'), field: 'spec.rules[0].http.paths[10]' },
  );
});

test('equal ages are decided by namespace and name, and the id is the last resort', () => {
  before({ path: exact('/'), namespace: 'a', name: 'z' }, { path: exact('/'), namespace: 'b', name: 'a' });
  before({ path: exact('/'), id: 'r9' }, { path: exact('/'), id: 'r10' });
});

const anyPath = fc.oneof(
  fc.constantFrom('/', '/a', '/a/', '/a/b', '/ab', '/b').map(exact),
  fc.constantFrom('/', '/a', '/a/', '/a/b', '/ab', '/b').map(prefix),
  fc.constantFrom('/', '/a', '/a/', '/a/b', '/ab', '/b').map(text),
  fc
    .tuple(fc.constantFrom('/a', '/.*', '/a/b', '/[ab]'), fc.constantFrom(undefined, 1))
    .map(([value, rank]) => regex(value, rank)),
);
const anyRoute = fc
  .record(
    {
      path: anyPath,
      method: fc.constantFrom('GET', 'POST'),
      headers: fc.nat(2),
      query: fc.nat(2),
      created: fc.constantFrom('2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00', '2025-01-01T00:00:00Z', 'nonsense'),
      namespace: fc.constantFrom('a', 'a-b', 'b'),
      name: fc.constantFrom('a', 'b'),
      field: fc.constantFrom('paths[2]', 'paths[10]', 'paths[02]'),
      id: fc.constantFrom('r2', 'r10'),
    },
    { requiredKeys: ['path'] },
  )
  .map((sketch) =>
    route(Object.fromEntries(Object.entries(sketch).filter(([, value]) => value !== undefined)) as unknown as Sketch),
  );

test('the order of routes is antisymmetric and transitive', () => {
  fc.assert(
    fc.property(anyRoute, anyRoute, anyRoute, (a, b, c) => {
      assert.equal(Math.sign(compareRoutes(a, b)), -Math.sign(compareRoutes(b, a)) + 0);
      if (compareRoutes(a, b) <= 0 && compareRoutes(b, c) <= 0) assert.ok(compareRoutes(a, c) <= 0);
    }),
    { numRuns: 3000 },
  );
});

test('only routes with the same id, path and origin are equal', () => {
  fc.assert(
    fc.property(anyRoute, anyRoute, (a, b) => {
      if (compareRoutes(a, b) !== 0) return;
      assert.equal(a.id, b.id);
      assert.deepEqual(a.origin, b.origin);
      assert.deepEqual([a.match.path.kind, a.match.path.value], [b.match.path.kind, b.match.path.value]);
    }),
    { numRuns: 2000 },
  );
});

function pathMatches(match: PathMatch, path: string): boolean {
  switch (match.kind) {
    case 'exact':
      return path === match.value;
    case 'text-prefix':
      return path.startsWith(match.value);
    case 'regex':
      return new RegExp(`^(?:${match.value})`, 'i').test(path);
    case 'prefix': {
      const value = match.value.replace(/\/+$/, '');
      return path === value || path.startsWith(`${value}/`);
    }
  }
}

/** How a data plane looks up: a table of exact values, then regular expressions, then prefixes from the longest down. */
function classLookup(routes: readonly Route[], path: string): Route | undefined {
  const holds = (r: Route) => pathMatches(r.match.path, path);
  const length = (r: Route) =>
    (r.match.path.kind === 'prefix' ? r.match.path.value.replace(/\/+$/, '') || '/' : r.match.path.value).length;
  const exactOnes = routes.filter((r) => r.match.path.kind === 'exact' && holds(r));
  const regexes = routes.filter((r) => r.match.path.kind === 'regex' && holds(r));
  const prefixes = routes.filter(
    (r) => (r.match.path.kind === 'prefix' || r.match.path.kind === 'text-prefix') && holds(r),
  );
  const longest = Math.max(...prefixes.map(length));
  const atLongest = prefixes.filter((r) => length(r) === longest);
  return exactOnes[0] ?? regexes[0] ?? atLongest.find((r) => r.match.path.kind === 'prefix') ?? atLongest[0];
}

test('first match in canonical order is what a look-up by class finds', () => {
  fc.assert(
    fc.property(
      fc.array(anyRoute, { maxLength: 12 }),
      fc.constantFrom('/', '/a', '/a/', '/a/b', '/ab', '/abc', '/b/x', '/c'),
      (routes, path) => {
        const sorted = sortRoutes(routes);
        assert.equal(
          sorted.find((r) => pathMatches(r.match.path, path)),
          classLookup(sorted, path),
        );
      },
    ),
    { numRuns: 3000 },
  );
});

const endpoint = (address: string, port = 80): Endpoint => ({ address, port, weight: 1, state: 'ready' });

test('endpoints are ordered by the number that their address is, IPv4 first, then by port', () => {
  const sorted = sortEndpoints([
    endpoint('fd00::1'),
    endpoint('10.0.0.10'),
    endpoint('10.0.0.2', 8080),
    endpoint('10.0.0.2', 80),
    endpoint('9.255.255.255'),
    endpoint('::1'),
  ]);
  assert.deepEqual(
    sorted.map((e) => `${e.address} ${e.port}`),
    ['9.255.255.255 80', '10.0.0.2 80', '10.0.0.2 8080', '10.0.0.10 80', '::1 80', 'fd00::1 80'],
  );
});

test('an endpoint that is named twice is kept once', () => {
  assert.equal(sortEndpoints([endpoint('10.0.0.1'), endpoint('10.0.0.2'), endpoint('10.0.0.1')]).length, 2);
});

test('the order of endpoints is antisymmetric and transitive, whatever stands there', () => {
  const any = fc
    .tuple(
      fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('', 'web', '::1', '0:0:0:0:0:0:0:1')),
      fc.constantFrom(80, 81),
    )
    .map(([a, p]) => endpoint(a, p));
  fc.assert(
    fc.property(any, any, any, (a, b, c) => {
      assert.equal(Math.sign(compareEndpoints(a, b)), -Math.sign(compareEndpoints(b, a)) + 0);
      if (compareEndpoints(a, b) <= 0 && compareEndpoints(b, c) <= 0) assert.ok(compareEndpoints(a, c) <= 0);
    }),
    { numRuns: 2000 },
  );
});
