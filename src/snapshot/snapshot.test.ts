import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingress, put, remove, resource, service, slice } from '../../test/support/resources.ts';
import type { Resource } from './resource.ts';
import { Snapshot } from './snapshot.ts';

function apply(snapshot: Snapshot, item: Resource) {
  const [change] = put(item);
  return snapshot.apply(change!)!;
}
const spec = (value: unknown) => resource('Ingress', {}, { spec: value });
const rule = (value: unknown) => spec({ rules: [value] });
const path = (value: object) => rule({ http: { paths: [{ pathType: 'Prefix', ...value }] } });

for (const [name, item, field, text] of [
  ['a host that is a number', rule({ host: 5 }), 'spec.rules[0].host', /is a number \(5\), must be a string/],
  ['paths that are no list', rule({ http: { paths: {} } }), 'spec.rules[0].http.paths', /is an object, must be a list/],
  ['paths that are missing', rule({ http: {} }), 'spec.rules[0].http.paths', /is missing/],
  ['a rule that is a text', rule('x'), 'spec.rules[0]', /must be an object/],
  [
    'a port number in quotes',
    path({ path: '/', backend: { service: { name: 'web', port: { number: '80' } } } }),
    'spec.rules[0].http.paths[0].backend.service.port.number',
    /is a string \("80"\), must be a whole number/,
  ],
  [
    'a port number out of range',
    path({ path: '/', backend: { service: { name: 'web', port: { number: 70000 } } } }),
    'spec.rules[0].http.paths[0].backend.service.port.number',
    /70000.*<= 65535/,
  ],
  ['a path without backend', path({ path: '/' }), 'spec.rules[0].http.paths[0].backend', /is missing/],
  [
    'an annotation that is a boolean',
    resource('Ingress', { annotations: { 'nginx.ingress.kubernetes.io/ssl-redirect': false } }, {}),
    'metadata.annotations["nginx.ingress.kubernetes.io/ssl-redirect"]',
    /is a boolean \(false\), must be a string/,
  ],
  [
    'a target port that is an object',
    service({ spec: { ports: [{ port: 80, targetPort: {} }] } }),
    'spec.ports[0].targetPort',
    /number or a string/,
  ],
  ['a time that is none', ingress({ created: 'yesterday' }), 'metadata.creationTimestamp', /RFC 3339/],
] as const) {
  test(`${name} is reported at its field, and the object keeps its good version`, () => {
    const snapshot = new Snapshot();
    const first = apply(snapshot, item);
    assert.equal(first.after, undefined);
    assert.deepEqual(
      first.findings.map((finding) => finding.field),
      [field],
    );
    assert.equal(first.findings[0]!.code, 'WEIR0100');
    assert.match(first.findings[0]!.message, text);
    assert.match(first.findings[0]!.message, /the object is not used/);
    const good = item.ref.kind === 'Service' ? service() : ingress({ hosts: { 'a.example': ['/'] } });
    const { after } = apply(snapshot, good);
    const second = apply(snapshot, item);
    assert.equal(second.after, after);
    assert.equal(second.before, after);
    assert.match(second.findings[0]!.message, /the version before it stays in force/);
    assert.equal(snapshot.refuses(item.ref), true);
    apply(snapshot, good);
    assert.equal(snapshot.refuses(item.ref), false);
  });
}

test('what is wrong with a Secret is told without its values', () => {
  const { findings } = apply(
    new Snapshot(),
    resource('Secret', {}, { data: { 'tls.key': 12345, 'tls.crt': ['PRIVATE'] } }),
  );
  assert.deepEqual(
    findings.map(({ field }) => field),
    ['data["tls.key"]', 'data["tls.crt"]'],
  );
  assert.doesNotMatch(JSON.stringify(findings), /12345|PRIVATE/);
});

test('every problem of an object is reported', () => {
  const { findings } = apply(new Snapshot(), spec({ rules: [{ host: 1 }, { host: 2 }], tls: [{ hosts: 'x' }] }));
  assert.deepEqual(
    findings.map(({ field }) => field),
    ['spec.rules[0].host', 'spec.rules[1].host', 'spec.tls[0].hosts'],
  );
});

test('null is absent, as an API server has it', () => {
  const snapshot = new Snapshot();
  const body = {
    metadata: { annotations: null, creationTimestamp: null },
    spec: { rules: [{ host: null, http: null }], tls: null },
  };
  const { findings, after } = snapshot.apply({ type: 'put', resource: { ref: ingress({}).ref, body } })!;
  assert.deepEqual(findings, []);
  assert.deepEqual(after, { ref: ingress({}).ref, annotations: {}, rules: [{ paths: [] }], tls: [] });
});

test('a null item of a list is called null', () => {
  const body = { addressType: 'IPv4', endpoints: [null] };
  const { findings } = apply(new Snapshot(), resource('EndpointSlice', {}, body));
  assert.match(findings[0]?.message ?? '', /endpoints\[0\] is null, must be an object/u);
});

test('a timestamp may be a date, as YAML readers make one of it', () => {
  const body = { metadata: { creationTimestamp: new Date('2026-01-02T03:04:05Z') } };
  const effect = new Snapshot().apply({ type: 'put', resource: { ref: ingress({}).ref, body } })!;
  assert.equal(effect.after?.created, '2026-01-02T03:04:05Z');
});

test('an object that comes again as it was is no change', () => {
  const snapshot = new Snapshot();
  apply(snapshot, service());
  const { before, after } = apply(snapshot, service());
  assert.equal(before, after);
});

test('slices are found by their Service, and no longer when they change it or go', () => {
  const snapshot = new Snapshot();
  const names = (key: string) => snapshot.slicesOf(key).map(({ ref }) => ref.name);
  apply(snapshot, slice({ name: 'b', of: 'web' }));
  apply(snapshot, slice({ name: 'a', of: 'web' }));
  assert.deepEqual(names('shop/web'), ['a', 'b']);
  apply(snapshot, slice({ name: 'a', of: 'other' }));
  assert.deepEqual([names('shop/web'), names('shop/other')], [['b'], ['a']]);
  for (const change of remove(slice({ name: 'b' }))) snapshot.apply(change);
  assert.deepEqual(names('shop/web'), []);
});

test('a slice without the Service’s label belongs to none', () => {
  const snapshot = new Snapshot();
  const effect = apply(snapshot, resource('EndpointSlice', {}, { addressType: 'IPv4', endpoints: [] }));
  assert.deepEqual(effect.findings, []);
});

test('kinds that weir does not keep pass unnoticed', () => {
  assert.equal(new Snapshot().apply(put(resource('Namespace', {}, {}))[0]!), undefined);
});
