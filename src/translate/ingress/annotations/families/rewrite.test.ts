import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed } from '../parsed-for-test.ts';

test('takes paths with captures as rewrite targets', () => {
  for (const target of ['/', '/$1', '/api/$2/x', '$1', '/a-b_c.d~e:f', '/$1$2']) {
    assert.deepEqual(parsed({ 'rewrite-target': target }).changed, { rewriteTarget: target }, target);
  }
  assert.deepEqual(parsed({ 'rewrite-target': ' /$1 \n' }).changed, { rewriteTarget: '/$1' });
});

test('closes the routes when the rewrite target can’t be used, because without it other parts of the backend would open', () => {
  const hostile = [
    '/$host',
    '/${1}',
    '/$0',
    '/$',
    '/$$1',
    '/a b',
    '/a;return 200',
    '/a"b',
    '/a{',
    '/a\nb',
    '/a\0',
    '/ä',
    'foo/$1',
    'ftp://x/',
    'http://',
    '/'.repeat(5000),
    '/a\\b',
    "/a'b",
    '/a?b=c',
    '/a#b',
  ];
  for (const target of hostile) {
    const { changed, said } = parsed({ 'rewrite-target': target });
    const closed = { closed: 'nginx.ingress.kubernetes.io/rewrite-target', useRegex: true };
    assert.deepEqual(changed, closed, JSON.stringify(target));
    assert.deepEqual(said, ['rewrite-target WEIR0205'], JSON.stringify(target));
  }
});

test('an empty rewrite target is none', () => {
  const { changed, said } = parsed({ 'rewrite-target': '' });
  assert.deepEqual([changed, said], [{}, ['rewrite-target WEIR0206']]);
});

test('a rewrite target that is a URL redirects with 302, keeps the query, and turns regular expressions on', () => {
  assert.deepEqual(parsed({ 'rewrite-target': 'https://new.example/$1' }).changed, {
    useRegex: true,
    filters: [{ type: 'redirect', status: 302, url: 'https://new.example/$1', keepQuery: true }],
  });
});

test('use-regex turns regular expressions on; an invalid value leaves them off', () => {
  assert.deepEqual(parsed({ 'use-regex': 'true' }).changed, { useRegex: true });
  assert.deepEqual(parsed({ 'use-regex': 'false' }).changed, {});
  const { changed, said } = parsed({ 'use-regex': 'yes' });
  assert.deepEqual([changed, said], [{}, ['use-regex WEIR0204']]);
});

test('x-forwarded-prefix counts only beside a rewrite target', () => {
  assert.deepEqual(parsed({ 'x-forwarded-prefix': '/shop', 'rewrite-target': '/$1' }).changed, {
    rewriteTarget: '/$1',
    forwardedPrefix: '/shop',
  });
  const { changed, said } = parsed({ 'x-forwarded-prefix': '/shop' });
  assert.deepEqual([changed, said], [{}, ['x-forwarded-prefix WEIR0208']]);
  for (const prefix of ['/$1', '/a\r\nX-Admin: 1', '/a b', 'é']) {
    const hostile = parsed({ 'x-forwarded-prefix': prefix, 'rewrite-target': '/' });
    assert.deepEqual([hostile.settings.forwardedPrefix, hostile.said], [undefined, ['x-forwarded-prefix WEIR0204']]);
  }
});
