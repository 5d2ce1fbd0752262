import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generate } from 'selfsigned';
import { makeAuthority } from '../../test/support/certificates.ts';
import { readCertificateBundle } from './certificate-bundle.ts';
import { missingRoot } from './missing-root.ts';

function missing(...pems: readonly string[]): string | undefined {
  const bundle = readCertificateBundle(pems.join('\n'));
  assert.ok(typeof bundle !== 'string', String(bundle));
  return missingRoot(bundle.certificates);
}

test('a chain ends in a self-signed certificate, be it of an authority or of one that is good for itself alone', async () => {
  const root = await makeAuthority('Root');
  const [between, leaf] = await Promise.all([root.delegate('Between'), root.issue(['alice'])]);
  const own = await generate([{ name: 'commonName', value: 'self' }], {
    keyType: 'ec',
    extensions: [{ name: 'basicConstraints', cA: false }],
  });
  assert.equal(missing(root.certificate), undefined);
  assert.equal(missing(leaf.certificate, between.certificate, root.certificate), undefined);
  assert.equal(missing(own.cert), undefined);
  assert.equal(missing(leaf.certificate), 'holds no certificate of an authority');
  assert.match(missing(leaf.certificate, between.certificate) ?? '', /^holds intermediate authorities, and not /);
});
