import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOOLEAN } from './values/boolean.ts';
import { FAMILIES } from './families.ts';
import { UNSUPPORTED_KEYS } from './not-yet.ts';
import { annotationReference, explainAnnotation } from './reference.ts';

/** The keys of ingress-nginx' last version: 136 annotations and 2 older names. */
const INGRESS_NGINX_KEYS = `
server-alias allowlist-source-range whitelist-source-range backend-protocol auth-realm auth-secret auth-secret-type auth-type canary
canary-by-cookie canary-by-header canary-by-header-pattern canary-by-header-value canary-weight canary-weight-total auth-tls-error-page
auth-tls-match-cn auth-tls-pass-certificate-to-upstream auth-tls-secret auth-tls-verify-client auth-tls-verify-depth
client-body-buffer-size configuration-snippet connection-proxy-header cors-allow-credentials cors-allow-headers cors-allow-methods
cors-allow-origin cors-expose-headers cors-max-age enable-cors custom-http-errors custom-headers default-backend denylist-source-range
disable-proxy-intercept-errors enable-global-auth auth-always-set-cookie auth-cache-duration auth-cache-key auth-keepalive
auth-keepalive-requests auth-keepalive-share-vars auth-keepalive-timeout auth-method auth-proxy-set-headers auth-request-redirect
auth-response-headers auth-signin auth-signin-redirect-param auth-snippet auth-url fastcgi-index fastcgi-params-configmap
http2-push-preload load-balance enable-access-log enable-rewrite-log mirror-host mirror-request-body mirror-target enable-modsecurity
enable-owasp-core-rules modsecurity-snippet modsecurity-transaction-id enable-opentelemetry opentelemetry-operation-name
opentelemetry-trust-incoming-span proxy-body-size proxy-buffer-size proxy-buffering proxy-buffers-number proxy-busy-buffers-size
proxy-connect-timeout proxy-cookie-domain proxy-cookie-path proxy-http-version proxy-max-temp-file-size proxy-next-upstream
proxy-next-upstream-timeout proxy-next-upstream-tries proxy-read-timeout proxy-redirect-from proxy-redirect-to proxy-request-buffering
proxy-send-timeout proxy-ssl-ciphers proxy-ssl-name proxy-ssl-protocols proxy-ssl-secret proxy-ssl-server-name proxy-ssl-verify
proxy-ssl-verify-depth limit-allowlist limit-whitelist limit-burst-multiplier limit-connections limit-rate limit-rate-after limit-rpm
limit-rps from-to-www-redirect permanent-redirect permanent-redirect-code relative-redirects temporal-redirect temporal-redirect-code
app-root force-ssl-redirect preserve-trailing-slash rewrite-target ssl-redirect use-regex ssl-ciphers ssl-prefer-server-ciphers
ssl-passthrough satisfy server-snippet service-upstream affinity affinity-canary-behavior affinity-mode
session-cookie-change-on-failure session-cookie-conditional-samesite-none session-cookie-domain session-cookie-expires
session-cookie-max-age session-cookie-name session-cookie-path session-cookie-samesite session-cookie-secure stream-snippet
upstream-hash-by upstream-hash-by-subset upstream-hash-by-subset-size upstream-vhost use-port-in-redirects x-forwarded-prefix
`
  .trim()
  .split(/\s+/);

test('knows each of ingress-nginx’ 138 keys once, and no others', () => {
  assert.equal(INGRESS_NGINX_KEYS.length, 138);
  const names = annotationReference().map(({ name }) => name);
  assert.deepEqual(names.toSorted(), INGRESS_NGINX_KEYS.toSorted());
});

test('the example of every key is a value that it takes', () => {
  for (const key of FAMILIES.flatMap((family) => family.keys)) {
    assert.equal(key.kind.parse(key.example).ok, true, key.name);
  }
});

test('the default of a boolean key is a boolean unless it depends on the request', () => {
  for (const key of FAMILIES.flatMap((family) => family.keys).filter((key) => key.kind === BOOLEAN)) {
    assert.match(key.default, /^(true|false)( for requests by HTTPS)?$/, key.name);
  }
});

test('a key that needs another needs one that is known', () => {
  for (const key of FAMILIES.flatMap((family) => family.keys)) {
    if (key.needs !== undefined) assert.ok(INGRESS_NGINX_KEYS.includes(key.needs), key.name);
  }
});

test('says of each off value what it lets pass', () => {
  for (const key of UNSUPPORTED_KEYS) assert.equal(key.off === undefined, key.offValue === undefined, key.name);
});

test('explains a key by its name with or without prefix', () => {
  const { annotation } = explainAnnotation('proxy-body-size');
  assert.equal(annotation?.state, 'supported');
  assert.deepEqual(annotation?.keys, ['nginx.ingress.kubernetes.io/proxy-body-size', 'weir.dev/proxy-body-size']);
  assert.deepEqual(explainAnnotation('nginx.ingress.kubernetes.io/proxy-body-size'), { annotation });
  assert.deepEqual(explainAnnotation('weir.dev/proxy-body-size'), { annotation });
  assert.equal(explainAnnotation('auth-type').annotation?.meanwhile, 'The routes answer 503.');
});

test('names the nearest key where there is none of that name', () => {
  assert.deepEqual(explainAnnotation('proxy-body-siz'), { nearest: 'proxy-body-size' });
  assert.deepEqual(explainAnnotation('__proto__'), {});
});
