import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { makeAuthority } from '../../test/support/certificates.ts';
import { FakeApiServer } from '../../test/support/fake-api-server/fake-api-server.ts';
import { freePort, temporaryDirectory } from '../../test/support/scope.ts';
import { Redacted } from '../lib/redacted.ts';
import type { KubeClient, KubeRequest } from './kube-client.ts';
import type { KubeConfig, KubeUser } from './kube-config.ts';
import { KubeError } from './kube-error.ts';
import { openKubeClient } from './open-kube-client.ts';

const SECRETS: KubeRequest = { method: 'GET', path: '/api/v1/namespaces/shop/secrets' };

function opened(t: TestContext, config: KubeConfig, now?: () => number): KubeClient {
  const client = openKubeClient(config, now === undefined ? {} : { now });
  t.after(() => client.close());
  return client;
}

async function failure(promise: Promise<unknown>): Promise<KubeError> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof KubeError, `no KubeError: ${String(error)}`);
  return error;
}

async function plain(t: TestContext, listener: RequestListener): Promise<KubeConfig> {
  const server = createHttpServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return configOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {});
}

function configOf(server: string, user: KubeUser, cluster: Partial<KubeConfig['cluster']> = {}): KubeConfig {
  return { from: 'a test', cluster: { server, insecure: false, ...cluster }, user, namespace: 'default', warnings: [] };
}

test('a missing right is one message that names verb, resource, namespace and the rule to add', async (t) => {
  const server = await FakeApiServer.start(t);
  server.forbidden.add('secrets');
  const error = await failure(opened(t, server.config).request(SECRETS));
  assert.match(error.message, /^list secrets in namespace shop: forbidden: secrets is forbidden: User/);
  assert.equal(error.status, 403);
  assert.equal(error.reason, 'Forbidden');
  assert.equal(error.code, 'kube-refused');
  assert.equal(
    error.remedy,
    'Give the user a rule in a Role in namespace shop or a ClusterRole: apiGroups [""], resources ["secrets"], verbs ["list"].',
  );
});

test('an answer 429 carries its Retry-After', async (t) => {
  const server = await FakeApiServer.start(t);
  server.fault = () => ({ kind: 'status', status: { code: 429, retryAfterSeconds: 9 } });
  assert.equal((await failure(opened(t, server.config).request(SECRETS))).retryAfter, 9);
});

test('a server that cannot be reached is named, with what to check', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const error = await failure(opened(t, configOf(url, {})).request(SECRETS));
  assert.ok(error.message.startsWith(`list secrets in namespace shop: no answer from ${url}: `), error.message);
  assert.equal(error.status, undefined);
  assert.equal(error.code, 'kube-unreachable');
  assert.match(error.remedy ?? '', /Check that the API server runs/);
});

test('an answer that does not come, or not to its end, is a failure after the time-out', async (t) => {
  for (const whole of [false, true]) {
    const config = await plain(t, (_request, response) => {
      if (whole) response.writeHead(200).write('{');
    });
    const error = await failure(opened(t, config).request({ ...SECRETS, timeout: 300 }));
    assert.match(error.message, /none within 0.3 s/);
  }
});

test('an answer that is no JSON, and a page of a proxy, are failures that say so', async (t) => {
  const config = await plain(t, (request, response) => {
    if (request.url?.includes('secrets') === true) response.end('<html>');
    else response.writeHead(502).end('Bad gateway of a proxy\nmore');
  });
  const client = opened(t, config);
  assert.match((await failure(client.request(SECRETS))).message, /^list secrets in namespace shop: .*JSON/);
  const error = await failure(client.request({ method: 'GET', path: '/version' }));
  assert.equal(error.message, 'get /version: the API server answered 502: Bad gateway of a proxy');
});

