import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NGINX, parsed, WEIR } from '../parsed-for-test.ts';

const SECRET = { 'auth-tls-secret': 'shop/clients' };
const FIELD = `metadata.annotations["${NGINX}auth-tls-secret"]`;

test('a Secret asks for certificates of its authorities, one authority deep', () => {
  const { changed, said } = parsed(SECRET);
  const secret = { name: 'shop/clients', field: FIELD };
  assert.deepEqual([changed, said], [{ clientCertificate: { secret, mode: 'require', depth: 1 } }, []]);
  assert.deepEqual(parsed({ ...SECRET, 'auth-tls-verify-client': ' on ' }).changed, changed);
  assert.deepEqual(parsed({ ...SECRET, 'auth-tls-verify-depth': '0' }).changed, changed);
});

test('every key of the family says its part', () => {
  const { changed, said } = parsed({
    'auth-tls-secret': 'clients',
    'auth-tls-verify-client': 'optional_no_ca',
    'auth-tls-verify-depth': '3',
    'auth-tls-match-cn': 'CN=(alice|bob smith)$',
    'auth-tls-error-page': 'https://help.example/?why=certificate',
    'auth-tls-pass-certificate-to-upstream': 'true',
  });
  assert.deepEqual(said, []);
  assert.deepEqual(changed.clientCertificate, {
    secret: { name: 'clients', field: FIELD },
    mode: 'optional-no-ca',
    depth: 3,
    subjectPattern: 'CN=(alice|bob smith)$',
    errorUrl: 'https://help.example/?why=certificate',
    passToBackend: true,
  });
  assert.equal(parsed({ ...SECRET, 'auth-tls-verify-client': 'optional' }).changed.clientCertificate?.mode, 'optional');
});

test('what can not be asked as it is written closes the routes', () => {
  const closing: Record<string, string>[] = [
    { 'auth-tls-secret': 'no name of a Secret' },
    { ...SECRET, 'auth-tls-verify-client': 'yes' },
    { ...SECRET, 'auth-tls-match-cn': 'alice' },
    { ...SECRET, 'auth-tls-match-cn': 'CN=(alice' },
    { ...SECRET, 'auth-tls-match-cn': 'CN=a\nb' },
    { 'auth-tls-verify-client': 'on' },
    { 'auth-tls-verify-client': 'optional', 'auth-tls-pass-certificate-to-upstream': 'true' },
    { 'auth-tls-match-cn': 'CN=alice' },
  ];
  for (const annotations of closing) {
    const { settings, findings } = parsed(annotations);
    assert.notEqual(settings.closed, undefined, JSON.stringify(annotations));
    assert.ok(findings.some(({ severity }) => severity === 'error'));
  }
});

test('what only adds to the verification is left out where it is wrong, and told', () => {
  for (const [name, text] of [
    ['auth-tls-verify-depth', 'deep'],
    ['auth-tls-error-page', '/certificates'],
    ['auth-tls-error-page', 'https://help.example/$host'],
    ['auth-tls-pass-certificate-to-upstream', 'perhaps'],
  ] as const) {
    const { changed, said } = parsed({ ...SECRET, [name]: text });
    assert.deepEqual([changed, said], [parsed(SECRET).changed, [`${name} WEIR0204`]], `${name}: ${text}`);
  }
});

test('keys without a Secret that refuse nobody are only told about', () => {
  assert.deepEqual(parsed({ 'auth-tls-verify-depth': '2' }).said, ['auth-tls-verify-depth WEIR0208']);
  assert.deepEqual(parsed({ 'auth-tls-pass-certificate-to-upstream': 'true' }).said, [
    'auth-tls-pass-certificate-to-upstream WEIR0208',
  ]);
});

test('switched off, it asks for nothing', () => {
  for (const more of [{}, SECRET, { ...SECRET, 'auth-tls-match-cn': 'CN=alice' }]) {
    const { changed } = parsed({ ...more, 'auth-tls-verify-client': 'off' });
    assert.deepEqual(changed, {});
  }
});

test('a canary takes the client certificates of its main Ingress', () => {
  const { changed, said } = parsed({ ...SECRET, canary: 'true' });
  assert.equal(changed.clientCertificate, undefined);
  assert.deepEqual(said, ['auth-tls-secret WEIR0215']);
});

test("weir's own prefix wins for what restricts nothing", () => {
  assert.equal(parsed(SECRET, WEIR).settings.clientCertificate?.secret.field, FIELD.replace(NGINX, WEIR));
});
