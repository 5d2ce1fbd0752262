import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { handshake } from '../support/clients/tls-client.ts';
import { backendService, ingress } from '../support/manifests.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: ServedFolder;

before(async () => {
  const backend = await startBackend(scope, { name: 'one' });
  site = await ServedFolder.start(scope, { args: ['--default-ssl-certificate', 'default/not-there'] });
  await site.write('plain.yaml', [
    ...backendService({ name: 'one', endpoints: [backend] }),
    ingress({ name: 'plain', host: 'plain.test', tls: [{ hosts: ['plain.test'] }], paths: [{ service: 'one' }] }),
  ]);
});

test('where no certificate is known a self-made one is shown, and requests are answered', async () => {
  for (const named of [{}, { servername: 'plain.test' }, { servername: 'unheard-of.test' }]) {
    const { certificate } = await handshake(site.weir.httpsPort, named);
    assert.equal(certificate.issuer, certificate.subject);
    assert.ok(certificate.verify(certificate.publicKey), 'it is not signed by its own key');
    assert.ok(certificate.validToDate.getTime() > Date.now());
  }
  assert.equal(await site.answer('plain.test', '/', { tls: true }), 'one');
});

test('a default certificate whose Secret is missing is reported', async () => {
  const found = await site.findings('name=not-there');
  assert.deepEqual(
    found.map(({ code, severity, object }) => ({ code, severity, object })),
    [
      {
        code: 'WEIR0300',
        severity: 'error',
        object: { kind: 'Secret', namespace: 'default', name: 'not-there' },
      },
    ],
  );
  assert.match(found[0]?.fix ?? '', /--default-ssl-certificate/);
});
