import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeRequest } from '../kube-client.ts';
import { describeRequest } from './describe-request.ts';

test('requests are told in the words of RBAC', () => {
  const cases: readonly (readonly [KubeRequest['method'], string, KubeRequest['query'], string])[] = [
    ['GET', '/api/v1/secrets', undefined, 'list secrets'],
    ['GET', '/api/v1/namespaces/shop/secrets', { watch: true }, 'watch secrets in namespace shop'],
    [
      'GET',
      '/api/v1/namespaces/shop/secrets',
      { fieldSelector: 'metadata.name=a' },
      'list secrets (metadata.name=a) in namespace shop',
    ],
    ['GET', '/api/v1/namespaces/shop/secrets/web', undefined, 'get secrets web in namespace shop'],
    ['GET', '/api/v1/namespaces', undefined, 'list namespaces'],
    ['GET', '/api/v1/namespaces/shop', undefined, 'get namespaces shop'],
    ['PUT', '/api/v1/namespaces/shop/status', undefined, 'update namespaces/status shop'],
    [
      'PATCH',
      '/apis/networking.k8s.io/v1/namespaces/shop/ingresses/web/status',
      undefined,
      'patch ingresses/status web in namespace shop',
    ],
    ['POST', '/apis/coordination.k8s.io/v1/namespaces/weir/leases', undefined, 'create leases in namespace weir'],
    ['DELETE', '/apis/x.io/v1/things', undefined, 'deletecollection things'],
    ['GET', '/version', undefined, 'get /version'],
  ];
  for (const [method, path, query, text] of cases) {
    assert.equal(describeRequest({ method, path, ...(query === undefined ? {} : { query }) }).text, text);
  }
  assert.equal(
    describeRequest({ method: 'GET', path: '/apis/networking.k8s.io/v1/ingresses' }).apiGroup,
    'networking.k8s.io',
  );
});
