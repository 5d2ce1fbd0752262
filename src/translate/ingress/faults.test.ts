import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { ingress, put, remove, service, slice, tlsSecret } from '../../../test/support/resources.ts';
import { Redacted } from '../../lib/redacted.ts';
import { validateModel } from '../../model/validate.ts';
import type { Resource } from '../../snapshot/resource.ts';
import { EndpointAddresses } from '../services/endpoint-address.ts';
import { selfSigned } from '../tls/pairs.fixture.ts';
import { parseAnnotations } from './annotations/parse.ts';
import { BackendResolver } from './backend-resolver.ts';
import { IngressTranslator } from './ingress-translator.ts';
import { endpointsOf, findingsOf, hostOf, NOW, OPTIONS, routesOf } from './translated.fixture.ts';

const BROKEN = { 'nginx.ingress.kubernetes.io/proxy-body-size': '1m' };
const WEB = [service(), slice()];
const site = (name: string, more: Partial<Parameters<typeof ingress>[0]> = {}) =>
  ingress({ name, hosts: { [`${name}.example`]: ['/'] }, ...more });

/** A translator that fails at reading annotations as long as `failing` says so. */
function translatorFailing(failing: () => boolean = () => true): IngressTranslator {
  return new IngressTranslator(OPTIONS, (annotations, origin) => {
    if (failing() && Object.keys(annotations).length > 0) throw new TypeError('no such table');
    return parseAnnotations(annotations, origin);
  });
}

function faultsOf(translator: IngressTranslator): readonly string[] {
  return findingsOf(translator).filter((text) => text.startsWith('WEIR0500'));
}

test('an Ingress that weir fails to read costs only itself: it answers 503, once told, and the others are served', () => {
  const translator = translatorFailing();
  const delta = translator.update(put(...WEB, site('a'), site('b', { annotations: BROKEN }), site('c')));
  assert.deepEqual([...delta.hosts].sort(), ['default/a.example', 'default/b.example', 'default/c.example']);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / → shop/web:80']);
  assert.deepEqual(routesOf(translator, 'b.example'), ['prefix / ✗ 503']);
  assert.deepEqual(routesOf(translator, 'c.example'), ['prefix / → shop/web:80']);
  assert.deepEqual(faultsOf(translator), ['WEIR0500 Ingress/shop/b']);
  assert.match(
    translator.findings()[0]?.message ?? '',
    /^weir failed at reading the Ingress: TypeError: no such table \(faults\.test\.ts:[0-9]+\)\. Its addresses answer 503; all others are served\.$/u,
  );
  assert.equal(translator.refuses(site('b').ref), true);
  assert.deepEqual(validateModel(translator.model), []);
});

test('an Ingress that was good before stays as it was, until weir can read it', () => {
  let failing = true;
  const translator = translatorFailing(() => failing);
  translator.update(put(...WEB, site('b')));
  const changed = site('b', { annotations: BROKEN, hosts: { 'b.example': ['/new'] } });
  assert.deepEqual([...translator.update(put(changed)).hosts], []);
  assert.deepEqual(routesOf(translator, 'b.example'), ['prefix / → shop/web:80']);
  assert.deepEqual(faultsOf(translator), ['WEIR0500 Ingress/shop/b']);
  failing = false;
  assert.deepEqual([...translator.tick().hosts], ['default/b.example']);
  assert.deepEqual(routesOf(translator, 'b.example'), ['prefix /new → shop/web:80']);
  assert.deepEqual([faultsOf(translator), translator.refuses(changed.ref)], [[], false]);
});

test('an Ingress that weir failed to read can be deleted', () => {
  const translator = translatorFailing();
  const broken = site('b', { annotations: BROKEN });
  translator.update(put(...WEB, broken));
  assert.deepEqual([...translator.update(remove(broken)).hosts], ['default/b.example']);
  assert.deepEqual([translator.model.hosts.size, findingsOf(translator)], [0, []]);
});

