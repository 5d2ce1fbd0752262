import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { type Authority, type KeyPair, makeAuthority } from '../support/certificates.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { handshake, type HandshakeOptions } from '../support/clients/tls-client.ts';
import { backendService, ingress, type Manifest, tlsSecret } from '../support/manifests.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { suiteScope } from '../support/suite-scope.ts';

const CERTIFICATE = '"LS0tLS1CRUdJTiBDRVJU'; // -----BEGIN CERT, in base64
const PRIVATE_KEY = '"LS0tLS1CRUdJTiBQUklW'; // -----BEGIN PRIV
const DAY_MS = 86_400_000;
const scope = suiteScope();
let site: ServedFolder;
let authority: Authority;
let fallback: string;

before(async () => {
  authority = await makeAuthority();
  const pair = await authority.issue(['fallback.test']);
  site = await ServedFolder.start(scope, { args: ['--default-ssl-certificate', 'ingress/fallback'] });
  const backend = await startBackend(scope, { name: 'one' });
  await site.write('service.yaml', backendService({ name: 'one', endpoints: [backend] }));
  await site.write('fallback.yaml', [tlsSecret({ name: 'fallback', namespace: 'ingress', ...pair })]);
  fallback = await shown('nobody.test');
});

/** Names in the certificate that a client sees which asks for this one. */
async function shown(servername: string | undefined, more: HandshakeOptions = {}): Promise<string> {
  const named = servername === undefined ? {} : { servername };
  const { certificate } = await handshake(site.weir.httpsPort, { ...named, ...more });
  return certificate.subjectAltName ?? certificate.subject;
}

const trusted = () => ({ tls: { ca: authority.certificate } });

/** A host with the Secrets that its Ingress names, which is called as the host's first label. */
function secured(host: string, secrets: readonly string[], hosts: readonly string[] = [host]): Manifest {
  return ingress({
    name: host.split('.')[0] ?? host,
    host,
    tls: secrets.map((secretName) => ({ hosts: [...hosts], secretName })),
    paths: [{ service: 'one' }],
  });
}

/** One object a file, so that places in it can be told. */
async function write(name: string, host: string, pair: KeyPair): Promise<void> {
  site.folder.write(`${name}.json`, JSON.stringify(tlsSecret({ name, ...pair }), undefined, 1));
  await site.write(`${name}-ingress.json`, JSON.stringify(secured(host, [name]), undefined, 1));
}

test('each host shows its own certificate, chosen by SNI', async () => {
  for (const host of ['sni-a.test', 'sni-b.test']) {
    const name = `${host.replace('.', '-')}-tls`;
    await site.write(`${host}.yaml`, [tlsSecret({ name, ...(await authority.issue([host])) }), secured(host, [name])]);
  }
  assert.equal(await shown('sni-a.test'), 'DNS:sni-a.test');
  assert.equal(await shown('sni-b.test'), 'DNS:sni-b.test');
  assert.equal(await shown('SNI-B.test'), 'DNS:sni-b.test');
  assert.equal(await site.answer('sni-a.test', '/', trusted()), 'one');
  assert.equal(await site.answer('sni-b.test', '/', trusted()), 'one');
});

test('a wildcard certificate serves every host that it covers, and a wildcard host shows its own', async () => {
  const wildcard = await authority.issue(['*.wild.test', '*.tame.test']);
  await site.write('wildcard.yaml', [
    tlsSecret({ name: 'wildcard', ...wildcard }),
    ingress({
      name: 'wildcard',
      rules: ['*.wild.test', 'a.tame.test', 'a.b.tame.test'].map((host) => ({ host, paths: [{ service: 'one' }] })),
      tls: [{ hosts: ['*.wild.test', '*.tame.test'], secretName: 'wildcard' }],
    }),
  ]);
  assert.equal(await site.answer('any.wild.test', '/', trusted()), 'one');
  assert.equal(await site.answer('a.tame.test', '/', trusted()), 'one');
  // One label more than the wildcard stands for.
  assert.equal(await shown('a.b.tame.test'), fallback);
});

