import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAuthority } from '../../../test/support/certificates.ts';
import { ingress, put, remove, resource, service, slice } from '../../../test/support/resources.ts';
import { readCertificateBundle } from '../../lib/certificate-bundle.ts';
import type { IngressTranslator } from './ingress-translator.ts';
import { findingsOf, NOW, routesOf, translate } from './translated.fixture.ts';

const DAY = 86_400_000;
const validity = { notBefore: new Date(NOW.getTime() - DAY), notAfter: new Date(NOW.getTime() + 60 * DAY) };
const authority = await makeAuthority();
const [ONE, TWO] = await Promise.all([authority.issue(['one'], validity), authority.issue(['two'], validity)]);
const EXPIRED = await authority.issue(['old'], { ...validity, notAfter: new Date(NOW.getTime() - 1000) });
const bundle = readCertificateBundle(authority.certificate);
const CA = typeof bundle === 'string' ? '' : bundle.pem;
const WEB = [service(), slice()];
const FIELD = 'metadata.annotations["nginx.ingress.kubernetes.io/proxy-ssl-secret"]';

type Values = Readonly<Record<string, string>>;

const secret = (values: Values) => resource('Secret', { name: 'inside' }, { stringData: values });
const pairOf = ({ certificate, key }: { certificate: string; key: string }) => ({
  'tls.crt': certificate,
  'tls.key': key,
});
function site(annotations: Values = {}, more: Values = {}) {
  const all = {
    'backend-protocol': 'HTTPS',
    'proxy-ssl-secret': 'shop/inside',
    'proxy-ssl-verify': 'on',
    'proxy-ssl-name': 'web.inside.test',
    ...annotations,
  };
  return ingress({
    hosts: { 'a.example': ['/'] },
    annotations: Object.fromEntries(
      Object.entries(all).map(([name, value]) => [`nginx.ingress.kubernetes.io/${name}`, value]),
    ),
    ...more,
  });
}

const tlsOf = (translator: IngressTranslator) => [...translator.model.backends.values()].map(({ tls }) => tls);

test('a Secret with authorities and a pair gives the backend both, and only its certificate stands in the model', () => {
  const translator = translate([
    ...WEB,
    site(),
    secret({ ...pairOf(ONE), 'ca.crt': `# inside\n${authority.certificate}` }),
  ]);
  assert.deepEqual(tlsOf(translator), [
    {
      verify: true,
      authorities: CA,
      authoritiesFrom: { kind: 'Secret', namespace: 'shop', name: 'inside' },
      serverName: 'web.inside.test',
      sendServerName: false,
      depth: 1,
      clientCertificate: 'shop/inside',
    },
  ]);
  assert.deepEqual([...translator.model.certificates.keys()], ['shop/inside']);
  assert.deepEqual(findingsOf(translator), []);
});

test('a Secret with authorities alone is right, and no key pair is missed in it', () => {
  const translator = translate([
    ...WEB,
    site({ 'proxy-ssl-secret': 'inside' }),
    secret({ 'ca.crt': authority.certificate }),
  ]);
  assert.deepEqual(
    tlsOf(translator).map((tls) => [tls?.authorities, tls?.clientCertificate]),
    [[CA, undefined]],
  );
  assert.deepEqual([...translator.model.certificates.keys()], []);
  assert.deepEqual(findingsOf(translator), []);
});

test('named by a TLS section as well, it is told there that it holds no key pair', () => {
  const tls = [{ hosts: ['a.example'], secretName: 'inside' }];
  const both = ingress({ hosts: { 'a.example': ['/'] }, tls });
  const translator = translate([...WEB, both, secret({ 'ca.crt': authority.certificate })]);
  assert.deepEqual(findingsOf(translator), ['WEIR0301 Ingress/shop/web spec.tls[0].secretName']);
});

test('without verification the authorities are not looked at', () => {
  const translator = translate([
    ...WEB,
    site({ 'proxy-ssl-verify': 'off' }),
    secret({ ...pairOf(ONE), 'ca.crt': 'nothing' }),
  ]);
  assert.deepEqual(tlsOf(translator), [
    { verify: false, serverName: 'web.inside.test', sendServerName: false, clientCertificate: 'shop/inside' },
  ]);
  assert.deepEqual(findingsOf(translator), []);
});

