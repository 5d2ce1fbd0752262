import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { generate } from 'selfsigned';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { type Authority, type KeyPair, makeAuthority } from '../support/certificates.ts';
import { showing } from '../support/client-certificates.ts';
import { request, type TlsOptions } from '../support/clients/http-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import type { Manifest } from '../support/manifests.ts';
import { eventually } from '../support/scope.ts';
import { ANNOTATION_PREFIX, type Exposure, Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let backend: Backend;
let a: Authority;
let b: Authority;
let alice: KeyPair;
let bob: KeyPair;

before(async () => {
  [a, b] = await Promise.all([makeAuthority('Authority A'), makeAuthority('Authority B')]);
  [alice, bob] = await Promise.all([a.issue(['alice']), b.issue(['bob'])]);
  backend = await startBackend(scope);
  site = await Site.open(scope);
});

function authorities(name: string, data: Readonly<Record<string, string>>): Manifest {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' }, stringData: { ...data } };
}

/** A host whose clients are verified by the Secret `NAME-clients`. */
async function guard(
  name: string,
  data: Readonly<Record<string, string>> | undefined,
  annotations: Readonly<Record<string, string>> = {},
  more: Partial<Exposure> = {},
): Promise<void> {
  const manifests = await site.manifestsOf({
    host: `${name}.test`,
    name,
    backends: [backend],
    tls: true,
    annotations: { 'auth-tls-secret': `default/${name}-clients`, ...annotations },
    ...more,
  });
  await site.apply(`${name}.yaml`, [
    ...manifests,
    ...(data === undefined ? [] : [authorities(`${name}-clients`, data)]),
  ]);
}

const ask = (host: string, tls: TlsOptions = {}, headers: Record<string, string> = {}, path = '/') =>
  request({ port: site.weir.httpsPort, host, path, headers, tls });
const status = async (host: string, tls: TlsOptions = {}, path = '/') => (await ask(host, tls, {}, path)).status;
const codes = async (name: string) => (await site.findings(name)).map(({ code }) => code);
const field = (name: string) => `metadata.annotations["${ANNOTATION_PREFIX}${name}"]`;

test('auth-tls-secret lets in who has a certificate of its authorities, and tells the backend who that is', async () => {
  await guard('mutual', { 'ca.crt': a.certificate }, { 'auth-tls-pass-certificate-to-upstream': 'true' });
  assert.equal(await status('mutual.test'), 400);
  assert.equal(await status('mutual.test', showing(bob)), 400);
  const reply = await ask('mutual.test', showing(alice), { 'ssl-client-subject-dn': 'CN=admin' });
  assert.equal(reply.status, 200);
  const { headers } = reply.json<Echo>();
  assert.deepEqual(
    ['verify', 'subject-dn', 'issuer-dn'].map((name) => headers[`ssl-client-${name}`]),
    ['SUCCESS', 'CN=alice', 'CN=Authority A'],
  );
  assert.equal(decodeURIComponent(String(headers['ssl-client-cert'])).trim(), alice.certificate.trim());
  assert.deepEqual(await codes('mutual'), []);
});

test('auth-tls-verify-client, -match-cn, -verify-depth and -error-page do what they say', async () => {
  await guard('optional', { 'ca.crt': a.certificate }, { 'auth-tls-verify-client': 'optional' });
  assert.deepEqual([await status('optional.test'), await status('optional.test', showing(bob))], [200, 400]);
  await guard('no-ca', { 'ca.crt': a.certificate }, { 'auth-tls-verify-client': 'optional_no_ca' });
  assert.deepEqual([await status('no-ca.test'), await status('no-ca.test', showing(bob))], [200, 200]);
  await guard('off', { 'ca.crt': a.certificate }, { 'auth-tls-verify-client': 'off' });
  assert.equal(await status('off.test', showing(bob)), 200);
  await guard('named', { 'ca.crt': a.certificate }, { 'auth-tls-match-cn': 'CN=(carol|alice)$' });
  assert.equal(await status('named.test', showing(alice)), 200);
  assert.equal(await status('named.test', showing(await a.issue(['mallory']))), 403);
  const deep = await (await a.delegate('Middle authority')).issue(['deep'], { withChain: true });
  await guard('shallow', { 'ca.crt': a.certificate });
  assert.equal(await status('shallow.test', showing(deep)), 200);
  await guard('deeper', { 'ca.crt': a.certificate }, { 'auth-tls-error-page': 'https://help.test/' });
  const lower = await (await a.delegate('Middle')).delegate('Lower');
  const far = { ...(await lower.issue(['far'])) };
  assert.equal((await ask('deeper.test', showing(far))).headers['location'], 'https://help.test/');
});

test('a Secret with other authorities is in force at once, on kept connections too, and nothing is reloaded', async () => {
  await guard('changing', { 'ca.crt': a.certificate });
  const { reloads } = await site.status();
  const kept = await HttpConnection.open(site.weir.httpsPort, { tls: { host: 'changing.test', ...showing(alice) } });
  assert.equal((await kept.request('changing.test')).status, 200);
  await guard('changing', { 'ca.crt': a.certificate + b.certificate });
  assert.equal((await kept.request('changing.test')).status, 200);
  assert.equal(await status('changing.test', showing(bob)), 200);
  await guard('changing', { 'ca.crt': b.certificate });
  assert.equal((await kept.request('changing.test')).status, 421);
  assert.equal(await status('changing.test', showing(alice)), 400);
  assert.equal(await status('changing.test', showing(bob)), 200);
  assert.equal((await site.status()).reloads, reloads);
});

test('plain HTTP does not open a host that asks for certificates', async () => {
  await guard('plain', { 'ca.crt': a.certificate });
  assert.equal((await site.http('plain.test')).status, 308);
  await guard('plain', { 'ca.crt': a.certificate }, { 'ssl-redirect': 'false' });
  assert.equal((await site.http('plain.test')).status, 403);
  await guard('bare', { 'ca.crt': a.certificate }, {}, { tls: false });
  assert.equal((await site.http('bare.test')).status, 403);
  assert.deepEqual([await status('bare.test'), await status('bare.test', showing(alice))], [400, 200]);
});

test('authorities that are missing or can not be read close their host with 503, and no other', async () => {
  await guard('steady', { 'ca.crt': a.certificate });
  const wrong: readonly (Readonly<Record<string, string>> | undefined)[] = [
    undefined,
    { 'other.crt': a.certificate },
    { 'ca.crt': 'no certificate' },
    { 'ca.crt': a.certificate.replace(/^M.{40}/mu, '') },
    { 'ca.crt': a.certificate, 'ca.crl': 'no list' },
  ];
  for (const [index, data] of wrong.entries()) {
    const name = `wrong${index}`;
    await guard(name, data, { 'ssl-redirect': 'false' });
    for (const tls of [{}, showing(alice)]) assert.equal(await status(`${name}.test`, tls), 503, name);
    assert.equal((await site.http(`${name}.test`)).status, 503, name);
    const [finding] = await site.findings(name);
    assert.deepEqual(
      [finding?.code, finding?.severity, finding?.field],
      [data === undefined ? 'WEIR0332' : 'WEIR0330', 'error', field('auth-tls-secret')],
    );
    await guard(name, { 'ca.crt': a.certificate });
    assert.equal(await status(`${name}.test`, showing(alice)), 200, `${name}, mended`);
    assert.deepEqual(await codes(name), []);
  }
  assert.equal(await status('steady.test', showing(alice)), 200);
});

test('authorities that end no chain are told about, because nobody gets in; a self-signed certificate is good for itself', async () => {
  const between = await a.delegate('Between');
  const carol = await between.issue(['carol'], { withChain: true });
  const own = await generate([{ name: 'commonName', value: 'self' }], {
    keyType: 'ec',
    extensions: [{ name: 'basicConstraints', cA: false }],
  });
  const self = { certificate: own.cert, key: own.private };
  const useless: readonly (readonly [ca: string, shown: KeyPair])[] = [
    [alice.certificate, alice],
    [between.certificate, carol],
  ];
  for (const [index, [ca, shown]] of useless.entries()) {
    const name = `rootless${index}`;
    await guard(name, { 'ca.crt': ca });
    assert.equal(await status(`${name}.test`, showing(shown)), 400, name);
    const [finding, ...others] = await site.findings(name);
    assert.deepEqual(
      [finding?.code, finding?.severity, finding?.field],
      ['WEIR0333', 'warning', field('auth-tls-secret')],
    );
    assert.deepEqual(others, []);
  }
  await guard('itself', { 'ca.crt': self.certificate });
  assert.equal(await status('itself.test', showing(self)), 200);
  assert.deepEqual(await codes('itself'), []);
  await guard('any', { 'ca.crt': alice.certificate }, { 'auth-tls-verify-client': 'optional_no_ca' });
  assert.equal(await status('any.test', showing(bob)), 200);
  assert.deepEqual(await codes('any'), []);
});

test('the authorities of another namespace are refused', async () => {
  await guard('foreign', { 'ca.crt': a.certificate }, { 'auth-tls-secret': 'elsewhere/foreign-clients' });
  assert.equal(await status('foreign.test', showing(alice)), 503);
  assert.deepEqual(await codes('foreign'), ['WEIR0330']);
});

test('the oldest Ingress decides for all paths of a host; the routes of one that asks for something else are closed', async () => {
  await guard('shared', { 'ca.crt': a.certificate });
  const other = async (name: string, annotations: Readonly<Record<string, string>>) =>
    site.apply(
      `${name}.yaml`,
      await site.manifestsOf({ host: 'shared.test', name, backends: [backend], paths: [`/${name}`], annotations }),
    );
  await other('shared-plain', {});
  await other('shared-same', { 'auth-tls-secret': 'shared-clients' });
  await other('shared-weaker', { 'auth-tls-secret': 'shared-clients', 'auth-tls-verify-client': 'optional' });
  for (const [path, bare, shown] of [
    ['/', 400, 200],
    ['/shared-plain', 400, 200],
    ['/shared-same', 400, 200],
    ['/shared-weaker', 400, 503],
  ] as const) {
    assert.deepEqual(
      [await status('shared.test', {}, path), await status('shared.test', showing(alice), path)],
      [bare, shown],
      path,
    );
  }
  assert.deepEqual(await codes('shared-weaker'), ['WEIR0331']);
  assert.deepEqual(await codes('shared-same'), []);
});

test('the page for who shows no certificate that is wanted says that one is asked for; the log names the route, too', async () => {
  const words = /^This site asks for a client certificate, and none that it accepts was shown\.$/m;
  await guard('spoken', { 'ca.crt': a.certificate }, { 'auth-tls-match-cn': 'CN=alice$' });
  for (const tls of [{}, showing(bob)]) {
    const { status: given, body } = await ask('spoken.test', tls);
    assert.equal(given, 400);
    assert.match(body, words);
    assert.doesNotMatch(body, /HTTP|default|clients|CN=/);
  }
  const asJson = await ask('spoken.test', {}, { Accept: 'application/json' });
  assert.match(asJson.json<{ message: string }>().message, words);
  const malformed = await ask('spoken.test', showing(alice), {}, '/%zz');
  assert.equal(malformed.status, 400);
  assert.match(malformed.body, /is not valid HTTP/);
  const other = await ask('spoken.test', showing(await a.issue(['mallory'])));
  assert.equal(other.status, 403);
  assert.doesNotMatch(other.body, words);
  await guard('helped', { 'ca.crt': a.certificate }, { 'auth-tls-error-page': 'https://help.test/' });
  assert.equal(await status('helped.test'), 302);
  const file = join(site.weir.stateDir, 'nginx', 'log', 'access.log');
  const lines = await eventually('the log of those that were turned away', () => {
    const all = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const parsed = all.map((line) => JSON.parse(line) as Record<string, unknown>);
    const found = parsed.filter(({ host, reason }) => /^(spoken|helped)\.test$/u.test(`${host}`) && reason !== '');
    return found.length >= 5 && found;
  });
  assert.deepEqual(lines.map(({ host, status: given, route }) => `${host} ${given} ${route}`).sort(), [
    'helped.test 302 Ingress/default/helped spec.rules[0].http.paths[0]',
    ...Array<string>(3).fill('spoken.test 400 Ingress/default/spoken spec.rules[0].http.paths[0]'),
    'spoken.test 403 Ingress/default/spoken spec.rules[0].http.paths[0]',
  ]);
});
