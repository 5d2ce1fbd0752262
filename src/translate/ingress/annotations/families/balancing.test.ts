import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed } from '../parsed-for-test.ts';

test('knows the balancing algorithms', () => {
  assert.equal(parsed({}).settings.balancing, undefined);
  assert.deepEqual(parsed({ 'load-balance': 'round_robin' }).settings.balancing, { kind: 'round-robin' });
  assert.deepEqual(parsed({ 'load-balance': 'ewma' }).settings.balancing, { kind: 'ewma' });
  assert.deepEqual(parsed({ 'load-balance': 'least_conn' }).settings.balancing, { kind: 'least-connections' });
  for (const text of ['ip_hash', 'EWMA', 'chash', 'constructor', '__proto__', '$x']) {
    const { changed, said } = parsed({ 'load-balance': text });
    assert.deepEqual([changed, said], [{}, ['load-balance WEIR0204']], text);
  }
});

test('reads hash keys of text and variables', () => {
  const key = (text: string) => {
    const { balancing } = parsed({ 'upstream-hash-by': text }).settings;
    return balancing?.kind === 'hash' ? balancing.key : undefined;
  };
  assert.deepEqual(key('$request_uri'), [{ kind: 'uri' }]);
  assert.deepEqual(key('$uri$host'), [{ kind: 'path' }, { kind: 'host' }]);
  assert.deepEqual(key('${request_uri}-text-value'), [{ kind: 'uri' }, { kind: 'text', value: '-text-value' }]);
  assert.deepEqual(key('$remote_addr'), [{ kind: 'client-address' }]);
  assert.deepEqual(key('$binary_remote_addr'), [{ kind: 'client-address' }]);
  assert.deepEqual(key('$http_x_user_id'), [{ kind: 'header', name: 'x-user-id' }]);
  assert.deepEqual(key('$cookie_sid$arg_User'), [
    { kind: 'cookie', name: 'sid' },
    { kind: 'query', name: 'User' },
  ]);
  assert.deepEqual(key('$host $uri'), [{ kind: 'host' }, { kind: 'path' }]);
});

test('refuses hash keys that can’t be read or that name other variables', () => {
  for (const text of [
    '$',
    '${',
    '${host',
    '$host}',
    '$1',
    '$ssl_client_cert',
    '$http_',
    '$args',
    'a b;c',
    '$host\n',
    '"',
    '$'.repeat(1_000_000),
  ]) {
    const { changed, said } = parsed({ 'upstream-hash-by': text });
    assert.deepEqual([changed, said], [{}, ['upstream-hash-by WEIR0204']], text.slice(0, 20));
  }
});

test('hashing wins over load-balance', () => {
  assert.equal(parsed({ 'upstream-hash-by': '$host', 'load-balance': 'ewma' }).settings.balancing?.kind, 'hash');
  assert.equal(parsed({ 'upstream-hash-by': '$nope', 'load-balance': 'ewma' }).settings.balancing?.kind, 'ewma');
});

test('hashes to subsets of three unless told another size', () => {
  const balancing = (annotations: Record<string, string>) =>
    parsed({ 'upstream-hash-by': '$host', ...annotations }).settings.balancing;
  const key = [{ kind: 'host' }];
  assert.deepEqual(balancing({ 'upstream-hash-by-subset': 'true' }), { kind: 'hash', key, subsetSize: 3 });
  assert.deepEqual(balancing({ 'upstream-hash-by-subset': 'true', 'upstream-hash-by-subset-size': '5' }), {
    kind: 'hash',
    key,
    subsetSize: 5,
  });
  assert.deepEqual(balancing({ 'upstream-hash-by-subset': 'true', 'upstream-hash-by-subset-size': '0' }), {
    kind: 'hash',
    key,
    subsetSize: 3,
  });
  assert.deepEqual(balancing({ 'upstream-hash-by-subset': 'false', 'upstream-hash-by-subset-size': '5' }), {
    kind: 'hash',
    key,
  });
  assert.deepEqual(parsed({ 'upstream-hash-by-subset': 'true' }).said, ['upstream-hash-by-subset WEIR0208']);
});

test('keeps sessions by a cookie, with ingress-nginx’ defaults', () => {
  assert.deepEqual(parsed({ affinity: 'cookie' }).settings.affinity, {
    kind: 'cookie',
    name: 'INGRESSCOOKIE',
    mode: 'balanced',
    changeOnFailure: false,
  });
});

test('reads everything about the session cookie', () => {
  const { settings, said } = parsed({
    affinity: 'cookie',
    'affinity-mode': 'persistent',
    'session-cookie-name': 'route',
    'session-cookie-path': '/shop',
    'session-cookie-domain': '.example.com',
    'session-cookie-max-age': '172800',
    'session-cookie-expires': '-1',
    'session-cookie-samesite': 'none',
    'session-cookie-conditional-samesite-none': 'true',
    'session-cookie-secure': 'true',
    'session-cookie-change-on-failure': 'true',
  });
  assert.deepEqual(said, []);
  assert.deepEqual(settings.affinity, {
    kind: 'cookie',
    name: 'route',
    mode: 'persistent',
    path: '/shop',
    domain: '.example.com',
    maxAgeSeconds: 172_800,
    expiresSeconds: -1,
    sameSite: 'None',
    conditionalSameSiteNone: true,
    secure: true,
    changeOnFailure: true,
  });
});

test('lets nothing into the cookie that could end it or begin another', () => {
  const hostile: [string, string[]][] = [
    ['session-cookie-name', ['a;b', 'a=b', 'a b', 'a\nb', '$x', '', 'é', '__proto__;']],
    ['session-cookie-path', ['/a; Domain=evil.example', '/a\r\nX: y', '/$1', '/é']],
    ['session-cookie-domain', ['a;b', 'a..b', 'a b', '$host', 'a/b']],
    ['session-cookie-max-age', ['1d', '0abc', 'abc5', '1.5', '99999999999999']],
    ['session-cookie-samesite', ['Lax; Secure', 'yes']],
    ['affinity-mode', ['sticky']],
  ];
  for (const [name, texts] of hostile) {
    for (const text of texts) {
      const { settings, said } = parsed({ affinity: 'cookie', [name]: text });
      assert.deepEqual(settings.affinity, parsed({ affinity: 'cookie' }).settings.affinity, text);
      assert.equal(said.length, 1, text);
    }
  }
});

test('session cookies without affinity are reported, and no affinity comes of them', () => {
  const { changed, said } = parsed({ 'session-cookie-name': 'route' });
  assert.deepEqual([changed, said], [{}, ['session-cookie-name WEIR0208']]);
  assert.deepEqual(parsed({ affinity: 'ip' }).changed, {});
});
