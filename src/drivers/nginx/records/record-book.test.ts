import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redacted } from '../../../lib/redacted.ts';
import {
  sampleBackend,
  sampleDelta,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleRoute,
} from '../../testing/sample-model.ts';
import type { BackendRecord, HostRecord } from '../wire.ts';
import { RecordBook } from './record-book.ts';

function hostRecord(book: RecordBook, key: string): HostRecord {
  return JSON.parse(book.text(`h:${key}`) ?? 'null') as HostRecord;
}

function bookOf(model: Parameters<RecordBook['evaluate']>[0]): RecordBook {
  const book = new RecordBook();
  book.commit(book.evaluate(model, undefined));
  return book;
}

test('a route becomes a record with the default limits and the bounded profile', () => {
  const book = bookOf(
    sampleModel({
      hosts: [sampleHost('a.example', [sampleRoute('/', 'shop/web:http')])],
      backends: [sampleBackend('shop/web:http')],
    }),
  );
  assert.deepEqual(hostRecord(book, 'default/a.example'), {
    routes: [
      {
        origin: 'Ingress/shop/web spec.rules[0].http.paths[0]',
        path: { kind: 'prefix', value: '/' },
        bodyLimit: 1_048_576,
        boundedProfile: '@http_body_1m',
        timeouts: [5, 60, 60],
        tries: 3,
        backends: [['shop/web:http', 1]],
      },
    ],
  });
});

test('what a route retries on is told where it is not both errors and time-outs, and nothing of it means one try', () => {
  const retried = (on: readonly ('connection-error' | 'timeout' | 'invalid-header')[]) => {
    const route = sampleRoute('/', 'b', { retry: { tries: 4, on: [...on] } });
    const book = bookOf(sampleModel({ hosts: [sampleHost('a.example', [route])], backends: [sampleBackend('b')] }));
    const { routes } = hostRecord(book, 'default/a.example') as { routes: { tries?: number; retryOnly?: string }[] };
    return [routes[0]?.tries, routes[0]?.retryOnly];
  };
  assert.deepEqual(retried(['connection-error', 'timeout']), [4, undefined]);
  assert.deepEqual(retried(['connection-error']), [4, 'error']);
  assert.deepEqual(retried(['timeout', 'invalid-header']), [4, 'timeout']);
  assert.deepEqual(retried(['invalid-header']), [1, undefined]);
  assert.deepEqual(retried([]), [1, undefined]);
});

test('evaluating changes nothing, and the same model changes nothing once it is taken', () => {
  const model = sampleModel({
    hosts: [sampleHost('a.example', [sampleRoute('/', 'b')])],
    backends: [sampleBackend('b')],
  });
  const book = new RecordBook();
  assert.deepEqual([...book.evaluate(model, undefined).changes.keys()], ['b:b', 'h:default/a.example']);
  assert.equal(book.checksums.size, 0);
  book.commit(book.evaluate(model, undefined));
  assert.equal(book.evaluate(model, undefined).changes.size, 0);
});

test('changed endpoints change the backend alone, a changed protocol also the hosts that use it', () => {
  const hosts = [
    sampleHost('a.example', [sampleRoute('/', 'b')]),
    sampleHost('c.example', [sampleRoute('/', 'other')]),
  ];
  const book = bookOf(sampleModel({ hosts, backends: [sampleBackend('b'), sampleBackend('other')] }));
  const delta = sampleDelta({ backends: ['b'] });
  const moved = sampleModel({ hosts, backends: [sampleBackend('b', [['10.0.0.1', 80]]), sampleBackend('other')] });
  assert.deepEqual([...book.evaluate(moved, delta).changes.keys()], ['b:b']);
  const secure = sampleModel({
    hosts,
    backends: [sampleBackend('b', [], { protocol: 'grpc' }), sampleBackend('other')],
  });
  book.commit(book.evaluate(secure, delta));
  assert.equal(hostRecord(book, 'default/a.example').routes[0]?.profile, '@grpc');
  assert.equal(hostRecord(book, 'default/a.example').routes[0]?.boundedProfile, '@grpc_body_1m');
});

test('a route with an access rule that nginx can not enforce answers 503 and is reported', () => {
  const route = sampleRoute('/', 'b', { filters: [{ type: 'allow-sources', cidrs: ['10.0.0.0/8'] }] });
  const book = bookOf(sampleModel({ hosts: [sampleHost('a.example', [route])], backends: [sampleBackend('b')] }));
  const [record] = hostRecord(book, 'default/a.example').routes;
  assert.equal(record?.respond?.status, 503);
  assert.equal(record?.backends, undefined);
  assert.deepEqual(
    book.findings().map(({ code, severity }) => [code, severity]),
    [['WEIR0401', 'error']],
  );
});