test('a canary that weir fails to read takes nothing from its main route', () => {
  const translator = translatorFailing();
  const annotations = { 'nginx.ingress.kubernetes.io/canary': 'true' };
  const canary = site('canary', { annotations, created: '2020-01-01T00:00:00Z', hosts: { 'a.example': ['/'] } });
  translator.update(put(...WEB, site('a'), canary));
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / → shop/web:80']);
  assert.deepEqual(faultsOf(translator), ['WEIR0500 Ingress/shop/canary']);
});

test('a host that weir fails to make stays as it was, or answers 503 where it is new; later changes of others go on', (t) => {
  const translator = new IngressTranslator(OPTIONS);
  translator.update(put(...WEB, site('a'), site('b')));
  const { resolve } = BackendResolver.prototype;
  const mock = t.mock.method(
    BackendResolver.prototype,
    'resolve',
    function (this: BackendResolver, ...args: Parameters<typeof resolve>) {
      if (args[0].object.ref.name !== 'b' && args[0].object.ref.name !== 'd') return resolve.apply(this, args);
      throw new RangeError('out of range');
    },
  );
  const two = (name: string) => site(name, { hosts: { [`${name}.example`]: ['/', '/two'] } });
  const delta = translator.update(put(two('a'), two('b'), two('d')));
  assert.deepEqual([...delta.hosts].sort(), ['default/a.example', 'default/d.example']);
  assert.equal(routesOf(translator, 'a.example').length, 2);
  assert.deepEqual(routesOf(translator, 'b.example'), ['prefix / → shop/web:80']);
  assert.deepEqual(routesOf(translator, 'd.example'), ['text-prefix / ✗ 503']);
  assert.deepEqual(faultsOf(translator), ['WEIR0500 Ingress/shop/b spec', 'WEIR0500 Ingress/shop/d spec']);
  assert.deepEqual(validateModel(translator.model), []);
  mock.mock.restore();
  translator.tick();
  assert.deepEqual([routesOf(translator, 'd.example').length, faultsOf(translator)], [2, []]);
});

test('a backend that weir fails to make keeps its endpoints, or has none where it is new', (t) => {
  const translator = new IngressTranslator(OPTIONS);
  translator.update(put(...WEB, site('a')));
  const { read } = EndpointAddresses.prototype;
  const mock = t.mock.method(
    EndpointAddresses.prototype,
    'read',
    function (this: EndpointAddresses, text: string, port: number) {
      if (text === '10.0.0.2') throw new Error('cannot read');
      return read.call(this, text, port);
    },
  );
  const other = [service({ name: 'other' }), slice({ of: 'other', endpoints: ['10.0.0.2'] })];
  const third = [service({ name: 'third' }), slice({ of: 'third', endpoints: ['10.0.0.3'] })];
  const hosts = { 'o.example': [{ path: '/', to: 'other:80' }], 't.example': [{ path: '/', to: 'third:80' }] };
  translator.update(put(...other, ...third, slice({ endpoints: ['10.0.0.2'] }), site('o', { hosts })));
  assert.deepEqual(endpointsOf(translator, 'shop/web:80'), ['10.0.0.1:8080']);
  assert.deepEqual(endpointsOf(translator, 'shop/other:80'), []);
  assert.deepEqual(endpointsOf(translator, 'shop/third:80'), ['10.0.0.3:8080']);
  assert.deepEqual(faultsOf(translator), ['WEIR0500 Service/shop/other spec', 'WEIR0500 Service/shop/web spec']);
  assert.deepEqual(validateModel(translator.model), []);
  mock.mock.restore();
  const delta = translator.tick();
  assert.deepEqual([...delta.backends].sort(), ['shop/other:80', 'shop/web:80']);
  assert.deepEqual([endpointsOf(translator, 'shop/web:80'), faultsOf(translator)], [['10.0.0.2:8080'], []]);
});