test('an error of endless length is not read to its end', async (t) => {
  const config = await plain(t, (_request, response) => {
    response.writeHead(500);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  await failure(opened(t, config).request(SECRETS));
});

test('a token file is read again after a minute, and at once when the token is refused', async (t) => {
  const server = await FakeApiServer.start(t);
  const file = join(temporaryDirectory(t), 'token');
  writeFileSync(file, 'one\n');
  let now = 0;
  const client = opened(t, { ...server.config, user: { token: { file } } }, () => now);
  const sent = (): string | undefined => server.requests.at(-1)?.headers.authorization;
  server.tokens = new Set(['one', 'two']);
  await client.request(SECRETS);
  assert.equal(sent(), 'Bearer one');
  writeFileSync(file, 'two\n');
  now = 59_000;
  await client.request(SECRETS);
  assert.equal(sent(), 'Bearer one');
  now = 61_000;
  await client.request(SECRETS);
  assert.equal(sent(), 'Bearer two');
  writeFileSync(file, 'three');
  server.tokens = new Set(['three']);
  await client.request(SECRETS);
  assert.equal(sent(), 'Bearer three');
  assert.equal(server.requests.length, 5);
});

test('a token that is refused twice is a failure, and is in no message', async (t) => {
  const server = await FakeApiServer.start(t);
  server.tokens = new Set();
  for (const user of [{ token: { data: new Redacted('s3cret') } }, tokenFile(t, 's3cret')]) {
    server.requests.length = 0;
    const error = await failure(opened(t, { ...server.config, user }).request(SECRETS));
    assert.match(error.message, /not authenticated/);
    assert.doesNotMatch(JSON.stringify([error.message, error.remedy, user, error.cause]), /s3cret/);
    assert.equal(server.requests.length, 'file' in user.token ? 2 : 1);
  }
});

function tokenFile(t: TestContext, token: string): { readonly token: { readonly file: string } } {
  const file = join(temporaryDirectory(t), 'token');
  writeFileSync(file, token);
  return { token: { file } };
}

test('the server is checked against its authority and name; a client certificate that is renewed is shown from then on', async (t) => {
  const authority = await makeAuthority();
  const { certificate: cert, key } = await authority.issue(['kubernetes.test']);
  const shown: string[] = [];
  const server = createTlsServer(
    { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      shown.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN?.toString() ?? '');
      response.end('{}');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ca = { data: new Redacted(authority.certificate) };
  const wrongName = await failure(opened(t, configOf(url, {}, { authority: ca })).request(SECRETS));
  assert.match(wrongName.remedy ?? '', /tls-server-name/);
  const unknown = await failure(opened(t, configOf(url, {}, { serverName: 'kubernetes.test' })).request(SECRETS));
  assert.match(unknown.remedy ?? '', /certificate-authority-data/);
  await opened(t, configOf(url, {}, { insecure: true })).request(SECRETS);

  const directory = temporaryDirectory(t);
  const files = { certificate: { file: join(directory, 'crt') }, key: { file: join(directory, 'key') } };
  const issue = async (name: string): Promise<void> => {
    const pair = await authority.issue([name]);
    writeFileSync(files.certificate.file, pair.certificate);
    writeFileSync(files.key.file, pair.key);
  };
  let now = 0;
  const config = configOf(url, { certificate: files }, { authority: ca, serverName: 'kubernetes.test' });
  await issue('first');
  const client = opened(t, config, () => now);
  await client.request(SECRETS);
  await issue('second');
  now = 61_000;
  await client.request(SECRETS);
  assert.deepEqual(shown, ['', 'first', 'second']);
});

test('an exec plugin is asked once for what has not expired, again when it is refused, and told of the cluster', async (t) => {
  const server = await FakeApiServer.start(t);
  const directory = temporaryDirectory(t);
  const command = join(directory, 'plugin');
  writeFileSync(
    command,
    `#!/bin/sh
echo "$KUBERNETES_EXEC_INFO" >> ${directory}/info
n=$(wc -l < ${directory}/info)
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"'$1-$n'","expirationTimestamp":"2026-01-01T01:00:00Z"}}'
`,
  );
  chmodSync(command, 0o755);
  let now = Date.UTC(2026, 0, 1);
  const user: KubeUser = {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command,
      args: ['given'],
      environment: {},
      provideClusterInfo: true,
    },
  };
  const client = opened(t, { ...server.config, user }, () => now);
  const sent = (): string | undefined => server.requests.at(-1)?.headers.authorization;
  await Promise.all([client.request(SECRETS), client.request(SECRETS)]);
  await client.request(SECRETS);
  assert.equal(sent(), 'Bearer given-1');
  server.tokens = new Set(['given-2', 'given-3']);
  await client.request(SECRETS);
  assert.equal(sent(), 'Bearer given-2');
  now = Date.UTC(2026, 0, 1, 0, 59, 55);
  await client.request(SECRETS).catch(() => {});
  assert.equal(sent(), 'Bearer given-3');
});

test('an exec plugin that is missing, fails or talks nonsense is named, with what to do', async (t) => {
  const server = await FakeApiServer.start(t);
  const ask = async (command: string, args: readonly string[]): Promise<KubeError> => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1' as const,
      command,
      args,
      environment: {},
      provideClusterInfo: false,
      installHint: 'Install it from there.',
    };
    return failure(opened(t, { ...server.config, user: { exec } }).request(SECRETS));
  };
  const missing = await ask('weir-no-such-plugin', []);
  assert.match(missing.message, /the credential plugin weir-no-such-plugin is not installed/);
  assert.equal(missing.remedy, 'Install it from there.');
  const failed = await ask('/bin/sh', ['-c', 'echo log in first >&2; exit 3', 's3cret']);
  assert.match(failed.message, /\/bin\/sh ended with exit code 3: log in first$/);
  assert.doesNotMatch(failed.message, /s3cret/);
  const chatty = await ask('/bin/sh', [
    '-c',
    'echo refused: eyJhbGciOiJSUzI1NiIsImtpZCI6.e30.c2lnbmF0dXJl >&2; exit 1',
  ]);
  assert.match(chatty.message, /ended with exit code 1: refused: \[redacted\]$/);
  assert.match((await ask('/bin/echo', ['hello'])).message, /\/bin\/echo wrote no JSON/);
  assert.match((await ask('/bin/echo', ['{"kind":"ExecCredential","apiVersion":"x"}'])).message, /in another version/);
});

