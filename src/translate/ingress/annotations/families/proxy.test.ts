import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed } from '../parsed-for-test.ts';

test('reads body sizes as nginx does, 0 being no limit', () => {
  const sizes: [string, number][] = [
    ['0', 0],
    ['1000', 1000],
    ['8k', 8192],
    ['8K', 8192],
    ['8m', 8_388_608],
    ['1G', 1_073_741_824],
    [' 8m ', 8_388_608],
  ];
  for (const [text, bytes] of sizes) {
    const { settings, said } = parsed({ 'proxy-body-size': text });
    assert.deepEqual([settings.bodyLimit, said], [bytes, []], text);
  }
});

test('refuses sizes that nginx has no words for, and says how to write them', () => {
  for (const text of [
    '8Mi',
    '8MB',
    '8 m',
    '-1',
    '1.5m',
    'm',
    '8b',
    '9'.repeat(30),
    '9007199254740991g',
    '$size',
    '8m;',
    '1'.repeat(1_000_000),
  ]) {
    const { settings, said } = parsed({ 'proxy-body-size': text });
    assert.deepEqual([settings.bodyLimit, said], [undefined, ['proxy-body-size WEIR0204']], text.slice(0, 20));
  }
  assert.equal(parsed({ 'proxy-body-size': '8Mi' }).findings[0]?.fix, 'Write "8m".');
});

test('reads time-outs as plain seconds', () => {
  const all = { 'proxy-connect-timeout': '5', 'proxy-send-timeout': '120', 'proxy-read-timeout': '3600' };
  assert.deepEqual(parsed(all).changed, { timeouts: { connect: 5, send: 120, read: 3600 } });
  assert.deepEqual(parsed({ 'proxy-read-timeout': '99999999999' }).settings.timeouts, { read: 2_147_483 });
});

test('refuses time-outs with a unit, of zero or below, and says how to write them', () => {
  for (const text of ['60s', '1m', '1.5', '0', '-5', 'never', ' 60', '6e1', '0x10', '$timeout', '1_000']) {
    const { settings, said } = parsed({ 'proxy-read-timeout': text });
    assert.deepEqual([settings.timeouts, said], [{}, ['proxy-read-timeout WEIR0204']], text);
  }
  assert.equal(parsed({ 'proxy-read-timeout': '5m' }).findings[0]?.fix, 'Write "300": seconds, without a unit.');
  assert.equal(parsed({ 'proxy-read-timeout': '60s' }).findings[0]?.fix, 'Write "60": seconds, without a unit.');
});

test('reads the conditions, tries and time-out of retries, with ingress-nginx’ defaults', () => {
  assert.equal(parsed({}).settings.retry, undefined);
  assert.deepEqual(parsed({ 'proxy-next-upstream': 'error timeout invalid_header non_idempotent' }).settings.retry, {
    tries: 3,
    on: ['connection-error', 'timeout', 'invalid-header', 'non-idempotent'],
  });
  assert.deepEqual(parsed({ 'proxy-next-upstream-tries': '5', 'proxy-next-upstream-timeout': '10' }).settings.retry, {
    tries: 5,
    on: ['connection-error', 'timeout'],
    timeoutSeconds: 10,
  });
  assert.equal(parsed({ 'proxy-next-upstream-tries': '0' }).settings.retry?.tries, 0);
  assert.equal(parsed({ 'proxy-next-upstream-timeout': '0' }).settings.retry?.timeoutSeconds, undefined);
});

test('off means one try, whatever stands beside it', () => {
  for (const text of ['off', 'error off', 'off http_500']) {
    const { settings, said } = parsed({ 'proxy-next-upstream': text, 'proxy-next-upstream-tries': '5' });
    assert.deepEqual([settings.retry, said], [{ tries: 1, on: [] }, []], text);
  }
});

test('reports answers of the backend as conditions, and keeps the others', () => {
  const { settings, said } = parsed({ 'proxy-next-upstream': 'error http_502 http_503' });
  assert.deepEqual([settings.retry?.on, said], [['connection-error'], ['proxy-next-upstream WEIR0211']]);
  assert.equal(parsed({ 'proxy-next-upstream': 'http_502' }).settings.retry?.tries, 1);
});

