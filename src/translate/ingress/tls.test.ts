import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAuthority } from '../../../test/support/certificates.ts';
import { ingress, put, remove, resource, service, slice, tlsSecret } from '../../../test/support/resources.ts';
import { selfSigned, selfSignedOnCurve } from '../tls/pairs.fixture.ts';
import { findingsOf, hostOf, NOW, translate } from './translated.fixture.ts';

const DAY = 86_400_000;
const day = (offset: number) => new Date(NOW.getTime() + offset * DAY);
const validity = { notBefore: day(-10), notAfter: day(60) };
const authority = await makeAuthority();
const EC = await authority.issue(['a.example'], validity);
const CHAIN = await authority.issue(['a.example'], { ...validity, withChain: true });
const RSA = await selfSigned(['a.example'], { ...validity, keyType: 'rsa' });
const WILDCARD = await selfSigned(['*.example'], validity);
const OTHER = await selfSigned(['other.example'], validity);
const EXPIRED = await selfSigned(['a.example'], { notBefore: day(-20), notAfter: day(-1) });
const FUTURE = await selfSigned(['a.example'], { notBefore: day(1), notAfter: day(90) });
const SOON = await selfSigned(['a.example'], { notBefore: day(-1), notAfter: day(13) });
const WEAK = await selfSigned(['a.example'], { ...validity, keyType: 'rsa', keySize: 1024 });

const P384 = selfSignedOnCurve('secp384r1', 'a.example');
const P521 = selfSignedOnCurve('secp521r1', 'a.example');
const BITCOIN = selfSignedOnCurve('secp256k1', 'a.example');

const WEB = [service(), slice()];
const secret = (pair: { certificate: string; key: string }, name = 'cert') => tlsSecret({ name, ...pair });
const site = (tls: unknown, hosts: Record<string, string[]> = { 'a.example': ['/'] }) => ingress({ hosts, tls });
const NAMED = [{ hosts: ['a.example'], secretName: 'cert' }];
const SECRET_FIELD = 'Ingress/shop/web spec.tls[0].secretName';

test('a TLS entry gives its host the certificate, which then stands in the model without its key being seen', () => {
  const translator = translate([...WEB, site(NAMED), secret(EC), secret(RSA, 'unused')]);
  assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: ['shop/cert'] });
  assert.deepEqual([...translator.model.certificates.keys()], ['shop/cert']);
  const certificate = translator.model.certificates.get('shop/cert')!;
  assert.equal(certificate.keyType, 'ec');
  assert.deepEqual(certificate.names, ['a.example']);
  assert.equal(certificate.notAfter, '2026-07-31T00:00:00Z');
  assert.match(certificate.privateKey.reveal(), /BEGIN PRIVATE KEY/);
  assert.doesNotMatch(JSON.stringify(certificate), /PRIVATE KEY/);
  assert.deepEqual(findingsOf(translator), []);
});

test('without a TLS entry a host has no TLS', () => {
  const translator = translate([...WEB, site([{ hosts: ['other.example'], secretName: 'cert' }]), secret(OTHER)]);
  assert.equal(hostOf(translator, 'a.example').tls, undefined);
  assert.deepEqual(findingsOf(translator), ['WEIR0312 Ingress/shop/web spec.tls[0].hosts[0]']);
});

test('hosts of entries are compared without case, and a wildcard entry is for the hosts under it', () => {
  for (const host of ['A.EXAMPLE', '*.example']) {
    const translator = translate([...WEB, site([{ hosts: [host], secretName: 'cert' }]), secret(WILDCARD)]);
    assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: ['shop/cert'] });
  }
});

test('a wildcard host takes a wildcard certificate, and no other', () => {
  const hosts = { '*.example': ['/'] };
  const tls = [{ hosts: ['*.example'], secretName: 'cert' }];
  assert.deepEqual(hostOf(translate([...WEB, site(tls, hosts), secret(WILDCARD)]), '*.example').tls?.certificates, [
    'shop/cert',
  ]);
  const wrong = translate([...WEB, site(tls, hosts), secret(EC)]);
  assert.deepEqual(hostOf(wrong, '*.example').tls?.certificates, []);
  assert.deepEqual(findingsOf(wrong), [`WEIR0308 ${SECRET_FIELD}`]);
});

