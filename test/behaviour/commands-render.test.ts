import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { before, test } from 'node:test';
import { parse } from 'yaml';
import { startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { backendService, ingress, type Manifest, secret, tlsSecret } from '../support/manifests.ts';
import { runCommand } from '../support/run-command.ts';
import { temporaryDirectory } from '../support/scope.ts';
import { prefixed } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { startWeir } from '../support/weir.ts';

interface RenderedModel {
  readonly hosts: readonly { readonly hostname: string; readonly routes: readonly object[] }[];
  readonly backends: readonly { readonly id: string; readonly endpoints: readonly unknown[] }[];
  readonly certificates: readonly { readonly id: string; readonly fingerprint: string }[];
}

const scope = suiteScope();
const PASSWORD = 'ada:{PLAIN}Tr0ub4dor';
let folder: ManifestFolder;
/** Lines of the private key, which tell it apart. */
let secrets: readonly string[];

before(async () => {
  const [authority, backend] = await Promise.all([makeAuthority(), startBackend(scope, { name: 'shop' })]);
  const pair = await authority.issue(['shop.example']);
  const lines = pair.key.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
  secrets = [...lines, PASSWORD].flatMap((text) => [text, Buffer.from(text).toString('base64').slice(0, -4)]);
  const auth = { 'auth-type': 'basic', 'auth-secret': 'users' };
  const manifests: readonly Manifest[] = [
    ingress({
      name: 'shop',
      host: 'shop.example',
      paths: [{ service: 'shop' }, { path: '/cart', service: 'shop' }],
      tls: [{ hosts: ['shop.example'], secretName: 'shop-tls' }],
    }),
    ingress({ name: 'inner', host: 'inner.example', annotations: prefixed(auth), paths: [{ service: 'shop' }] }),
    secret({ name: 'users', values: { auth: PASSWORD } }),
    tlsSecret({ name: 'shop-tls', ...pair }),
    ...backendService({ name: 'shop', endpoints: [backend] }),
  ];
  folder = new ManifestFolder(scope, { 'shop.yaml': manifests });
});

const render = (...args: string[]) => runCommand(['render', '-f', folder.path, ...args]);

test('render --to model is what the running weir serves', async (context) => {
  const weir = await startWeir(context, { manifests: folder });
  await weir.settled();
  const { code, out, err } = await render('--to', 'model', '-o', 'json');
  assert.deepEqual([code, err], [0, '']);
  const model = JSON.parse(out) as RenderedModel;
  const [routes, backends, certificates] = await Promise.all([
    weir.admin<{ items: RenderedModel['hosts'] }>('/api/v1/routes'),
    weir.admin<{ items: RenderedModel['backends'] }>('/api/v1/backends'),
    weir.admin<{ items: RenderedModel['certificates'] }>('/api/v1/certificates'),
  ]);
  // Redirects of the running weir name its own port; rendered is what ports 80 and 443 would get.
  const portless = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (_key, part: unknown) => (part === weir.httpsPort ? undefined : part))) as unknown;
  // The admin server shows besides which services are asked and copied to; the filters say it, too.
  const modelPart = ({
    auth: _auth,
    mirrors: _mirrors,
    ...route
  }: {
    readonly auth?: unknown;
    readonly mirrors?: unknown;
  }) => route;
  assert.deepEqual(
    routes.items.map((host) => [host.hostname, portless(host.routes.map(modelPart))]),
    model.hosts.map((host) => [host.hostname, host.routes]),
  );
  assert.deepEqual(
    backends.items.map(({ id, endpoints }) => [id, endpoints]),
    model.backends.map(({ id, endpoints }) => [id, endpoints]),
  );
  assert.deepEqual(
    certificates.items.map(({ id, fingerprint }) => [id, fingerprint]),
    model.certificates.map(({ id, fingerprint }) => [id, fingerprint]),
  );
  assert.deepEqual([model.hosts.length, model.backends.length, model.certificates.length], [2, 1, 1]);
  for (const form of ['text', 'yaml']) assert.deepEqual(parse((await render('--to', 'model', '-o', form)).out), model);
});

test('render --to nginx is the configuration, and the records that nginx gets as data', async () => {
  const { code, out, err } = await render('--to', 'nginx', '-o', 'json');
  assert.deepEqual([code, err], [0, '']);
  const { configuration, records } = JSON.parse(out) as {
    configuration: string;
    records: Record<string, { routes?: { origin: string; path: unknown }[]; endpoints?: unknown[] }>;
  };
  assert.ok(/^ +listen "0\.0\.0\.0:443" .*"ssl"/m.test(configuration), 'no listener for HTTPS');
  assert.deepEqual(
    records['h:default/shop.example']?.routes?.map(({ origin, path }) => [origin, path]),
    [
      ['Ingress/default/shop spec.rules[0].http.paths[1]', { kind: 'prefix', value: '/cart' }],
      ['Ingress/default/shop spec.rules[0].http.paths[0]', { kind: 'prefix', value: '/' }],
    ],
  );
  assert.equal(records['b:default/shop:80']?.endpoints?.length, 1);
  // A route is data: nothing of it is in the configuration.
  assert.ok(!configuration.includes('shop'), 'the configuration names the shop');
  const text = (await render('--to', 'nginx')).out;
  assert.ok(text.startsWith(configuration));
  for (const key of Object.keys(records)) assert.ok(text.includes(`\n# ${key} {`), key);
});

test('render shows no secret in any form', async () => {
  for (const to of ['model', 'nginx']) {
    for (const form of ['text', 'json', 'yaml']) {
      const { out } = await render('--to', to, '-o', form);
      assert.ok(out.includes('[redacted]'), `${to} ${form}`);
      const told = secrets.filter((part) => out.includes(part));
      assert.deepEqual(told, [], `${to} ${form}`);
    }
  }
});

test('render writes nothing anywhere', async (context) => {
  const home = temporaryDirectory(context, 'home');
  const env = { HOME: home, TMPDIR: home, XDG_STATE_HOME: home, XDG_CACHE_HOME: home };
  for (const to of ['model', 'nginx']) {
    const { code } = await runCommand(['render', '-f', folder.path, '--to', to], { env });
    assert.equal(code, 0);
  }
  assert.deepEqual(readdirSync(home), []);
});

test('render asks for a target that it knows', async () => {
  for (const args of [[], ['--to', 'haproxy']]) {
    const { code, out, err } = await render(...args);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /--to <what>/);
  }
});