test('a filter that nginx can not do and that restricts nothing is left out and reported', () => {
  const route = sampleRoute('/', 'b', { filters: [{ type: 'tracing', enabled: true, trustIncoming: false }] });
  const book = bookOf(sampleModel({ hosts: [sampleHost('a.example', [route])], backends: [sampleBackend('b')] }));
  assert.deepEqual(hostRecord(book, 'default/a.example').routes[0]?.backends, [['b', 1]]);
  assert.deepEqual(
    book.findings().map(({ code }) => code),
    ['WEIR0400'],
  );
});

test('a path pattern that does not compile closes what it plainly covers, after more exact routes and before others', () => {
  const bad = sampleRoute('/api/(v1', 'b', {
    match: { path: { kind: 'regex', value: '/api/(v1', ignoreCase: false } },
  });
  const hosts = [sampleHost('a.example', [bad, sampleRoute('/api/health', 'b'), sampleRoute('/', 'b')])];
  const model = sampleModel({ hosts, backends: [sampleBackend('b')] });
  const book = new RecordBook();
  const [pattern] = book.evaluate(model, undefined).patterns;
  assert.deepEqual(pattern, { pattern: '/api/(v1', ignoreCase: false });
  book.judgePattern({ pattern: '/api/(v1', ignoreCase: false }, 'missing )');
  book.commit(book.evaluate(model, undefined));
  const { routes } = hostRecord(book, 'default/a.example');
  assert.deepEqual(
    routes.map(({ path, respond }) => [path.kind, path.value, respond?.status]),
    [
      ['prefix', '/api/health', undefined],
      ['text-prefix', '/api/', 503],
      ['prefix', '/', undefined],
    ],
  );
  assert.deepEqual(
    book.findings().map(({ code }) => code),
    ['WEIR0405'],
  );
});

test('what stands in for a pattern without case has none either, comes before a pattern for everything, and is told once', () => {
  const regex = (value: string) => ({ match: { path: { kind: 'regex', value, ignoreCase: true } as const } });
  const bad = sampleRoute('/api/(v1', 'b', {
    ...regex('/api/(v1'),
    action: { kind: 'respond', status: 503, reason: 'The path is no valid regular expression' },
  });
  const rest = [sampleRoute('/API/x$', 'b', regex('/API/x$')), sampleRoute('/(.*)', 'b', regex('/(.*)'))];
  const model = sampleModel({ hosts: [sampleHost('a.example', [bad, ...rest])], backends: [sampleBackend('b')] });
  const book = new RecordBook();
  book.judgePattern({ pattern: '/api/(v1', ignoreCase: true }, 'missing )');
  book.commit(book.evaluate(model, undefined));
  assert.deepEqual(
    hostRecord(book, 'default/a.example').routes.map(({ path, respond }) => [path, respond?.status]),
    [
      [{ kind: 'regex', value: '/API/x$', ignoreCase: true }, undefined],
      [{ kind: 'regex', value: '/api/', ignoreCase: true }, 503],
      [{ kind: 'regex', value: '/(.*)', ignoreCase: true }, undefined],
    ],
  );
  assert.deepEqual(book.findings(), []);
});

test('a host over 1 MiB is served as far as it fits, the surplus answers 503 and is reported once', () => {
  const many = Array.from({ length: 8000 }, (_, index) => sampleRoute(`/${index}`, 'b'));
  const hosts = [sampleHost('big.example', many), sampleHost('a.example', [sampleRoute('/', 'b')])];
  const book = bookOf(sampleModel({ hosts, backends: [sampleBackend('b')] }));
  const { routes } = hostRecord(book, 'default/big.example');
  assert.ok(Buffer.byteLength(book.text('h:default/big.example') ?? '') <= 1_048_576);
  assert.deepEqual(hostRecord(book, 'default/a.example').routes[0]?.backends, [['b', 1]]);
  const [found, ...more] = book.findings();
  assert.deepEqual([found?.code, more], ['WEIR0406', []]);
  assert.ok(routes.some(({ respond }) => respond?.status === 503));
});

test('a backend over 1 MiB is served by the endpoints that fit, and reported', () => {
  const endpoints = Array.from({ length: 60_000 }, (_, index): [string, number] => [
    `10.${Math.floor(index / 65_536)}.${Math.floor(index / 256) % 256}.${index % 256}`,
    8080,
  ]);
  const book = bookOf(sampleModel({ backends: [sampleBackend('b', endpoints)] }));
  const text = book.text('b:b') ?? '';
  const record = JSON.parse(text) as BackendRecord;
  assert.ok(Buffer.byteLength(text) <= 1_048_576 && Buffer.byteLength(text) > 1_048_000);
  assert.deepEqual(
    record.endpoints.map(([address]) => address),
    endpoints.slice(0, record.endpoints.length).map(([address]) => address),
  );
  assert.deepEqual(
    book.findings().map(({ code }) => code),
    ['WEIR0406'],
  );
});