test('the default certificate is shown to who asks for no name, for an unknown one, or for a host without its own', async () => {
  assert.equal(fallback, 'DNS:fallback.test');
  await site.write('plain.yaml', [ingress({ name: 'plain', host: 'plain.test', paths: [{ service: 'one' }] })]);
  assert.equal(await shown(undefined), fallback);
  assert.equal(await shown('unheard-of.test'), fallback);
  assert.equal(await shown('plain.test'), fallback);
  assert.equal(await site.answer('plain.test', '/', { tls: true }), 'one');
});

test('the chain is sent with the certificate', async () => {
  const intermediate = await authority.delegate('Intermediate');
  const name = 'chain.test';
  await write('chain-alone', name, await intermediate.issue([name]));
  await assert.rejects(site.get(name, '/', trusted()), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  await write('chain-alone', name, await intermediate.issue([name], { withChain: true }));
  assert.equal(await site.answer(name, '/', trusted()), 'one');
});

test('a host may have an RSA and an EC certificate: each client gets one that it can verify', async () => {
  const host = 'both.test';
  const [rsa, ec] = await Promise.all([
    (await makeAuthority('RSA authority', 'rsa')).issue([host], { commonName: 'rsa' }),
    authority.issue([host], { commonName: 'ec' }),
  ]);
  await site.write('both.yaml', [
    tlsSecret({ name: 'both-rsa', ...rsa }),
    tlsSecret({ name: 'both-ec', ...ec }),
    secured(host, ['both-rsa', 'both-ec']),
  ]);
  const keyFor = async (more: HandshakeOptions) => {
    const { certificate } = await handshake(site.weir.httpsPort, { servername: host, ...more });
    return `${certificate.subject} ${certificate.publicKey.asymmetricKeyType}`;
  };
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    assert.equal(await keyFor({ maxVersion, sigalgs: 'rsa_pss_rsae_sha256' }), 'CN=rsa rsa', maxVersion);
    assert.equal(await keyFor({ maxVersion, sigalgs: 'ecdsa_secp256r1_sha256' }), 'CN=ec ec', maxVersion);
    assert.equal(await keyFor({ maxVersion }), 'CN=ec ec', maxVersion);
  }
  assert.deepEqual(await site.findings('name=both'), []);
});

test('an expired certificate is served all the same, and reported', async () => {
  const notAfter = new Date(Date.now() - DAY_MS);
  const pair = await authority.issue(['late.test'], { notBefore: new Date(Date.now() - 9 * DAY_MS), notAfter });
  await write('expired', 'late.test', pair);
  await assert.rejects(site.get('late.test', '/', trusted()), { code: 'CERT_HAS_EXPIRED' });
  assert.equal(await shown('late.test'), 'DNS:late.test');
  assert.equal(await site.answer('late.test', '/', { tls: true }), 'one');
  await site.reports({
    code: 'WEIR0305',
    severity: 'error',
    object: 'Secret default/expired',
    field: 'data["tls.crt"]',
    file: 'expired.json',
    at: CERTIFICATE,
  });
  await site.reports({
    code: 'WEIR0305',
    severity: 'error',
    object: 'Ingress default/late',
    field: 'spec.tls[0].secretName',
    file: 'expired-ingress.json',
    at: '"expired"',
  });
});

test('a key that does not fit its certificate is reported; the default certificate is shown until the pair is mended', async () => {
  const pair = await authority.issue(['misfit.test']);
  const { key } = await authority.issue(['misfit.test']);
  await write('mismatched', 'misfit.test', { certificate: pair.certificate, key });
  assert.equal(await shown('misfit.test'), fallback);
  assert.equal(await site.answer('misfit.test', '/', { tls: true }), 'one');
  await site.reports({
    code: 'WEIR0304',
    severity: 'error',
    object: 'Secret default/mismatched',
    field: 'data["tls.key"]',
    file: 'mismatched.json',
    at: PRIVATE_KEY,
  });
  await site.reports({
    code: 'WEIR0304',
    severity: 'error',
    object: 'Ingress default/misfit',
    field: 'spec.tls[0].secretName',
    file: 'mismatched-ingress.json',
    at: '"mismatched"',
  });
  await write('mismatched', 'misfit.test', pair);
  assert.equal(await shown('misfit.test'), 'DNS:misfit.test');
  assert.deepEqual([...(await site.findings('name=mismatched')), ...(await site.findings('name=misfit'))], []);
});

