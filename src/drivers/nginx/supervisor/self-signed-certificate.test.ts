import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { selfSignedCertificate } from './self-signed-certificate.ts';

const WANTED = {
  commonName: 'weir default certificate',
  dnsName: 'default.weir.invalid',
  notBefore: new Date('2026-01-02T03:04:05Z'),
  notAfter: new Date('2036-01-02T03:04:05Z'),
};

test('it says what was asked for, and its key has signed it', () => {
  const { certificate, key } = selfSignedCertificate(WANTED);
  const read = new X509Certificate(certificate);
  assert.equal(read.subject, 'CN=weir default certificate');
  assert.equal(read.issuer, read.subject);
  assert.equal(read.subjectAltName, 'DNS:default.weir.invalid');
  assert.deepEqual([read.validFromDate, read.validToDate], [WANTED.notBefore, WANTED.notAfter]);
  assert.ok(read.verify(read.publicKey));
  assert.ok(read.checkPrivateKey(createPrivateKey(key.reveal())));
});

test('times after 2049 are written with the whole year', () => {
  const notAfter = new Date('2051-06-07T08:09:10Z');
  const { certificate } = selfSignedCertificate({ ...WANTED, notAfter });
  assert.deepEqual(new X509Certificate(certificate).validToDate, notAfter);
});

test('serial numbers and keys are never the same, and numbers are positive whatever their first bit', () => {
  const made = Array.from({ length: 40 }, () => new X509Certificate(selfSignedCertificate(WANTED).certificate));
  assert.equal(new Set(made.map(({ serialNumber }) => serialNumber)).size, made.length);
  assert.equal(new Set(made.map(({ fingerprint256 }) => fingerprint256)).size, made.length);
  assert.ok(made.every(({ serialNumber }) => !serialNumber.startsWith('-')));
  assert.ok(made.some(({ serialNumber }) => /^[89A-F]/u.test(serialNumber)));
});

test('long names are written with their lengths', () => {
  const commonName = 'x'.repeat(300);
  const { certificate } = selfSignedCertificate({ ...WANTED, commonName });
  assert.equal(new X509Certificate(certificate).subject, `CN=${commonName}`);
});
