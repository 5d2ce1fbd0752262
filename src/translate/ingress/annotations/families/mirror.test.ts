import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NGINX, parsed } from '../parsed-for-test.ts';

const FIELD = `metadata.annotations["${NGINX}mirror-target"]`;

test('copies go to the host of the target, by default with the request’s own path and the body', () => {
  for (const rest of ['', '/', '$request_uri', '/$request_uri', '${request_uri}']) {
    const { settings, said } = parsed({ 'mirror-target': `https://copy.example:8443${rest}` });
    assert.deepEqual(settings.mirror?.mirror, { type: 'mirror', host: 'copy.example' }, rest);
    assert.equal(settings.mirror.field, FIELD);
    assert.equal(settings.mirror.url.port, 8443);
    assert.deepEqual(said, []);
  }
  const { settings } = parsed({
    'mirror-target': 'http://copy.example/copies$request_uri',
    'mirror-host': 'shop.copy.example:81',
    'mirror-request-body': 'off',
  });
  assert.deepEqual(settings.mirror?.mirror, {
    type: 'mirror',
    host: 'shop.copy.example:81',
    path: '/copies${request_uri}',
    withBody: false,
  });
});

test('a target that can not be used makes no copies and closes nothing', () => {
  for (const text of ['http://unix:/run/x.sock', 'https://$host$request_uri', 'copy.example']) {
    const { changed, said } = parsed({ 'mirror-target': text });
    assert.deepEqual([changed, said], [{}, ['mirror-target WEIR0204']]);
  }
  const { settings, said } = parsed({ 'mirror-target': 'http://copy.example', 'mirror-host': 'a b' });
  assert.equal(settings.mirror?.mirror.host, 'copy.example');
  assert.deepEqual(said, ['mirror-host WEIR0204']);
});

test('the advice about a host that can not be fixed fits what the URL is for', () => {
  const [mirror] = parsed({ 'mirror-target': 'http://$host/x' }).findings;
  assert.equal(mirror?.fix, 'Name the Service, as http://web.staging.svc.cluster.local$request_uri.');
  const [auth] = parsed({ 'auth-url': 'http://$host/x' }).findings;
  assert.match(auth?.fix ?? '', /^Name the Service, as http:\/\/oauth2-proxy/);
});
