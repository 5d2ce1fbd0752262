import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PathMatch } from '../../../model/match.ts';
import { sortRoutes } from '../../../model/order.ts';
import type { Route } from '../../../model/route.ts';
import { sampleBackend, sampleHost, sampleModel } from '../../testing/sample-model.ts';
import type { HostRecord } from '../wire.ts';
import { RecordBook } from './record-book.ts';

const LIMIT = 1_048_576;

function routesOf(object: string, paths: readonly string[], more: Partial<Route> & { kind?: PathMatch['kind'] } = {}) {
  const [namespace = '', name = ''] = object.split('/');
  const { kind = 'prefix', ...rest } = more;
  return paths.map((value, index): Route => {
    const path: PathMatch = kind === 'regex' ? { kind, value, ignoreCase: false } : { kind, value };
    return {
      id: `${object} ${index}`,
      match: { path },
      filters: [],
      action: { kind: 'forward', backends: [{ backend: `${namespace}/web:80`, weight: 1 }] },
      origin: { object: { kind: 'Ingress', namespace, name }, field: `spec.rules[0].http.paths[${index}]` },
      ...rest,
    };
  });
}

/** What a host with these routes becomes, in canonical order: record, and whom findings charge. */
function rendered(...routes: readonly Route[][]) {
  const all = sortRoutes(routes.flat());
  const origins = routes.flatMap((list) =>
    list.slice(0, 1).map(({ origin }) => ({ ...origin, field: 'spec.rules[0]' })),
  );
  const host = sampleHost('shared.test', all, { origins });
  const book = new RecordBook();
  const model = sampleModel({
    hosts: [host],
    backends: [sampleBackend('default/web:80'), sampleBackend('evil/web:80')],
  });
  book.commit(book.evaluate(model, undefined));
  const text = book.text('h:default/shared.test') ?? '';
  const record = JSON.parse(text) as HostRecord;
  return {
    bytes: Buffer.byteLength(text),
    routes: record.routes,
    served: (value: string) => record.routes.some(({ path, respond }) => path.value === value && respond === undefined),
    charged: book.findings().map(({ object, code, field }) => `${code} ${object.namespace}/${object.name} ${field}`),
    messages: book.findings().map(({ message }) => message),
  };
}

