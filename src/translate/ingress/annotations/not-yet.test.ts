import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed, NGINX, WEIR } from './parsed-for-test.ts';
import { UNSUPPORTED_KEYS } from './not-yet.ts';

const SAMPLE = 'some-value';

test('every unsupported key that restricts access closes the routes with an error', () => {
  for (const key of UNSUPPORTED_KEYS.filter((key) => key.restrictsAccess)) {
    for (const prefix of [NGINX, WEIR]) {
      const { changed, said, findings } = parsed({ [key.name]: SAMPLE }, prefix);
      assert.deepEqual(changed, { closed: prefix + key.name });
      assert.deepEqual(said, [`${key.name} WEIR0202`]);
      assert.equal(findings[0]?.severity, 'error');
    }
  }
});

test('every other unsupported key is a warning and changes nothing', () => {
  for (const key of UNSUPPORTED_KEYS.filter((key) => !key.restrictsAccess)) {
    const { changed, said, findings } = parsed({ [key.name]: SAMPLE });
    assert.deepEqual([changed, said], [{}, [`${key.name} WEIR0203`]]);
    assert.equal(findings[0]?.severity, 'warning');
  }
});

test('restricts access: auth, client certificates, source ranges, satisfy, limits, ModSecurity and snippets', () => {
  for (const { name, restrictsAccess } of UNSUPPORTED_KEYS) {
    const listed =
      /^(auth|limit)-/.test(name) ||
      /-source-range$|-snippet$|modsecurity|^satisfy$|^enable-owasp-core-rules$/.test(name);
    assert.equal(restrictsAccess, listed, name);
  }
});

test('a value that asks for nothing closes nothing and says nothing', () => {
  const off: Record<string, string>[] = [
    { 'enable-modsecurity': 'false' },
    { 'enable-owasp-core-rules': 'False' },
    { 'enable-modsecurity': 'false', 'enable-owasp-core-rules': 'true', 'modsecurity-snippet': 'SecRuleEngine On' },
    { 'limit-rps': '0' },
    { 'limit-rpm': '-1' },
    { 'limit-connections': '0' },
    { 'limit-rate': '0' },
    { satisfy: 'all' },
    { 'auth-tls-verify-client': 'off' },
    { 'auth-tls-verify-client': 'off', 'auth-tls-secret': 'shop/ca', 'auth-tls-verify-depth': '1' },
    { 'auth-tls-pass-certificate-to-upstream': 'false' },
    { 'allowlist-source-range': '0.0.0.0/0, ::/0' },
    { 'enable-cors': 'false' },
    { 'ssl-passthrough': 'false' },
  ];
  for (const annotations of off) {
    const { changed, said } = parsed(annotations);
    assert.deepEqual([changed, said], [{}, []], JSON.stringify(annotations));
  }
});

test('a value that is not surely off closes the routes', () => {
  const closing: Record<string, string>[] = [
    { 'enable-modsecurity': 'no' },
    { 'enable-modsecurity': 'true' },
    { 'limit-rps': '5' },
    { 'limit-rps': '0 ' },
    { 'limit-rps': 'none' },
    { satisfy: 'any' },
    { 'auth-tls-verify-client': 'optional' },
    { 'auth-tls-secret': 'shop/ca', 'auth-tls-verify-client': 'OFF' },
    { 'allowlist-source-range': '0.0.0.0/0' },
    { 'whitelist-source-range': '10.0.0.0/8' },
    { 'configuration-snippet': 'deny all;' },
  ];
  for (const annotations of closing) {
    assert.notEqual(parsed(annotations).settings.closed, undefined, JSON.stringify(annotations));
  }
});

test('an empty restriction restricts nothing, as in ingress-nginx, but an empty source range closes, as there', () => {
  for (const text of ['', ' \n ']) {
    for (const name of [
      'auth-url',
      'auth-tls-secret',
      'auth-type',
      'limit-rps',
      'server-snippet',
      'enable-modsecurity',
    ]) {
      const { changed, said } = parsed({ [name]: text });
      assert.deepEqual([changed, said], [{}, [`${name} WEIR0207`]]);
    }
    for (const name of ['whitelist-source-range', 'allowlist-source-range', 'denylist-source-range']) {
      assert.equal(parsed({ [name]: text }).settings.closed, NGINX + name);
    }
  }
});

test('of one family of restrictions the key that says what is restricted is told about, and names the others', () => {
  const basic = parsed({ 'auth-realm': 'x', 'auth-secret': 's', 'auth-type': 'basic', 'limit-rps': '5' });
  assert.equal(basic.settings.closed, `${NGINX}auth-type`);
  assert.deepEqual(basic.said, ['auth-type WEIR0202', 'limit-rps WEIR0202']);
  assert.match(basic.findings[0]!.message, /^auth-type \(and with it auth-secret, auth-realm\) restricts access/);
  const misspelt = parsed({ 'auth-reaml': 'x', 'limit-rps': '5' });
  assert.equal(misspelt.settings.closed, `${NGINX}limit-rps`);
});
