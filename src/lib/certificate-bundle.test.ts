import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { generate } from 'selfsigned';
import { readCertificateBundle } from './certificate-bundle.ts';

describe('a bundle of certificates', () => {
  let one = '';
  let two = '';
  let key = '';
  before(async () => {
    const make = (name: string) =>
      generate([{ name: 'commonName', value: name }], { keyType: 'ec', algorithm: 'sha256' });
    const [a, b] = await Promise.all([make('one'), make('two')]);
    one = a.cert;
    two = b.cert;
    key = a.private;
  });

  const subjects = (text: string) => {
    const bundle = readCertificateBundle(text);
    return typeof bundle === 'string' ? bundle : bundle.certificates.map(({ subject }) => subject);
  };

  it('is read in its order, each certificate once', () => {
    assert.deepEqual(subjects(`${one}\n${two}\n${one}`), ['CN=one', 'CN=two']);
  });

  it('loses what is no certificate, a private key above all', () => {
    const bundle = readCertificateBundle(`# ours\r\n${key}\r\n${one}`);
    assert.ok(typeof bundle !== 'string');
    assert.doesNotMatch(bundle.pem, /PRIVATE|ours/);
    assert.match(bundle.pem, /^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/);
  });

  it('is refused as a whole where one certificate is damaged or cut off', () => {
    assert.equal(readCertificateBundle(''), 'holds no PEM certificate');
    assert.equal(readCertificateBundle(key), 'holds no PEM certificate');
    const damaged = two.replace(/\n[^\n-]+\n/, '\nAAAA\n');
    assert.equal(readCertificateBundle(`${one}\n${damaged}`), 'has a certificate that can not be read: number 2 of 2');
    assert.equal(readCertificateBundle(`${one}\n${two.slice(0, 200)}`), 'has a certificate that is cut off');
  });
});