const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(5, '0')}`);

/** Where the record's first route for a path stands: a text prefix or exact, as these tests have them. */
const placeOf = (routes: HostRecord['routes'], value: string) => routes.findIndex(({ path }) => path.value === value);

test('a foreign object that fills a host bears the surplus alone', () => {
  const victim = routesOf('default/victim', ['/v', '/']);
  const evil = routesOf('evil/p', numbered(6000, '/p'));
  const { bytes, served, charged, messages, routes } = rendered(victim, evil);
  assert.ok(bytes <= LIMIT);
  assert.ok(served('/v') && served('/'));
  assert.deepEqual(charged, ['WEIR0406 evil/p spec.rules[0]']);
  assert.match(
    messages[0] ?? '',
    /shared\.test take more than 1048576 bytes.*routes answer 503; the rest of the host/u,
  );
  // What it lists first is served as far as there is room; the surplus is closed, not left to `/`.
  assert.ok(served('/p00000') && served('/p00100') && !served('/p05999'));
  assert.equal(routes[placeOf(routes, '/p05999')]?.respond?.status, 503);
  assert.equal(routes.length, 6002);
});

for (const count of [10, 200, 2000]) {
  test(`the youngest object bears the surplus, also with ${count} routes in a host that had 1000 bytes left`, () => {
    const created = '2024-01-01T00:00:00Z';
    const old = (filler: number) =>
      routesOf('default/old', [...numbered(3500, '/old'), `/${'f'.repeat(filler)}`], { created });
    const full = old(LIMIT - 1000 - rendered(old(0)).bytes);
    assert.equal(rendered(full).bytes, LIMIT - 1000);
    const young = routesOf('evil/young', numbered(count, '/young'), { created: '2025-01-01T00:00:00Z' });
    const { bytes, charged, served, routes } = rendered(full, young);
    assert.ok(bytes <= LIMIT);
    assert.deepEqual(charged, ['WEIR0406 evil/young spec.rules[0]']);
    assert.ok(numbered(3500, '/old').every(served));
    const closings = routes.filter(({ respond }) => respond !== undefined);
    for (const value of numbered(count, '/young')) assert.ok(closings.some(({ path }) => value.startsWith(path.value)));
  });
}

test('objects without a time count as youngest, and of these the namespace that takes most bears the surplus', () => {
  const victim = routesOf('default/victim', ['/v', '/w', '/']);
  const evil = Array.from({ length: 7000 }, (_, index) => routesOf(`evil/p${index}`, [`/p${index}`]));
  const { bytes, charged, served } = rendered(victim, ...evil);
  assert.ok(bytes <= LIMIT);
  assert.ok(['/v', '/w', '/'].every(served));
  assert.ok(charged.length > 0 && charged.every((text) => text.includes(' evil/')));
});

test('where closing one by one takes too much room, the beginnings of the paths are closed, behind what is more exact', () => {
  const victim = routesOf('default/victim', ['/p/own', '/p00', '/']);
  const evil = routesOf('evil/p', numbered(20_000, '/p'));
  const { bytes, routes, served, charged } = rendered(victim, evil);
  assert.ok(bytes <= LIMIT);
  assert.ok(['/p/own', '/p00', '/'].every(served));
  assert.deepEqual(charged, ['WEIR0406 evil/p spec.rules[0]']);
  const closings = routes.filter(({ respond }) => respond !== undefined).map(({ path }) => path);
  assert.ok(closings.length <= 256);
  for (const value of numbered(20_000, '/p')) assert.ok(closings.some((path) => value.startsWith(path.value)));
  // More exact than any closing: before; less exact: behind those that it would take requests from.
  for (const { value } of closings) {
    assert.ok(value.length > 2 && placeOf(routes, value) < placeOf(routes, '/'));
    if (value.startsWith('/p00')) assert.ok(placeOf(routes, value) < placeOf(routes, '/p00'));
  }
});

test('a path that is huge alone is closed by its beginning', () => {
  const victim = routesOf('default/victim', ['/v', '/'], { created: '2024-01-01T00:00:00Z' });
  const evil = routesOf('evil/p', [`/huge${'x'.repeat(600_000)}`, `/large${'y'.repeat(600_000)}`]);
  const { bytes, routes, served, charged } = rendered(victim, evil);
  assert.ok(bytes < 10_000);
  assert.ok(served('/v') && served('/'));
  assert.deepEqual(charged, ['WEIR0406 evil/p spec.rules[0]']);
  const closed = routes.filter(({ respond }) => respond !== undefined).map(({ path }) => path.value.slice(0, 6));
  assert.deepEqual(closed, ['/large', '/hugex']);
});

test('expressions without a beginning that could be closed are left out where they take too much room', () => {
  const victim = routesOf('default/victim', ['/v', '/']);
  const evil = routesOf(
    'evil/p',
    numbered(300, '').map((text) => `/(${text}${'z'.repeat(8000)}|x)`),
    { kind: 'regex' },
  );
  const { bytes, served, charged, routes } = rendered(victim, evil);
  assert.ok(bytes <= LIMIT);
  assert.ok(served('/v') && served('/'));
  assert.equal(routes.length, 2);
  assert.deepEqual(charged, ['WEIR0406 evil/p spec.rules[0]']);
});

test('the host of one object alone is served as far as it fits, and no route falls to a less exact one', () => {
  const own = routesOf('default/one', ['/', ...numbered(6000, '/o')]);
  const { bytes, served, routes } = rendered(own);
  assert.ok(bytes <= LIMIT);
  assert.ok(served('/') && served('/o00000'));
  for (const value of numbered(6000, '/o')) assert.notEqual(placeOf(routes, value), -1);
});

test('of very many objects with very many beginnings something is always left that fits', () => {
  const evil = Array.from({ length: 30_000 }, (_, index) =>
    routesOf(`evil/p${index}`, [`/${String.fromCodePoint(0x4e00 + (index % 20_000))}${index}`]),
  );
  const { bytes, served } = rendered(routesOf('default/victim', ['/v']), ...evil);
  assert.ok(bytes <= LIMIT);
  assert.ok(served('/v'));
});

test('a host that fits is left as it is', () => {
  const { charged, routes } = rendered(routesOf('default/victim', ['/v']), routesOf('evil/p', numbered(3000, '/p')));
  assert.deepEqual(charged, []);
  assert.ok(routes.every(({ respond }) => respond === undefined));
});
