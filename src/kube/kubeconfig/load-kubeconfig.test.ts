import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { temporaryDirectory } from '../../../test/support/scope.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { type KubeconfigOptions, loadKubeconfig } from './load-kubeconfig.ts';

const PEM = 'LS0tIGEgUEVNIHRleHQgLS0t';

interface Parts {
  readonly cluster?: string;
  readonly user?: string;
  readonly context?: string;
  readonly current?: string;
}

/** A kubeconfig of one cluster, user and context, each named as the file. */
function kubeconfig(
  name: string,
  { cluster = '', user = 'token: s3cret', context = '', current = name }: Parts = {},
): string {
  return `apiVersion: v1
kind: Config
current-context: ${current === '' ? '""' : current}
clusters:
- name: ${name}
  cluster: {server: 'https://${name}.test:6443/'${cluster === '' ? '' : `, ${cluster}`}}
users:
- name: ${name}
  user: {${user}}
contexts:
- name: ${name}
  context: {cluster: ${name}, user: ${name}${context === '' ? '' : `, ${context}`}}
`;
}

function file(t: TestContext, text: string, name = 'config'): string {
  const path = join(temporaryDirectory(t), name);
  writeFileSync(path, text);
  return path;
}

function load(path: string, options: Partial<KubeconfigOptions> = {}) {
  return loadKubeconfig({ path, environment: {}, ...options });
}

async function refused(t: TestContext, parts: Parts): Promise<KubeconfigError> {
  return failure(load(file(t, kubeconfig('a', parts))));
}

async function failure(promise: Promise<unknown>): Promise<KubeconfigError> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof KubeconfigError, String(error));
  assert.doesNotMatch(inspect(error), /s3cret/);
  return error;
}

test('server, user and namespace of the current context; the token prints as redacted', async (t) => {
  const path = file(
    t,
    kubeconfig('prod', { cluster: `certificate-authority-data: ${PEM}`, context: 'namespace: shop' }),
  );
  const config = await load(path);
  assert.equal(config.from, path);
  assert.equal(config.context, 'prod');
  assert.equal(config.cluster.server, 'https://prod.test:6443');
  assert.equal(config.namespace, 'shop');
  assert.deepEqual(config.warnings, []);
  assert.ok(config.user.token !== undefined && 'data' in config.user.token);
  assert.equal(config.user.token.data.reveal(), 's3cret');
  assert.ok(config.cluster.authority !== undefined && 'data' in config.cluster.authority);
  assert.equal(config.cluster.authority.data.reveal(), '--- a PEM text ---');
  assert.doesNotMatch(inspect(config, { depth: 9 }) + JSON.stringify(config), /s3cret|a PEM text/);
});

test('--context chooses another; one that is not there is named, with the one that was meant', async (t) => {
  const path = file(t, kubeconfig('prod'));
  assert.equal((await load(path, { context: 'prod' })).context, 'prod');
  const error = await failure(load(path, { context: 'prd' }));
  assert.equal(error.message, `${path}: there is no context "prd"`);
  assert.match(error.remedy ?? '', /did you mean "prod"/);
});

test('files of KUBECONFIG are merged: the first that names a thing wins, and those that are missing do not matter', async (t) => {
  const directory = temporaryDirectory(t);
  const first = join(directory, 'first');
  const second = join(directory, 'second');
  writeFileSync(first, kubeconfig('a', { current: '' }));
  writeFileSync(second, `${kubeconfig('a', { current: 'a', context: 'namespace: other' })}`);
  const KUBECONFIG = `${join(directory, 'missing')}:${first}::${second}`;
  const config = await loadKubeconfig({ environment: { KUBECONFIG } });
  assert.equal(config.from, `${first}, ${second}`);
  assert.equal(config.context, 'a');
  assert.equal(config.namespace, 'default');
  const error = await failure(loadKubeconfig({ environment: { KUBECONFIG: '/weir/none:/weir/nor' } }));
  assert.match(error.message, /KUBECONFIG names \/weir\/none, \/weir\/nor, and none of them is there/);
});

test('names of files are relative to the kubeconfig that holds them', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'config');
  const user = 'client-certificate: crt.pem, client-key: /abs/key.pem';
  writeFileSync(path, kubeconfig('a', { user, cluster: 'certificate-authority: pki/ca.crt' }));
  const { cluster, user: read } = await load(path);
  assert.deepEqual(cluster.authority, { file: join(directory, 'pki/ca.crt') });
  assert.deepEqual(read.certificate, {
    certificate: { file: join(directory, 'crt.pem') },
    key: { file: '/abs/key.pem' },
  });
});

test('a token file wins over a token beside it', async (t) => {
  const { user } = await load(file(t, kubeconfig('a', { user: 'token: s3cret, tokenFile: /run/token' })));
  assert.deepEqual(user, { token: { file: '/run/token' } });
});

