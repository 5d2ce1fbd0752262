import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Backend } from '../../../model/backend.ts';
import type { ExternalAuth } from '../../../model/filter.ts';
import { sampleBackend } from '../../testing/sample-model.ts';
import { REQUEST_VARIABLES } from '../../../model/request-variable.ts';
import { REQUEST_VARIABLES as KNOWN_THERE } from '../wire.ts';
import { renderAuth } from './auth-record.ts';

const AUTH: ExternalAuth = { backend: 'sso/auth:http', path: '/check', protocol: 'http' };

function render(more: Partial<ExternalAuth>, backend: Partial<Backend> = {}) {
  return renderAuth({ ...AUTH, ...more }, new Map([[AUTH.backend, { ...sampleBackend(AUTH.backend), ...backend }]]));
}

function refusal(...args: Parameters<typeof render>): string | undefined {
  const rendered = render(...args);
  return 'refused' in rendered ? rendered.refused : undefined;
}

test('what an external auth says stands in its record', () => {
  assert.deepEqual(render({}), { record: { backend: 'sso/auth:http', path: '/check' } });
  const full = render({
    host: 'auth.example',
    method: 'POST',
    forwardHeaders: ['Cookie'],
    setHeaders: [{ name: 'X-Uri', value: '${request_uri}' }],
    responseHeaders: ['X-User', 'Content-Length'],
    alwaysSetCookie: true,
    signIn: { url: 'https://${host}/login', redirectParameter: 'rd' },
    requestRedirect: '${scheme}://${http_x_host}',
    cache: { key: '${cookie_sid}${arg_a}', durations: [{ statuses: [200, 202], seconds: 60 }] },
    keepAlive: { connections: 16, requests: 100, timeoutSeconds: 30, shareVariables: false },
  });
  assert.deepEqual(full, {
    record: {
      backend: 'sso/auth:http',
      path: '/check',
      host: 'auth.example',
      method: 'POST',
      forwardHeaders: ['Cookie'],
      setHeaders: [['X-Uri', '${request_uri}']],
      responseHeaders: ['X-User'],
      alwaysSetCookie: true,
      signIn: { url: 'https://${host}/login', parameter: 'rd' },
      requestRedirect: '${scheme}://${http_x_host}',
      cache: { key: '${cookie_sid}${arg_a}', durations: [[[200, 202], 60]] },
      keepAlive: [16, 100, 30],
    },
    notPassed: ['Content-Length'],
  });
});

test('the path is one that a request line can hold', () => {
  for (const [path, target] of [
    ['check', '/check'],
    ['/a%20b?c=%2F', '/a%20b?c=%2F'],
    ['/a b\r\nX: y', '/a%20b%0D%0AX:%20y'],
    ['/ä\u{1f600}\ud800', '/%C3%A4%F0%9F%98%80%EF%BF%BD'],
    ['', '/'],
  ] as const) {
    const rendered = render({ path });
    assert.equal('record' in rendered && rendered.record.path, target);
  }
});

test('a service that speaks https is asked so, by the name that it is known under', () => {
  const named = (more: Partial<ExternalAuth>, backend: Partial<Backend>) => {
    const rendered = render(more, { protocol: 'https', ...backend });
    return 'record' in rendered ? rendered.record.tls : rendered;
  };
  assert.deepEqual(named({ host: 'auth.example:8443' }, {}), { name: 'auth.example' });
  assert.deepEqual(named({}, {}), {});
  const tls = { verify: false, serverName: 'inner.example', sendServerName: true };
  assert.deepEqual(named({ host: 'auth.example' }, { tls }), { name: 'inner.example' });
  assert.deepEqual(named({ host: 'auth.example' }, { tls: { ...tls, sendServerName: false } }), {});
});

test('the variables are those that the data plane knows', () => {
  assert.deepEqual(KNOWN_THERE, [...REQUEST_VARIABLES]);
});

test('whatever can not be done as asked closes the route', () => {
  assert.match(refusal({ protocol: 'grpc' }) ?? '', /over gRPC/);
  assert.match(refusal({ forwardBodyBytes: 1 }) ?? '', /the request's body/);
  assert.equal(refusal({ forwardBodyBytes: 0 }), undefined);
  assert.match(refusal({ method: 'get' }) ?? '', /"get" .* capital letters/);
  assert.match(refusal({ host: 'a\r\nb' }) ?? '', /several lines/);
  assert.match(refusal({ setHeaders: [{ name: 'X: y', value: '' }] }) ?? '', /"X: y" .* no name/);
  assert.match(refusal({ responseHeaders: ['a b'] }) ?? '', /"a b" .* no name/);
  assert.match(refusal({ requestRedirect: '${ssl_client_key}' }) ?? '', /the variable ssl_client_key,/);
  assert.match(refusal({ signIn: { url: '${http_}', redirectParameter: 'rd' } }) ?? '', /the variable http_,/);
  assert.match(refusal({ cache: { key: '${nothing}', durations: [] } }) ?? '', /the variable nothing,/);
  assert.match(refusal({}, { protocol: 'grpc' }) ?? '', /speaks grpc/);
  const tls = { verify: true, authorities: 'system', sendServerName: true } as const;
  assert.match(refusal({}, { protocol: 'https', tls }) ?? '', /TLS with verification/);
});