test('an entry without hosts is for the hosts that its certificate covers', () => {
  const translator = translate([
    ...WEB,
    site([{ secretName: 'cert' }, { secretName: 'more' }], { 'a.example': ['/'], 'other.example': ['/'] }),
    secret(EC),
    secret(OTHER, 'more'),
  ]);
  assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: ['shop/cert'] });
  assert.deepEqual(hostOf(translator, 'other.example').tls, { certificates: ['shop/more'] });
  assert.deepEqual(findingsOf(translator), []);
});

test('an entry without hosts whose certificate does not fit leaves the default certificate', () => {
  const translator = translate([...WEB, site([{ secretName: 'cert' }]), secret(OTHER)]);
  assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: [] });
  assert.deepEqual(findingsOf(translator), [`WEIR0308 ${SECRET_FIELD}`]);
});

test('an entry for another host whose certificate covers this one is used for it, as ingress-nginx does', () => {
  const translator = translate([...WEB, site([{ hosts: ['other.example'], secretName: 'cert' }]), secret(EC)]);
  assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: ['shop/cert'] });
});

test('an entry without Secret asks for the default certificate', () => {
  const translator = translate([...WEB, site([{ hosts: ['a.example'] }])]);
  assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: [] });
  assert.deepEqual(findingsOf(translator), []);
});

test('RSA and EC for the same host are both used; two of one type are not', () => {
  const two = [...NAMED, { hosts: ['a.example'], secretName: 'second' }];
  const both = translate([...WEB, site(two), secret(EC), secret(RSA, 'second')]);
  assert.deepEqual(hostOf(both, 'a.example').tls, { certificates: ['shop/cert', 'shop/second'] });
  assert.deepEqual(findingsOf(both), []);
  const same = translate([...WEB, site(two), secret(EC), secret(CHAIN, 'second')]);
  assert.deepEqual(hostOf(same, 'a.example').tls, { certificates: ['shop/cert'] });
  assert.deepEqual(findingsOf(same), ['WEIR0313 Ingress/shop/web spec.tls[1].secretName']);
});

test('a certificate that does not cover the host is not used for it, and one that does elsewhere is', () => {
  const translator = translate([
    ...WEB,
    site([{ hosts: ['a.example', 'other.example'], secretName: 'cert' }], {
      'a.example': ['/'],
      'other.example': ['/'],
    }),
    secret(EC),
  ]);
  assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: ['shop/cert'] });
  assert.deepEqual(hostOf(translator, 'other.example').tls, { certificates: [] });
  assert.deepEqual(findingsOf(translator), [`WEIR0308 ${SECRET_FIELD}`]);
});

test('a missing Secret leaves the default certificate until it comes', () => {
  const translator = translate([...WEB, site(NAMED)]);
  assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: [] });
  assert.deepEqual(findingsOf(translator), [`WEIR0300 ${SECRET_FIELD}`]);
  const delta = translator.update(put(secret(EC)));
  assert.deepEqual([[...delta.certificates], [...delta.hosts]], [['shop/cert'], ['default/a.example']]);
  assert.deepEqual(findingsOf(translator), []);
  translator.update(remove(secret(EC)));
  assert.equal(translator.model.certificates.size, 0);
});