test('a certificate that weir fails to read stays as it was, and nothing of the key is told', async (t) => {
  const validity = { notBefore: new Date(NOW.getTime() - 864e5), notAfter: new Date(NOW.getTime() + 5e9) };
  const [first, second] = [await selfSigned(['a.example'], validity), await selfSigned(['a.example'], validity)];
  const tls = [{ hosts: ['a.example'], secretName: 'cert' }];
  const secret = (pair: { certificate: string; key: string }) => tlsSecret({ name: 'cert', ...pair });
  const translator = new IngressTranslator(OPTIONS);
  translator.update(put(...WEB, secret(first), site('a', { tls }), site('b')));
  const before = translator.model.certificates.get('shop/cert');
  failAtSecrets(t, second.key);
  translator.update(put(secret(second), site('b', { hosts: { 'b.example': ['/new'] } })));
  assert.equal(translator.model.certificates.get('shop/cert'), before);
  assert.deepEqual(hostOf(translator, 'a.example').tls, { certificates: ['shop/cert'] });
  assert.deepEqual(routesOf(translator, 'b.example'), ['prefix /new → shop/web:80']);
  assert.deepEqual(faultsOf(translator), [
    'WEIR0500 Ingress/shop/a spec.tls[0].secretName',
    'WEIR0500 Secret/shop/cert',
  ]);
  assert.doesNotMatch(JSON.stringify(translator.findings()), /PRIVATE KEY/u);
  t.mock.restoreAll();
  assert.deepEqual([...translator.tick().certificates], ['shop/cert']);
  assert.equal(
    new X509Certificate(translator.model.certificates.get('shop/cert')!.chain).fingerprint256,
    new X509Certificate(second.certificate).fingerprint256,
  );
  assert.deepEqual(faultsOf(translator), []);
});

test('an object that weir fails to take in leaves the one before it, and what it says is not told of a Secret', () => {
  const translator = new IngressTranslator(OPTIONS);
  translator.update(put(...WEB, site('a')));
  const unreadable = (resource: Resource): Resource => ({
    ...resource,
    get body(): unknown {
      throw new Error('hunter2');
    },
  });
  const secret = unreadable(tlsSecret({ name: 'cert', certificate: '', key: '' }));
  translator.update([...put(unreadable(site('a')), secret), ...put(site('b'))]);
  assert.deepEqual(routesOf(translator, 'a.example'), ['prefix / → shop/web:80']);
  assert.deepEqual(routesOf(translator, 'b.example'), ['prefix / → shop/web:80']);
  assert.deepEqual(faultsOf(translator), ['WEIR0500 Ingress/shop/a', 'WEIR0500 Secret/shop/cert']);
  const messages = translator.findings().map(({ object, message }) => `${object.kind} ${message.includes('hunter2')}`);
  assert.deepEqual(messages, ['Ingress true', 'Secret false']);
  translator.update(put(site('a')));
  assert.deepEqual(faultsOf(translator), ['WEIR0500 Secret/shop/cert']);
});

/** Fails where the private key is looked at, with a message that quotes it. */
function failAtSecrets(t: TestContext, key: string): void {
  const { reveal } = Redacted.prototype;
  t.mock.method(Redacted.prototype, 'reveal', function (this: Redacted) {
    const value = reveal.call(this);
    if (value === key) throw new Error(`can't read ${value}`);
    return value;
  });
}

test('an Ingress that weir fails to read is closed for what its regular expressions match, not for their text', () => {
  const translator = translatorFailing();
  const annotations = { 'nginx.ingress.kubernetes.io/rewrite-target': '/$1' };
  const path = { path: '/api/(.*)', type: 'ImplementationSpecific' };
  const wide = ingress({ name: 'wide', hosts: { 'a.example': ['/'] } });
  translator.update(put(...WEB, wide, ingress({ name: 'b', annotations, hosts: { 'a.example': [path] } })));
  assert.deepEqual(routesOf(translator, 'a.example'), ['regex /api/(.*) ✗ 503', 'regex / → shop/web:80']);
});
