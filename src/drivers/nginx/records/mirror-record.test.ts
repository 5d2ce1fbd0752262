import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleBackend, sampleHost, sampleModel, sampleRoute } from '../../testing/sample-model.ts';
import type { HostRecord } from '../wire.ts';
import { RecordBook } from './record-book.ts';
import type { Filter } from '../../../model/filter.ts';
import type { Backend } from '../../../model/backend.ts';

function render(filters: Filter[], main: Partial<Backend> = {}, copy: Partial<Backend> = {}) {
  const book = new RecordBook();
  const model = sampleModel({
    hosts: [sampleHost('a.example', [sampleRoute('/', 'b', { filters })])],
    backends: [
      { ...sampleBackend('b'), ...main },
      { ...sampleBackend('copy'), ...copy },
    ],
  });
  book.commit(book.evaluate(model, undefined));
  const record = JSON.parse(book.text('h:default/a.example') ?? '') as HostRecord;
  return { route: record.routes[0], profiles: book.profileNames().toSorted(), findings: book.findings() };
}

test('a mirror with bodies needs the profiles that keep them, one without needs none', () => {
  const withBody = render([{ type: 'mirror', backend: 'copy', fraction: { numerator: 1, denominator: 3 } }]);
  assert.deepEqual(withBody.route?.mirrors, [{ backend: 'copy', fraction: [1, 3] }]);
  assert.equal(withBody.route.profile, '@http_read');
  assert.equal(withBody.route.boundedProfile, '@http_read_body_1m');
  assert.deepEqual(withBody.profiles, ['@http_read', '@http_read_body_1m']);
  const without = render([
    { type: 'mirror', backend: 'copy', withBody: false, host: 'other.example', path: 'a b' },
    { type: 'mirror', backend: 'copy', withBody: false },
  ]);
  assert.deepEqual(without.route?.mirrors, [
    { backend: 'copy', host: 'other.example', path: '/a%20b', withoutBody: true },
    { backend: 'copy', withoutBody: true },
  ]);
  assert.equal(without.route.profile, undefined);
  assert.deepEqual(without.findings, []);
});

test('a mirror that can not be is left out and reported', () => {
  for (const { route, findings } of [
    render([{ type: 'mirror', backend: 'copy' }], {}, { protocol: 'grpc' }),
    render([{ type: 'mirror', backend: 'copy' }], { protocol: 'h2c' }),
    render([{ type: 'mirror', backend: 'copy', host: 'a\nb' }]),
  ]) {
    assert.equal(route?.mirrors, undefined);
    assert.deepEqual(route?.backends, [['b', 1]]);
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['WEIR0400'],
    );
  }
});

test('a second auth service, or one before an answer of weir itself, closes the route', () => {
  const auth: Filter = { type: 'external-auth', auth: { backend: 'copy', path: '/', protocol: 'http' } };
  const twice = render([auth, auth]);
  assert.equal(twice.route?.respond?.status, 503);
  assert.deepEqual(
    twice.findings.map(({ code }) => code),
    ['WEIR0401'],
  );
  assert.deepEqual(render([auth]).route?.auth, { backend: 'copy', path: '/' });
});