test('a message quotes no more of a pattern than a reader needs, and what no request could begin with is not closed', () => {
  const value = `/x${'y'.repeat(900_000)}(`;
  const bad = sampleRoute(value, 'b', { match: { path: { kind: 'regex', value, ignoreCase: true } } });
  const model = sampleModel({ hosts: [sampleHost('a.example', [bad, sampleRoute('/', 'b')])] });
  const book = new RecordBook();
  for (const pattern of book.evaluate(model, undefined).patterns) book.judgePattern(pattern, `too large: ${value}`);
  book.commit(book.evaluate(model, undefined));
  assert.deepEqual(
    hostRecord(book, 'default/a.example').routes.map(({ path }) => path.value),
    ['/'],
  );
  const [found] = book.findings();
  assert.equal(found?.code, 'WEIR0405');
  assert.ok((found?.message.length ?? 0) < 1500);
});

test('routes that need a quarantined profile answer 503, and are served again when it is lifted', () => {
  const hosts = [sampleHost('a.example', [sampleRoute('/', 'b', { bodyLimit: 5_242_880 })])];
  const book = bookOf(sampleModel({ hosts, backends: [sampleBackend('b')] }));
  assert.deepEqual(book.profileNames(), ['@http_body_5m']);
  book.quarantine(new Map([['@http_body_5m', 'invalid value']]));
  book.commit(book.evaluate(book.model, sampleDelta({})));
  assert.equal(hostRecord(book, 'default/a.example').routes[0]?.respond?.status, 503);
  assert.deepEqual(
    book.findings().map(({ code }) => code),
    ['WEIR0407'],
  );
  book.quarantine(new Map());
  book.commit(book.evaluate(book.model, sampleDelta({})));
  assert.equal(hostRecord(book, 'default/a.example').routes[0]?.respond, undefined);
});

test('SNI names have the certificates of their hosts, and the listener names the default', () => {
  const tls = { certificates: ['shop/a-tls'] };
  const certificates = ['shop/a-tls', 'shop/default'].map((id) => ({
    id,
    chain: 'chain',
    privateKey: new Redacted('key'),
    keyType: 'ec' as const,
    names: [],
    notBefore: '',
    notAfter: '',
    fingerprint: '',
    origin: sampleHost('a', []).origins[0]!,
  }));
  const listeners = [sampleListener('https', 443, { defaultCertificates: ['shop/default'] })];
  const hosts = [sampleHost('a.example', [], { tls }), sampleHost('plain.example', [])];
  const book = bookOf(sampleModel({ listeners, hosts, certificates }));
  assert.equal(book.text('s:default/a.example'), '{"certificates":["shop/a-tls"]}');
  assert.equal(book.text('s:default/*'), '{"certificates":["shop/default"]}');
  assert.equal(book.checksums.has('s:default/plain.example'), false);
  assert.equal(book.text('c:shop/a-tls'), '{"chain":"chain","key":"key","type":"ec"}');
  const without = sampleModel({ listeners: [sampleListener('https', 443)], hosts, certificates });
  assert.deepEqual(
    [...book.evaluate(without, sampleDelta({ listeners: ['https'] })).changes],
    [['s:default/*', undefined]],
  );
});

test('an endpoint that is not an address is left out and reported', () => {
  const book = bookOf(
    sampleModel({
      backends: [
        sampleBackend('b', [
          ['unix:/run/x.sock', 80],
          ['::1', 8080],
        ]),
      ],
    }),
  );
  assert.equal(book.text('b:b'), '{"balance":"rr","endpoints":[["::1",8080,1]]}');
  assert.deepEqual(
    book.findings().map(({ code }) => code),
    ['WEIR0410'],
  );
});

test('an id with white space or a percent sign is written so that a key has none, and is found again', () => {
  const book = bookOf(sampleModel({ backends: [sampleBackend('a b%')] }));
  assert.deepEqual([...book.checksums.keys()], ['b:a%20b%25']);
  assert.ok(book.text('b:a%20b%25'));
});

test('a canary keeps its order of deciding, and whether sessions hold it', () => {
  const canary = {
    backend: 'c',
    header: 'X-Canary',
    weight: 10,
    weightTotal: 100,
    followsAffinity: true,
    origin: sampleRoute('/', 'b').origin,
  };
  const route = sampleRoute('/', 'b', {
    action: { kind: 'forward', backends: [{ backend: 'b', weight: 1 }], canaries: [canary] },
  });
  const hosts = [sampleHost('a.example', [route])];
  const book = bookOf(sampleModel({ hosts, backends: [sampleBackend('b'), sampleBackend('c')] }));
  assert.deepEqual(hostRecord(book, 'default/a.example').routes[0]?.canaries, [
    {
      backend: 'c',
      header: 'X-Canary',
      weight: 10,
      total: 100,
      sticky: true,
      origin: 'Ingress/shop/web spec.rules[0].http.paths[0]',
    },
  ]);
});