test('a stream gives each document of a watch, and leaves its connection when nobody reads on', async (t) => {
  const server = await FakeApiServer.start(t);
  const resource = { group: '', plural: 'secrets' };
  for (let i = 0; i < 3; i++) server.store.put(resource, { metadata: { name: `s-${i}`, namespace: 'shop' } });
  const client = opened(t, server.config);
  const names: unknown[] = [];
  for await (const document of await client.stream({ ...SECRETS, query: { watch: true } })) {
    names.push((document as { object: { metadata: { name: string } } }).object.metadata.name);
    if (names.length === 3) break;
  }
  assert.deepEqual(names, ['s-0', 's-1', 's-2']);
  for (let i = 0; i < 500 && server.watches.open > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(server.watches.open, 0);
});

test('a thousand watches stay open, and requests go on beside them', async (t) => {
  const server = await FakeApiServer.start(t);
  const client = opened(t, server.config);
  const stop = new AbortController();
  const watch = { ...SECRETS, query: { watch: true }, signal: stop.signal };
  const streams = await Promise.all(Array.from({ length: 1000 }, () => client.stream(watch)));
  assert.equal(server.watches.open, 1000);
  await Promise.all(Array.from({ length: 100 }, () => client.request(SECRETS)));
  const ended = Promise.allSettled(
    streams.map(async (stream) => {
      for await (const _ of stream);
    }),
  );
  stop.abort();
  await ended;
});

test('a path before the API and parameters arrive as they are meant', async (t) => {
  let seen: string | undefined;
  const config = await plain(t, (request, response) => {
    seen = request.url;
    response.end('{}');
  });
  const server = `${config.cluster.server}/k8s/clusters/c-1`;
  const client = opened(t, configOf(server, {}));
  await client.request({ ...SECRETS, query: { fieldSelector: 'metadata.name=a&b', limit: 5, continue: undefined } });
  assert.equal(seen, '/k8s/clusters/c-1/api/v1/namespaces/shop/secrets?fieldSelector=metadata.name%3Da%26b&limit=5');
});