const CASES: readonly (readonly [
  what: string,
  values: Values | undefined,
  code: string,
  onSecret: readonly string[],
])[] = [
  ['is missing', undefined, 'WEIR0322', []],
  ['holds nothing of it', { other: 'x' }, 'WEIR0320', ['WEIR0301 Secret/shop/inside']],
  [
    'has a key without a certificate',
    { 'tls.key': ONE.key, 'ca.crt': CA },
    'WEIR0320',
    ['WEIR0301 Secret/shop/inside'],
  ],
  [
    'has the key of another certificate',
    { 'tls.crt': ONE.certificate, 'tls.key': TWO.key, 'ca.crt': CA },
    'WEIR0320',
    ['WEIR0304 Secret/shop/inside data["tls.key"]'],
  ],
  ['has no authorities to verify by', pairOf(ONE), 'WEIR0321', []],
  ['has authorities that can not be read', { ...pairOf(ONE), 'ca.crt': 'nothing' }, 'WEIR0321', []],
];

for (const [what, values, code, onSecret] of CASES) {
  test(`a Secret that ${what} closes the routes, until it is mended`, () => {
    const translator = translate([...WEB, site(), ...(values === undefined ? [] : [secret(values)])]);
    assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / ✗ 503']);
    assert.deepEqual([...translator.model.certificates.keys()], []);
    assert.deepEqual([...findingsOf(translator)].sort(), [`${code} Ingress/shop/web ${FIELD}`, ...onSecret].sort());
    const told = JSON.stringify(translator.findings());
    for (const line of [ONE, TWO].flatMap(({ key }) => key.split('\n').slice(1, -2))) assert.ok(!told.includes(line));
    translator.update(put(secret({ ...pairOf(ONE), 'ca.crt': CA })));
    assert.match(routesOf(translator, 'a.example')[0] ?? '', /^prefix \/ → shop\/web:/);
    assert.deepEqual(findingsOf(translator), []);
  });
}

test('a Secret of another namespace is refused, and never looked at', () => {
  const translator = translate([...WEB, site({ 'proxy-ssl-secret': 'other/inside' })]);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / ✗ 503']);
  assert.deepEqual(findingsOf(translator), [`WEIR0320 Ingress/shop/web ${FIELD}`]);
});

test('an expired certificate is shown, and told about where it is named', () => {
  const translator = translate([...WEB, site(), secret({ ...pairOf(EXPIRED), 'ca.crt': CA })]);
  assert.equal(tlsOf(translator)[0]?.clientCertificate, 'shop/inside');
  assert.ok(findingsOf(translator).includes(`WEIR0305 Ingress/shop/web ${FIELD}`));
});

test('renewed authorities make another backend, a renewed pair the same with another certificate', () => {
  const translator = translate([...WEB, site(), secret({ ...pairOf(ONE), 'ca.crt': CA })]);
  const [before] = translator.model.backends.keys();
  const pair = translator.update(put(secret({ ...pairOf(TWO), 'ca.crt': CA })));
  assert.deepEqual([...pair.certificates], ['shop/inside']);
  assert.deepEqual([...translator.model.backends.keys()], [before]);
  const authorities = translator.update(put(secret({ ...pairOf(TWO), 'ca.crt': `${CA}${TWO.certificate}` })));
  assert.deepEqual([...authorities.hosts], ['default/a.example']);
  assert.notDeepEqual([...translator.model.backends.keys()], [before]);
  translator.update(remove(site()));
  assert.deepEqual([translator.model.backends.size, translator.model.certificates.size], [0, 0]);
});

test('authorities by which nothing can be verified are told about, where something is to be verified', () => {
  const intoLeaf = secret({ 'ca.crt': ONE.certificate });
  const translator = translate([...WEB, site(), intoLeaf]);
  assert.match(routesOf(translator, 'a.example')[0] ?? '', /^prefix \/ → shop\/web:/);
  assert.deepEqual(findingsOf(translator), [`WEIR0323 Ingress/shop/web ${FIELD}`]);
  assert.match(
    translator.findings()[0]?.message ?? '',
    /^Secret shop\/inside has an entry ca\.crt that holds no certificate of an authority: /,
  );
  translator.update(put(site({ 'proxy-ssl-verify': 'off' })));
  assert.deepEqual(findingsOf(translator), []);
  translator.update(put(site()));
  translator.update(put(secret({ 'ca.crt': ONE.certificate + CA })));
  assert.deepEqual(findingsOf(translator), []);
});