test('a certificate that does not cover its host is reported; the default certificate is shown', async () => {
  await write('foreign', 'uncovered.test', await authority.issue(['covered.test', '*.uncovered.test']));
  assert.equal(await shown('uncovered.test'), fallback);
  await site.reports({
    code: 'WEIR0308',
    severity: 'error',
    object: 'Ingress default/uncovered',
    field: 'spec.tls[0].secretName',
    file: 'foreign-ingress.json',
    at: '"foreign"',
    message: /covered\.test, \*\.uncovered\.test/,
  });
});

test('a missing Secret is reported; the default certificate is shown for that host alone until it comes', async () => {
  const there = await authority.issue(['there.test']);
  await write('there-tls', 'there.test', there);
  await site.write('absent.json', JSON.stringify(secured('absent.test', ['absent-tls'])));
  assert.equal(await shown('absent.test'), fallback);
  assert.equal(await site.answer('absent.test', '/', { tls: true }), 'one');
  assert.equal(await shown('there.test'), 'DNS:there.test');
  await site.reports({
    code: 'WEIR0300',
    severity: 'error',
    object: 'Ingress default/absent',
    field: 'spec.tls[0].secretName',
    file: 'absent.json',
    at: '"absent-tls"',
  });
  await site.write('absent-tls.yaml', [tlsSecret({ name: 'absent-tls', ...(await authority.issue(['absent.test'])) })]);
  assert.equal(await shown('absent.test'), 'DNS:absent.test');
  assert.deepEqual(await site.findings('name=absent'), []);
});

test('a certificate is replaced live: the next handshake shows the new one, without a reload', async () => {
  const status = () => site.weir.admin<{ readonly reloads: number }>('/api/v1/status');
  const serial = async () => (await handshake(site.weir.httpsPort, { servername: 'renewed.test' })).certificate.subject;
  await write('renewed', 'renewed.test', await authority.issue(['renewed.test'], { commonName: 'first' }));
  assert.equal(await serial(), 'CN=first');
  const { reloads } = await status();
  for (const commonName of ['second', 'third']) {
    await write('renewed', 'renewed.test', await authority.issue(['renewed.test'], { commonName }));
    // Several handshakes, so that every worker is asked.
    for (let handshakes = 0; handshakes < 6; handshakes += 1) assert.equal(await serial(), `CN=${commonName}`);
  }
  assert.equal((await status()).reloads, reloads);
});

test('HTTP/2 is spoken with clients that offer it by ALPN, HTTP/1.1 with the others', async () => {
  await write('alpn', 'alpn.test', await authority.issue(['alpn.test']));
  const agreed = async (alpn?: readonly string[]) =>
    (await handshake(site.weir.httpsPort, { servername: 'alpn.test', ...(alpn === undefined ? {} : { alpn }) })).alpn;
  assert.equal(await agreed(['h2', 'http/1.1']), 'h2');
  assert.equal(await agreed(['http/1.1']), 'http/1.1');
  assert.equal(await agreed(), false);
  const client = await Http2Client.open(site.weir.httpsPort, { host: 'alpn.test', ...trusted() });
  scope.after(() => client.close());
  const replies = await Promise.all(['/a', '/b', '/c'].map((path) => client.request({ host: 'alpn.test', path })));
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.json<{ url: string }>().url]),
    [
      [200, '/a'],
      [200, '/b'],
      [200, '/c'],
    ],
  );
});