test('a Secret that exists but has the wrong shape is not said to be missing, whichever comes first', () => {
  const broken = resource('Secret', { name: 'cert' }, { data: { 'tls.crt': 5 } });
  const texts = (translator: ReturnType<typeof translate>) =>
    translator
      .findings()
      .filter(({ code }) => code === 'WEIR0300')
      .map(({ message, fix }) => `${message} ${fix}`);
  const refused =
    /^Secret shop\/cert exists but has the wrong shape; .* Correct the Secret; a finding of its own says where\.$/;
  for (const objects of [
    [broken, site(NAMED)],
    [site(NAMED), broken],
  ]) {
    const translator = translate([...WEB, ...objects]);
    assert.match(texts(translator).join(), refused);
    translator.update(remove(broken));
    assert.match(texts(translator).join(), /^Secret shop\/cert does not exist; .* Create the Secret/);
    translator.update(put(broken));
    assert.match(texts(translator).join(), refused);
    translator.update(put(secret(EC)));
    assert.deepEqual(texts(translator), []);
  }
  const byDefault = translate([], { defaultCertificate: { namespace: 'shop', name: 'cert' } });
  assert.match(texts(byDefault).join(), /does not exist/);
  byDefault.update(put(broken));
  assert.match(texts(byDefault).join(), /is the default certificate and has the wrong shape/);
});

test('keys on the curves P-384 and P-521 are used like those on P-256', () => {
  for (const pair of [P384, P521]) {
    const translator = translate([...WEB, site(NAMED), secret(pair)]);
    assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: ['shop/cert'] });
  }
});

test('a Secret of another namespace is never used', () => {
  const translator = translate([...WEB, site(NAMED), tlsSecret({ name: 'cert', namespace: 'elsewhere', ...EC })]);
  assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: [] });
});

test('a renewed certificate changes nothing but itself', () => {
  const translator = translate([...WEB, site(NAMED), secret(EC)]);
  const delta = translator.update(put(secret(CHAIN)));
  assert.deepEqual([[...delta.certificates], delta.hosts.size], [['shop/cert'], 0]);
});

const PEM = 'data["tls.crt"]';
for (const [name, pair, code, field] of [
  ['a certificate that is no PEM', { certificate: 'nonsense', key: EC.key }, 'WEIR0302', PEM],
  ['a damaged certificate', { certificate: EC.certificate.replace(/[A-Z]{4}/, '!!!!'), key: EC.key }, 'WEIR0302', PEM],
  ['a key that is no PEM', { certificate: EC.certificate, key: 'nonsense' }, 'WEIR0303', 'data["tls.key"]'],
  ['a key of another pair', { certificate: EC.certificate, key: OTHER.key }, 'WEIR0304', 'data["tls.key"]'],
  ['a key that is too small', WEAK, 'WEIR0310', 'data["tls.key"]'],
  ['a key on a curve that clients do not know', BITCOIN, 'WEIR0310', 'data["tls.key"]'],
] as const) {
  test(`${name} leaves the default certificate, and both the Secret and the Ingress say why`, () => {
    const translator = translate([...WEB, site(NAMED), secret(pair)]);
    assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: [] });
    assert.equal(translator.model.certificates.size, 0);
    assert.deepEqual(findingsOf(translator), [`${code} ${SECRET_FIELD}`, `${code} Secret/shop/cert ${field}`]);
    for (const { message } of translator.findings()) assert.doesNotMatch(message, /BEGIN|MII|nonsense/);
    translator.update(put(secret(EC)));
    assert.deepEqual(findingsOf(translator), []);
  });
}

test('a Secret without one of the two entries is incomplete', () => {
  for (const key of ['tls.crt', 'tls.key']) {
    const translator = translate([
      ...WEB,
      site(NAMED),
      resource('Secret', { name: 'cert' }, { data: { [key]: 'eA==' } }),
    ]);
    assert.deepEqual(findingsOf(translator), [`WEIR0301 ${SECRET_FIELD}`, 'WEIR0301 Secret/shop/cert']);
  }
});

test('stringData is read as an API server would merge it', () => {
  const plain = resource('Secret', { name: 'cert' }, { stringData: { 'tls.crt': EC.certificate, 'tls.key': EC.key } });
  assert.deepEqual(findingsOf(translate([...WEB, site(NAMED), plain])), []);
});

