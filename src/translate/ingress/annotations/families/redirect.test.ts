import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed } from '../parsed-for-test.ts';

const URL = 'https://www.example.com/new?x=1&y=2';

test('redirects permanently and temporarily to a URL', () => {
  assert.deepEqual(parsed({ 'permanent-redirect': URL }).settings.filters, [
    { type: 'redirect', status: 301, url: URL },
  ]);
  assert.deepEqual(parsed({ 'temporal-redirect': URL }).settings.filters, [
    { type: 'redirect', status: 302, url: URL },
  ]);
});

test('takes the codes that redirect, and the default for others', () => {
  const permanent = (code: string) => parsed({ 'permanent-redirect': URL, 'permanent-redirect-code': code });
  assert.deepEqual(permanent('308').settings.filters, [{ type: 'redirect', status: 308, url: URL }]);
  const temporal = parsed({ 'temporal-redirect': URL, 'temporal-redirect-code': '307' });
  assert.deepEqual(temporal.settings.filters, [{ type: 'redirect', status: 307, url: URL }]);
  for (const code of ['200', '304', '404', '3e2', 'abc', '-301', '+301']) {
    const { settings, said } = permanent(code);
    assert.deepEqual(settings.filters, [{ type: 'redirect', status: 301, url: URL }], code);
    assert.deepEqual(said, ['permanent-redirect-code WEIR0204'], code);
  }
});

test('the temporal redirect wins over the permanent one', () => {
  const { filters } = parsed({ 'permanent-redirect': URL, 'temporal-redirect': 'http://b.example' }).settings;
  assert.deepEqual(filters, [{ type: 'redirect', status: 302, url: 'http://b.example' }]);
});

test('refuses URLs of other schemes, without a host, with variables, quotes or line breaks', () => {
  const hostile = [
    'javascript:alert(1)',
    '//evil.example',
    '/path',
    'https://',
    'https:///x',
    'https://a.example/$request_uri',
    'https://a.example/"; return 200',
    'https://a.example/\r\nSet-Cookie: a=b',
    'https://a.example/\0',
    'https://a.example:99999/',
    `https://a.example/${'x'.repeat(1_000_000)}`,
    'https://ü.example/',
  ];
  for (const url of hostile) {
    const { changed, said } = parsed({ 'permanent-redirect': url });
    assert.deepEqual([changed, said], [{}, ['permanent-redirect WEIR0204']], url.slice(0, 40));
  }
});

test('a code without its redirect is reported', () => {
  assert.deepEqual(parsed({ 'permanent-redirect-code': '308' }).said, ['permanent-redirect-code WEIR0208']);
});

test('app-root redirects the root only, and comes before other redirects', () => {
  assert.deepEqual(parsed({ 'app-root': '/app', 'permanent-redirect': URL }).settings.filters, [
    { type: 'redirect', status: 302, onlyPath: '/', path: { kind: 'full', value: '/app' } },
    { type: 'redirect', status: 301, url: URL },
  ]);
});

test('app-root refuses what is not a path of this host, and / which would redirect for ever', () => {
  for (const path of ['//evil.example', 'https://evil.example', 'app', '/$host', '/a\nb', '/a b']) {
    const { changed, said } = parsed({ 'app-root': path });
    assert.deepEqual([changed, said], [{}, ['app-root WEIR0204']], path);
  }
  assert.deepEqual(parsed({ 'app-root': '/' }).changed, {});
});