test('ignores a list with an unknown condition, and names the nearest', () => {
  const { settings, said, findings } = parsed({ 'proxy-next-upstream': 'error timeuot' });
  assert.deepEqual([settings.retry, said], [undefined, ['proxy-next-upstream WEIR0204']]);
  assert.equal(findings[0]?.fix, 'Write "timeout" instead of "timeuot".');
  for (const text of ['error;', 'error,timeout', 'http_418', '$x', 'error\0', 'error '.repeat(100_000)]) {
    assert.deepEqual(parsed({ 'proxy-next-upstream': text }).said, ['proxy-next-upstream WEIR0204'], text.slice(0, 20));
  }
});

test('knows the protocols of backends in any case', () => {
  const protocols: [string, string][] = [
    ['HTTP', 'http'],
    ['https', 'https'],
    ['GRPC', 'grpc'],
    ['gRPCs', 'grpcs'],
    [' GRPC ', 'grpc'],
  ];
  for (const [text, protocol] of protocols) {
    const { settings, said } = parsed({ 'backend-protocol': text });
    assert.deepEqual([settings.backendProtocol, said], [protocol, []], text);
  }
  for (const text of ['AJP', 'TCP', 'http2', 'HTTP;', '$scheme', 'HTTPS\nx']) {
    const { changed, said } = parsed({ 'backend-protocol': text });
    assert.deepEqual([changed, said], [{}, ['backend-protocol WEIR0204']], text);
  }
});

test('serves AUTO_HTTP as HTTP with a warning and closes routes to FastCGI', () => {
  const auto = parsed({ 'backend-protocol': 'AUTO_HTTP' });
  assert.deepEqual([auto.changed, auto.said], [{}, ['backend-protocol WEIR0211']]);
  const fastcgi = parsed({ 'backend-protocol': 'FCGI' });
  assert.deepEqual(fastcgi.changed, { closed: 'nginx.ingress.kubernetes.io/backend-protocol' });
  assert.deepEqual(fastcgi.said, ['backend-protocol WEIR0212']);
});

test('sets the Host towards the backend, never a variable or a second header', () => {
  for (const host of ['internal.example.com', 'web_1:8080', '10.0.0.1']) {
    assert.deepEqual(parsed({ 'upstream-vhost': host }).changed, { upstreamHost: host });
  }
  for (const host of ['$service_name.svc', 'a b', 'a\r\nX: y', 'a/b', 'http://a', '', 'a'.repeat(300), 'a..b', 'ä']) {
    const { changed, said } = parsed({ 'upstream-vhost': host });
    assert.deepEqual(changed, {}, host);
    assert.equal(said.length, 1, host);
  }
});

test('reads service-upstream, the Connection header and the access log switch', () => {
  assert.deepEqual(parsed({ 'service-upstream': 'true' }).changed, { serviceUpstream: true });
  assert.deepEqual(parsed({ 'service-upstream': 'yes' }).changed, {});
  assert.deepEqual(parsed({ 'connection-proxy-header': 'close' }).changed, { connectionHeader: 'close' });
  assert.deepEqual(parsed({ 'connection-proxy-header': 'keep-alive' }).changed, { connectionHeader: 'keep-alive' });
  assert.deepEqual(parsed({ 'connection-proxy-header': 'upgrade' }).said, ['connection-proxy-header WEIR0204']);
  assert.deepEqual(parsed({ 'enable-access-log': 'false' }).changed, { accessLog: false });
});

test('says that keys without effect change nothing', () => {
  const { changed, said } = parsed({ 'http2-push-preload': 'true', 'enable-rewrite-log': 'true' });
  assert.deepEqual([changed, said], [{}, ['enable-rewrite-log WEIR0210', 'http2-push-preload WEIR0210']]);
  assert.deepEqual(parsed({ 'http2-push-preload': 'false' }).said, []);
});