test('an unchecked certificate is allowed with a warning, and contradicts an authority', async (t) => {
  const path = file(t, kubeconfig('a', { cluster: 'insecure-skip-tls-verify: true, tls-server-name: x.test' }));
  const { cluster, warnings } = await load(path);
  assert.equal(cluster.insecure, true);
  assert.equal(cluster.serverName, 'x.test');
  assert.match(
    warnings.join(),
    /clusters\[a\]\.cluster\.insecure-skip-tls-verify: the API server's certificate is not checked/,
  );
  const error = await refused(t, { cluster: `insecure-skip-tls-verify: true, certificate-authority-data: ${PEM}` });
  assert.match(error.message, /insecure-skip-tls-verify contradicts certificate-authority/);
});

test('what weir does not do is refused with its field and a remedy', async (t) => {
  const cases: readonly (readonly [Parts, RegExp])[] = [
    [{ user: 'username: a, password: s3cret' }, /users\[a\]\.user\.username is basic authentication/],
    [{ user: 'auth-provider: {name: gcp}' }, /users\[a\]\.user\.auth-provider is not supported/],
    [{ user: 'token: s3cret, as: admin' }, /users\[a\]\.user\.as is not supported/],
    [{ user: 'token: 12345' }, /users\[a\]\.user\.token must be a string/],
    [{ user: `client-certificate-data: ${PEM}` }, /users\[a\]\.user\.client-key is missing/],
    [{ user: `client-key-data: "s3cret!"` }, /users\[a\]\.user\.client-key-data is not base64/],
    [{ cluster: 'proxy-url: http://proxy.test' }, /clusters\[a\]\.cluster\.proxy-url is not supported/],
    [{ cluster: 'server: nonsense' }, /clusters\[a\]\.cluster\.server "nonsense" is no URL|is no valid YAML/],
    [
      { user: 'exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}' },
      /users\[a\]\.user\.exec\.apiVersion must be one of/,
    ],
    [{ user: 'exec: {apiVersion: client.authentication.k8s.io/v1}' }, /users\[a\]\.user\.exec\.command is missing/],
    [
      { user: 'exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always}' },
      /interactiveMode is Always/,
    ],
    [
      { user: 'token: s3cret, exec: {command: x, apiVersion: client.authentication.k8s.io/v1}' },
      /exec contradicts token/,
    ],
    [{ context: 'cluster: other' }, /is no valid YAML|not among the clusters/],
  ];
  for (const [parts, expected] of cases) {
    const error = await refused(t, parts);
    assert.match(error.message, expected);
    assert.ok((error.remedy ?? '').length > 10, error.message);
  }
});

test('an exec plugin: its command beside the kubeconfig or in the path, arguments and variables', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'config');
  const exec =
    'apiVersion: client.authentication.k8s.io/v1beta1, args: [get, token], env: [{name: A, value: b}], provideClusterInfo: true';
  writeFileSync(path, kubeconfig('a', { user: `exec: {command: ./plugin, ${exec}}` }));
  assert.deepEqual((await load(path)).user.exec, {
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    command: join(directory, 'plugin'),
    args: ['get', 'token'],
    environment: { A: 'b' },
    provideClusterInfo: true,
  });
});

test('a file that is no kubeconfig is named, and none of its lines is repeated', async (t) => {
  const broken = await failure(load(file(t, 'users: [ {token: s3cret\n  - x: ]')));
  assert.match(broken.message, /config: is no valid YAML/);
  assert.match((await failure(load(file(t, 'kind: Pod')))).message, /is no kubeconfig/);
  assert.match((await failure(load(file(t, '{}')))).message, /current-context is not set/);
  assert.equal((await failure(load('/weir/none'))).message, '/weir/none: there is no such file');
});

test('a pod uses its service account: files that are read again, and an IPv6 address in brackets', async (t) => {
  const directory = temporaryDirectory(t);
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  const options = { environment, serviceAccountDirectory: directory };
  const none = await failure(loadKubeconfig(options));
  assert.match(none.message, /^no cluster is configured: this is no pod with a service account/);
  writeFileSync(join(directory, 'token'), 's3cret');
  writeFileSync(join(directory, 'namespace'), 'ingress\n');
  const config = await loadKubeconfig(options);
  assert.equal(config.cluster.server, 'https://[fd00::1]:443');
  assert.deepEqual(config.cluster.authority, { file: join(directory, 'ca.crt') });
  assert.deepEqual(config.user, { token: { file: join(directory, 'token') } });
  assert.equal(config.namespace, 'ingress');
  assert.equal(config.from, 'in-cluster');
});

test('a kubeconfig that is named wins over the service account, and that over the one at home', async (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, '.kube'));
  writeFileSync(join(directory, '.kube', 'config'), kubeconfig('home'));
  writeFileSync(join(directory, 'token'), 's3cret');
  const pod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443', HOME: directory };
  const from = async (options: KubeconfigOptions): Promise<string> =>
    (await loadKubeconfig({ serviceAccountDirectory: directory, ...options })).cluster.server;
  assert.equal(await from({ environment: pod }), 'https://10.96.0.1:443');
  assert.equal(await from({ environment: { HOME: directory } }), 'https://home.test:6443');
  assert.equal(await from({ environment: pod, context: 'home' }), 'https://home.test:6443');
  assert.equal(
    await from({ environment: { ...pod, KUBECONFIG: file(t, kubeconfig('named')) } }),
    'https://named.test:6443',
  );
});
