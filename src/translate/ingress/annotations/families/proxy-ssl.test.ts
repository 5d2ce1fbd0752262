import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NGINX, parsed } from '../parsed-for-test.ts';

const HTTPS = { 'backend-protocol': 'HTTPS' };
const VERIFYING = {
  ...HTTPS,
  'proxy-ssl-secret': 'shop/inside',
  'proxy-ssl-verify': 'on',
  'proxy-ssl-name': 'Web.inside.test',
};
const SECRET = { name: 'shop/inside', field: `metadata.annotations["${NGINX}proxy-ssl-secret"]` };

test('what TLS towards the backend needs is read, with depth 1 unless another is given', () => {
  const { settings, said } = parsed({
    ...VERIFYING,
    'proxy-ssl-server-name': 'on',
    'proxy-ssl-ciphers': 'HIGH:!aNULL',
    'proxy-ssl-protocols': 'TLSv1.3  TLSv1.2',
  });
  assert.deepEqual(settings.backendTls, {
    secret: SECRET,
    verify: true,
    serverName: 'web.inside.test',
    sendServerName: true,
    depth: 1,
    protocols: ['TLSv1.2', 'TLSv1.3'],
    ciphers: 'HIGH:!aNULL',
  });
  assert.deepEqual(said, []);
  assert.equal(parsed({ ...VERIFYING, 'proxy-ssl-verify-depth': '3' }).settings.backendTls?.depth, 3);
  assert.equal(parsed({ ...VERIFYING, 'backend-protocol': 'GRPCS' }).settings.backendTls?.verify, true);
});

test('what asks for nothing makes no backend of its own', () => {
  for (const annotations of [
    { 'proxy-ssl-verify': 'off' },
    { 'proxy-ssl-name': 'web.inside.test' },
    { 'proxy-ssl-name': 'web.inside.test', 'proxy-ssl-server-name': 'off' },
  ]) {
    const { settings, said } = parsed({ ...HTTPS, ...annotations });
    assert.deepEqual([settings.backendTls, said], [undefined, []]);
  }
});

test('verification without anything to verify by, or without a name, closes the routes', () => {
  const secretless = parsed({ ...HTTPS, 'proxy-ssl-verify': 'on', 'proxy-ssl-name': 'web.inside.test' });
  assert.deepEqual(secretless.said, ['proxy-ssl-verify WEIR0212']);
  assert.match(secretless.findings[0]?.message ?? '', /there is no proxy-ssl-secret, so no authorities to verify by/);
  const nameless = parsed({ ...HTTPS, 'proxy-ssl-verify': 'on', 'proxy-ssl-secret': 'shop/inside' });
  assert.deepEqual(nameless.said, ['proxy-ssl-verify WEIR0212']);
  assert.match(nameless.findings[0]?.message ?? '', /there is no proxy-ssl-name, so no name to verify/);
  for (const { settings } of [secretless, nameless]) assert.equal(settings.closed, `${NGINX}proxy-ssl-verify`);
});

test('an invalid value of what makes the connection safe closes the routes; of the rest the default holds', () => {
  for (const [name, value] of [
    ['proxy-ssl-verify', 'true'],
    ['proxy-ssl-secret', 'a/b/c'],
    ['proxy-ssl-secret', '../etc'],
    ['proxy-ssl-name', '10.0.0.1'],
    ['proxy-ssl-name', '*.inside.test'],
    ['proxy-ssl-name', '$host'],
  ] as const) {
    const { settings, said } = parsed({ ...VERIFYING, [name]: value });
    assert.deepEqual([settings.closed, said], [`${NGINX}${name}`, [`${name} WEIR0205`]], value);
  }
  for (const [name, value] of [
    ['proxy-ssl-verify-depth', '-1'],
    ['proxy-ssl-ciphers', 'HIGH; evil'],
    ['proxy-ssl-protocols', 'TLSv1.2,TLSv1.3'],
  ] as const) {
    const { settings, said } = parsed({ ...VERIFYING, [name]: value });
    assert.deepEqual([settings.closed, said], [undefined, [`${name} WEIR0204`]], value);
    assert.deepEqual(settings.backendTls, parsed(VERIFYING).settings.backendTls);
  }
});

test('without TLS towards the backend each of them has no effect, and says so unless it is off', () => {
  const { settings, said, findings } = parsed({
    'proxy-ssl-secret': 'shop/inside',
    'proxy-ssl-verify': 'off',
    'proxy-ssl-ciphers': 'HIGH',
  });
  assert.equal(settings.backendTls, undefined);
  assert.deepEqual(said, ['proxy-ssl-ciphers WEIR0208', 'proxy-ssl-secret WEIR0208']);
  assert.match(findings[0]?.message ?? '', /no effect without backend-protocol: HTTPS or GRPCS/);
});

test('a depth without verification, and sending a name that is not there, have no effect and say so', () => {
  const { settings, said } = parsed({ ...HTTPS, 'proxy-ssl-verify-depth': '2', 'proxy-ssl-server-name': 'on' });
  assert.equal(settings.backendTls, undefined);
  assert.deepEqual(said, ['proxy-ssl-server-name WEIR0208', 'proxy-ssl-verify-depth WEIR0208']);
});
