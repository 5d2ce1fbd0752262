import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import { PODS, POD_PORT } from '../examples/backends/pods.ts';
import { demoSteps } from './demo/demo-steps.ts';

const shop = join(import.meta.dirname, '../examples/shop');

interface Slice {
  readonly endpoints: readonly { readonly addresses: readonly string[] }[];
  readonly ports: readonly { readonly port: number }[];
}

test('the endpoints of the example are the sample backends', () => {
  const slices = loadAll(readFileSync(join(shop, 'endpoints.yaml'), 'utf8')) as Slice[];
  const addresses = slices.flatMap(({ endpoints, ports }) =>
    endpoints.flatMap((endpoint) => endpoint.addresses.map((address) => `${address}:${ports[0]?.port}`)),
  );
  assert.deepEqual(addresses.toSorted(), PODS.map(({ address }) => `${address}:${POD_PORT}`).toSorted());
});

test('every command of the demo names the ports that are in use', () => {
  const ports = { http: 18080, https: 18443, admin: 19180 };
  const places = {
    ports,
    authority: 'authority.pem',
    weir: 'bin/weir',
    node: 'node',
    manifests: 'examples/shop',
    secrets: 's',
  };
  for (const { command, title } of demoSteps(places)) {
    assert.doesNotMatch(command, /:(8080|8443|9180)\b/, title);
    assert.match(command, /:(18080|18443|19180)\b|check -f/, title);
  }
});