for (const [name, pair, code] of [
  ['expired', EXPIRED, 'WEIR0305'],
  ['not yet valid', FUTURE, 'WEIR0306'],
  ['soon to expire', SOON, 'WEIR0307'],
] as const) {
  test(`a certificate that is ${name} is served and reported`, () => {
    const translator = translate([...WEB, site(NAMED), secret(pair)]);
    assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: ['shop/cert'] });
    assert.deepEqual(findingsOf(translator), [`${code} ${SECRET_FIELD}`, `${code} Secret/shop/cert ${PEM}`]);
  });
}

test('time that passes is noticed at the next tick', () => {
  let now = NOW;
  const translator = translate([...WEB, site(NAMED), secret(SOON)], { now: () => now });
  now = day(14);
  const delta = translator.tick();
  assert.deepEqual(
    Object.values(delta).map((keys) => keys.size),
    [0, 0, 0, 0, 0],
  );
  assert.deepEqual(findingsOf(translator), [`WEIR0305 ${SECRET_FIELD}`, `WEIR0305 Secret/shop/cert ${PEM}`]);
});

test('a chain in the wrong order is put right and reported', () => {
  const certificate = `${authority.certificate}\n${EC.certificate}`;
  const translator = translate([...WEB, site(NAMED), secret({ certificate, key: EC.key })]);
  assert.deepEqual(findingsOf(translator), [`WEIR0309 ${SECRET_FIELD}`, `WEIR0309 Secret/shop/cert ${PEM}`]);
  const chain = translator.model.certificates.get('shop/cert')!.chain;
  const straight = translate([
    ...WEB,
    site(NAMED),
    secret({ certificate: EC.certificate + authority.certificate, key: EC.key }),
  ]);
  assert.equal(chain, straight.model.certificates.get('shop/cert')!.chain);
  assert.deepEqual(findingsOf(straight), []);
});

test('a stranger in the chain is left out and reported', () => {
  const certificate = EC.certificate + OTHER.certificate;
  const translator = translate([...WEB, site(NAMED), secret({ certificate, key: EC.key })]);
  assert.equal(translator.model.certificates.get('shop/cert')!.chain.match(/BEGIN/g)!.length, 1);
  assert.deepEqual(findingsOf(translator), [`WEIR0309 ${SECRET_FIELD}`, `WEIR0309 Secret/shop/cert ${PEM}`]);
});

test('the oldest Ingress with TLS for a host decides', () => {
  const young = ingress({
    name: 'a',
    created: '2026-02-01T00:00:00Z',
    hosts: { 'a.example': ['/a'] },
    tls: [{ hosts: ['a.example'], secretName: 'second' }],
  });
  const old = ingress({ name: 'b', created: '2026-01-01T00:00:00Z', hosts: { 'a.example': ['/b'] }, tls: NAMED });
  const translator = translate([...WEB, young, old, secret(EC), secret(RSA, 'second')]);
  assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: ['shop/cert'] });
  assert.deepEqual(findingsOf(translator), ['WEIR0311 Ingress/shop/a spec.tls[0]']);
});

test('the default certificate stands at the HTTPS listener while it is usable', () => {
  const options = { defaultCertificate: { namespace: 'shop', name: 'cert' } };
  const translator = translate([secret(EC)], options);
  assert.deepEqual(translator.model.listeners.get('https')!.defaultCertificates, ['shop/cert']);
  assert.deepEqual([...translator.update(remove(secret(EC))).listeners], ['https']);
  assert.equal(translator.model.listeners.get('https')!.defaultCertificates, undefined);
  assert.deepEqual(findingsOf(translator), ['WEIR0300 Secret/shop/cert']);
});

test('an entry without hosts is for requests without known host too, unless there is a default certificate', () => {
  const objects = [
    ...WEB,
    ingress({ hosts: { '': ['/'] }, tls: [{ secretName: 'cert' }] }),
    secret(EC),
    secret(RSA, 'default'),
  ];
  assert.deepEqual(hostOf(translate(objects), '*').tls, { certificates: ['shop/cert'] });
  const withDefault = translate(objects, { defaultCertificate: { namespace: 'shop', name: 'default' } });
  assert.deepEqual(hostOf(withDefault, '*').tls, { certificates: [] });
});
