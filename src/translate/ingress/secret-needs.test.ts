import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingress, put, remove } from '../../../test/support/resources.ts';
import { IngressTranslator } from './ingress-translator.ts';
import { OPTIONS } from './translated.fixture.ts';

const site = (name: string, secretName: string, annotations = {}) =>
  ingress({
    name,
    annotations,
    hosts: { [`${name}.example`]: ['/'] },
    tls: [{ hosts: [`${name}.example`], secretName }],
  });

test('Secrets are needed from the first served Ingress that names them to the last', () => {
  const translator = new IngressTranslator(OPTIONS);
  translator.update(put(site('a', 'shared'), site('b', 'shared')));
  assert.deepEqual(translator.takeSecretNeeds(), [{ key: 'shop/shared', needed: true }]);
  translator.update(remove(site('a', 'shared')));
  assert.deepEqual(translator.takeSecretNeeds(), []);
  translator.update(put(site('b', 'other')));
  assert.deepEqual(
    [...translator.takeSecretNeeds()].sort((x, y) => Number(x.needed) - Number(y.needed)),
    [
      { key: 'shop/shared', needed: false },
      { key: 'shop/other', needed: true },
    ],
  );
});

test('authorities of clients and of backends, and the default certificate, are needed, too', () => {
  const translator = new IngressTranslator({ ...OPTIONS, defaultCertificate: { namespace: 'weir', name: 'fallback' } });
  const prefix = 'nginx.ingress.kubernetes.io';
  const clients = { [`${prefix}/auth-tls-secret`]: 'shop/clients' };
  const backends = { [`${prefix}/proxy-ssl-secret`]: 'shop/backends', [`${prefix}/backend-protocol`]: 'HTTPS' };
  translator.update(put(site('a', 'a-tls', clients), site('b', 'b-tls', backends)));
  assert.deepEqual(
    translator
      .takeSecretNeeds()
      .map(({ key }) => key)
      .sort(),
    ['shop/a-tls', 'shop/b-tls', 'shop/backends', 'shop/clients', 'weir/fallback'],
  );
});

test('an Ingress of another class needs nothing', () => {
  const translator = new IngressTranslator({ ...OPTIONS, serveWithoutClass: false });
  translator.update(put(site('a', 'a-tls')));
  assert.deepEqual(translator.takeSecretNeeds(), []);
});

test('a Secret of another namespace is not needed: what refers to it is refused by the name alone', () => {
  const translator = new IngressTranslator(OPTIONS);
  const prefix = 'nginx.ingress.kubernetes.io';
  const clients = { [`${prefix}/auth-tls-secret`]: 'elsewhere/clients' };
  const backends = { [`${prefix}/proxy-ssl-secret`]: 'elsewhere/backends', [`${prefix}/backend-protocol`]: 'HTTPS' };
  translator.update(put(site('a', 'a-tls', clients), site('b', 'b-tls', backends)));
  const keys = translator.takeSecretNeeds().map(({ key }) => key);
  assert.deepEqual(keys.sort(), ['shop/a-tls', 'shop/b-tls']);
});
