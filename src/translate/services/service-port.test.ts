import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceObject } from '../../snapshot/kinds/service.ts';
import { findServicePort, servicePortByKey } from './service-port.ts';

function serviceWith(name: string): ServiceObject {
  const ref = { kind: 'Service', namespace: 'default', name: 'web' };
  return { ref, type: 'ClusterIP', ipFamilies: [], ports: [{ name, port: 80, protocol: 'TCP' }] };
}

test('a port is known by its name, or by its number where it has none that Kubernetes would take', () => {
  const keys = ['http', '', 'a b', 'a\nb', 'a~grpc', 'HTTP', 'a'.repeat(63), 'a'.repeat(64)].map(
    (name) => findServicePort(serviceWith(name), { number: 80 })?.key,
  );
  assert.deepEqual(keys, ['http', '80', '80', '80', '80', '80', 'a'.repeat(63), '80']);
});

test('the key leads back to the port, whatever its name', () => {
  for (const name of ['http', '', 'a\nb', '80', '443']) {
    const service = serviceWith(name);
    const { key = '' } = findServicePort(service, { number: 80 }) ?? {};
    assert.equal(servicePortByKey(service, key)?.port, service.ports[0], name);
  }
});
