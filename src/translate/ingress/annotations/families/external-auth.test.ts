import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NGINX, parsed } from '../parsed-for-test.ts';

const URL = 'http://auth.sso.svc.cluster.local:4180/oauth2/auth';
const FIELD = `metadata.annotations["${NGINX}auth-url"]`;

test('the service is a host, a port and what stands in the request line', () => {
  for (const [text, url] of [
    [URL, { scheme: 'http', host: 'auth.sso.svc.cluster.local', port: 4180, path: '/oauth2/auth' }],
    ['https://Login.Example', { scheme: 'https', host: 'login.example', port: 443 }],
    ['HTTP://login.example.?a=$arg_a', { scheme: 'http', host: 'login.example', port: 80, path: '/?a=${arg_a}' }],
    ['http://192.0.2.7:81/', { scheme: 'http', host: '192.0.2.7', port: 81, path: '/' }],
    ['http://[2001:DB8::1]/x', { scheme: 'http', host: '2001:db8::1', port: 80, path: '/x' }],
    ['http://a.example$request_uri', { scheme: 'http', host: 'a.example', port: 80, path: '${request_uri}' }],
    [
      'http://a.example/v?u=${pass_access_scheme}$query_string',
      { scheme: 'http', host: 'a.example', port: 80, path: '/v?u=${scheme}${args}' },
    ],
  ] as const) {
    const { settings, said } = parsed({ 'auth-url': text });
    assert.deepEqual(settings.externalAuth, { url, field: FIELD, auth: { protocol: 'http' } }, text);
    assert.deepEqual(said, []);
  }
});

test('a URL that names no fixed host closes the routes', () => {
  for (const text of [
    'http://unix:/run/weir/control.sock:/push',
    'unix:/run/weir/control.sock',
    'https://$host/oauth2/auth',
    'https://${http_x_host}/auth',
    'http://a.example$uri/auth',
    'http://a.example$request_uri_x',
    'http://user:secret@a.example/',
    'http://:80/',
    'http:///auth',
    'http://2130706433/',
    'http://127.1/',
    'http://0x7f.1/',
    'http://*.example/',
    'http://a.example:0/',
    'http://a.example:65536/',
    'http://[::1/',
    'http://[127.0.0.1]/',
    'ftp://a.example/',
    'a.example/auth',
    'http://a.example/\nproxy_pass http://evil;',
    'http://a.example/"; return 200; #',
    'http://a.example/$ssl_client_raw_cert',
    `http://a.example/${'x'.repeat(5000)}`,
  ]) {
    const { settings, said } = parsed({ 'auth-url': text });
    assert.equal(settings.externalAuth, undefined, text);
    assert.equal(settings.closed, `${NGINX}auth-url`, text);
    assert.deepEqual(said, ['auth-url WEIR0205'], text);
  }
});

test('everything else about the question is read', () => {
  const { settings, said } = parsed({
    'auth-url': URL,
    'auth-method': 'POST',
    'auth-signin': 'https://$host/oauth2/start?rd=$escaped_request_uri',
    'auth-signin-redirect-param': 'back',
    'auth-response-headers': 'X-User, X-Email,x-user,',
    'auth-request-redirect': '$pass_access_scheme://$best_http_host$request_uri',
    'auth-always-set-cookie': 'true',
    'auth-cache-key': '$remote_user$http_authorization',
    'auth-cache-duration': '200 202 5m, 401 30s, 403 10',
    'auth-keepalive': '16',
    'auth-keepalive-timeout': '10',
  });
  assert.deepEqual(said, []);
  assert.deepEqual(settings.externalAuth?.auth, {
    protocol: 'http',
    method: 'POST',
    responseHeaders: ['X-User', 'X-Email'],
    alwaysSetCookie: true,
    signIn: { url: 'https://${host}/oauth2/start?rd=${escaped_request_uri}', redirectParameter: 'back' },
    requestRedirect: '${scheme}://${http_host}${request_uri}',
    cache: {
      key: '${remote_user}${http_authorization}',
      durations: [
        { statuses: [200, 202], seconds: 300 },
        { statuses: [401], seconds: 30 },
        { statuses: [403], seconds: 10 },
      ],
    },
    keepAlive: { connections: 16, requests: 1000, timeoutSeconds: 10, shareVariables: false },
  });
  assert.deepEqual(parsed({ 'auth-url': URL, 'auth-cache-key': '$http_a' }).settings.externalAuth?.auth.cache, {
    key: '${http_a}',
    durations: [{ statuses: [200, 202, 401], seconds: 300 }],
  });
});

test('a value that changes who may pass closes the routes when it can not be used', () => {
  for (const [name, text] of [
    ['auth-method', 'GET\r\nX: y'],
    ['auth-signin', 'https://login.example/$unknown'],
    ['auth-response-headers', 'X-User; X'],
    ['auth-request-redirect', 'a\nb'],
    ['auth-cache-key', '$cookie_'],
    ['auth-cache-key', '$http_a";'],
    ['auth-signin', 'https://login.example/{'],
  ] as const) {
    const { settings, said } = parsed({ 'auth-url': URL, [name]: text });
    assert.equal(settings.closed, NGINX + name);
    assert.deepEqual(said, [`${name} WEIR0205`]);
  }
  for (const text of ['5m', '200 202m,', '200 5y', '99 5m', '200 5m,,', '200 x 5m']) {
    const { said } = parsed({ 'auth-url': URL, 'auth-cache-key': '$http_a', 'auth-cache-duration': text });
    assert.deepEqual(said, ['auth-cache-duration WEIR0204'], text);
  }
});

test('what adds to a question that nobody asks has no effect, and what can not be done closes the routes', () => {
  const alone = parsed({ 'auth-signin': 'https://login.example/', 'auth-cache-duration': '200 5m' });
  assert.deepEqual(alone.said, ['auth-cache-duration WEIR0208', 'auth-signin WEIR0208']);
  assert.deepEqual(alone.changed, {});
  for (const name of ['auth-snippet', 'auth-proxy-set-headers']) {
    const { settings, said } = parsed({ 'auth-url': URL, [name]: 'shop/headers' });
    assert.equal(settings.closed, NGINX + name);
    assert.deepEqual(said, [`${name} WEIR0202`]);
  }
});
