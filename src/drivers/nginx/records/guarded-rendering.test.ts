import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redacted } from '../../../lib/redacted.ts';
import type { Backend } from '../../../model/backend.ts';
import type { Certificate } from '../../../model/certificate.ts';
import type { VirtualHost } from '../../../model/virtual-host.ts';
import {
  sampleBackend,
  sampleDelta,
  sampleHost,
  sampleModel,
  sampleOrigin,
  sampleRoute,
} from '../../testing/sample-model.ts';
import { RecordBook } from './record-book.ts';

/** Throws as soon as somebody looks at its routes. */
function brokenHost(name: string): VirtualHost {
  return Object.defineProperty(sampleHost(name, []), 'routes', {
    get: () => {
      throw new Error('a bug');
    },
  });
}

const good = (name: string, path = '/') => sampleHost(name, [sampleRoute(path, 'b', { bodyLimit: 7 })]);
const A = sampleDelta({ hosts: ['default/a.example'] });

test('a host that weir fails to render costs only itself: it answers 503 where it is new, and is told', () => {
  const book = new RecordBook();
  const model = sampleModel({ hosts: [good('a.example'), brokenHost('x.example')], backends: [sampleBackend('b')] });
  book.commit(book.evaluate(model, undefined));
  assert.match(book.text('h:default/x.example') ?? '', /"status":503/u);
  assert.match(book.text('h:default/a.example') ?? '', /"backends"/u);
  assert.deepEqual(
    book.findings().map(({ code, object }) => `${code} ${object.name}`),
    ['WEIR0500 web'],
  );
});

test('one that nginx has stays as it is, with the profile that it needs, until weir can render it', () => {
  const book = new RecordBook();
  const model = (host: VirtualHost) => sampleModel({ hosts: [host], backends: [sampleBackend('b')] });
  book.commit(book.evaluate(model(good('a.example')), undefined));
  const before = book.checksums.get('h:default/a.example');
  const failed = book.evaluate(model(brokenHost('a.example')), A);
  assert.deepEqual([...failed.changes], []);
  book.commit(failed);
  assert.equal(book.checksums.get('h:default/a.example'), before);
  assert.deepEqual(book.profileNames(), ['@http_body_7']);
  assert.equal(book.findings().length, 1);
  // Tried again with whatever changes next.
  const mended = book.evaluate(model(good('a.example', '/new')), sampleDelta({ backends: ['b'] }));
  assert.deepEqual([...mended.changes.keys()], ['h:default/a.example']);
  book.commit(mended);
  assert.deepEqual(book.findings(), []);
});

test('a backend and a certificate that weir fails to render cost only themselves, and nothing secret is told', () => {
  const broken = Object.defineProperty({ ...sampleBackend('x') }, 'endpoints', {
    get: () => {
      throw new Error('a bug');
    },
  }) as Backend;
  const certificate: Certificate = {
    id: 'shop/cert',
    chain: '',
    get privateKey(): Redacted {
      throw new Error('hunter2');
    },
    keyType: 'ec',
    names: [],
    notBefore: '2026-01-01T00:00:00Z',
    notAfter: '2027-01-01T00:00:00Z',
    fingerprint: '',
    origin: sampleOrigin('cert'),
  };
  const book = new RecordBook();
  const model = sampleModel({
    hosts: [good('a.example')],
    backends: [sampleBackend('b'), broken],
    certificates: [certificate],
  });
  book.commit(book.evaluate(model, undefined));
  assert.equal(book.text('b:x'), '{"balance":"rr","endpoints":[]}');
  assert.equal(book.checksums.has('c:shop/cert'), false);
  assert.equal(book.checksums.has('h:default/a.example'), true);
  const messages = book.findings().map(({ code, message }) => `${code} ${message}`);
  assert.equal(messages.length, 2);
  assert.doesNotMatch(messages.join(), /hunter2/u);
});
