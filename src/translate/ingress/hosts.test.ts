import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backendTo, ingress, put, remove, resource, service, slice } from '../../../test/support/resources.ts';
import { findingsOf, hostOf, routesOf, translate } from './translated.fixture.ts';

const WEB = [service(), slice()];

test('exact hosts, wildcard hosts and no host become virtual hosts of their own, in lower case', () => {
  const translator = translate([...WEB, ingress({ hosts: { 'A.Example': ['/'], '*.b.example': ['/'], '': ['/'] } })]);
  assert.deepEqual([...translator.model.hosts.keys()].sort(), [
    'default/*',
    'default/*.b.example',
    'default/a.example',
  ]);
  assert.deepEqual(findingsOf(translator), ['WEIR0126 Ingress/shop/web spec.rules[0].host']);
});

for (const host of [
  'bad host',
  'a..b',
  '-a.example',
  '10.0.0.1',
  '::1',
  '*.*.a.example',
  'a.*.example',
  '*',
  '**.a.example',
  'a.example:80',
  'a.example.',
]) {
  test(`host ${JSON.stringify(host)} costs its rule and nothing else`, () => {
    const translator = translate([...WEB, ingress({ hosts: { [host]: ['/'], 'ok.example': ['/'] } })]);
    assert.deepEqual([...translator.model.hosts.keys()], ['default/ok.example']);
    assert.deepEqual(findingsOf(translator), ['WEIR0101 Ingress/shop/web spec.rules[0].host']);
  });
}

test('rules of one host, in one Ingress or several, are one virtual host that names them all', () => {
  const translator = translate([
    ...WEB,
    ingress({ hosts: { 'a.example': ['/a'], 'A.EXAMPLE': ['/b'] } }),
    ingress({ name: 'more', hosts: { 'a.example': ['/c'] } }),
  ]);
  assert.deepEqual(routesOf(translator, 'a.example').length, 3);
  assert.deepEqual(
    hostOf(translator, 'a.example').origins.map(({ object, field }) => `${object.name} ${field}`),
    ['more spec.rules[0]', 'web spec.rules[0]', 'web spec.rules[1]'],
  );
});

test('a default backend serves what no path of its own hosts matches, and requests for no known host', () => {
  const translator = translate([
    ...WEB,
    service({ name: 'rest' }),
    slice({ of: 'rest' }),
    ingress({ hosts: { 'a.example': ['/a'] }, defaultTo: 'rest:80' }),
    ingress({ name: 'other', hosts: { 'b.example': ['/b'] } }),
  ]);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix /a → shop/web:80', 'text-prefix / → shop/rest:80']);
  assert.deepEqual(routesOf(translator, '*'), ['text-prefix / → shop/rest:80']);
  assert.deepEqual(routesOf(translator, 'b.example'), ['prefix /b → shop/web:80']);
});

test('a path for everything leaves the default backend nothing to do', () => {
  for (const type of ['Prefix', 'ImplementationSpecific']) {
    const translator = translate([
      ...WEB,
      ingress({ hosts: { 'a.example': [{ path: '/', type }] }, defaultTo: 'web:80' }),
    ]);
    assert.equal(routesOf(translator, 'a.example').length, 1);
  }
});

test('of two default backends for one host the oldest serves it', () => {
  const translator = translate([
    ...WEB,
    service({ name: 'rest' }),
    slice({ of: 'rest' }),
    ingress({ name: 'a', created: '2026-02-01T00:00:00Z', defaultTo: 'web:80' }),
    ingress({ name: 'b', created: '2026-01-01T00:00:00Z', defaultTo: 'rest:80' }),
  ]);
  assert.deepEqual(routesOf(translator, '*'), ['text-prefix / → shop/rest:80']);
  assert.deepEqual(findingsOf(translator), ['WEIR0106 Ingress/shop/a spec.defaultBackend']);
});

test('a rule without paths makes a host that the default backend serves, or nobody', () => {
  const bare = (name: string, host: string, rest: object) =>
    resource('Ingress', { name }, { spec: { rules: [{ host }], ...rest } });
  const translator = translate([
    ...WEB,
    bare('a', 'a.example', { defaultBackend: backendTo('web:80') }),
    bare('b', 'b.example', {}),
  ]);
  assert.deepEqual(routesOf(translator, 'a.example'), ['text-prefix / → shop/web:80']);
  assert.deepEqual(routesOf(translator, 'b.example'), []);
});

test('an Ingress that goes takes its hosts, backends and findings with it, and what it won goes to the next', () => {
  const first = ingress({ name: 'a', hosts: { 'a.example': ['/'], 'only.example': [{ path: '/', to: 'gone:80' }] } });
  const second = ingress({ name: 'b', hosts: { 'a.example': ['/'] } });
  const translator = translate([...WEB, first, second]);
  const delta = translator.update(remove(first));
  assert.deepEqual([...delta.hosts].sort(), ['default/a.example', 'default/only.example']);
  assert.deepEqual([...translator.model.hosts.keys()], ['default/a.example']);
  assert.equal(hostOf(translator, 'a.example').routes[0]!.origin.object.name, 'b');
  assert.deepEqual(findingsOf(translator), []);
});

test('a change that changes nothing is no difference', () => {
  const objects = [...WEB, ingress({ hosts: { 'a.example': ['/'] } })];
  const translator = translate(objects);
  const delta = translator.update(put(...objects));
  assert.deepEqual(
    Object.values(delta).map((keys) => keys.size),
    [0, 0, 0, 0, 0],
  );
});
