import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** Secrets that examples/shop refers to, with the names that their certificates are for. */
const SECRETS = [{ name: 'shop-tls', namespace: 'shop', hosts: ['shop.example', '*.shop.example'] }] as const;

const DAY_MS = 86_400_000;

/**
 * Makes an authority and, signed by it, the certificates of the example hosts; writes the Secrets as a manifest and the
 * authority's certificate for curl's --cacert. New ones each time: nothing secret needs to be kept.
 */
export async function writeSampleSecrets(folder: string): Promise<{ manifests: string; authority: string }> {
  const authority = await generate([{ name: 'commonName', value: 'weir demo authority' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + 30 * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const manifests = join(folder, 'secrets');
  const authorityFile = join(folder, 'authority.pem');
  mkdirSync(manifests, { recursive: true, mode: 0o700 });
  const documents = await Promise.all(SECRETS.map((secret) => secretManifest(secret, authority)));
  writeFileSync(join(manifests, 'tls.yaml'), documents.join('---\n'), { mode: 0o600 });
  writeFileSync(authorityFile, `${authority.cert}\n`);
  return { manifests, authority: authorityFile };
}

async function secretManifest(
  { name, namespace, hosts }: (typeof SECRETS)[number],
  authority: { readonly cert: string; readonly private: string },
): Promise<string> {
  const made = await generate([{ name: 'commonName', value: hosts[0] }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + 30 * DAY_MS),
    ca: { cert: authority.cert, key: authority.private },
    extensions: [{ name: 'subjectAltName', altNames: hosts.map((value) => ({ type: 2 as const, value })) }],
  });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return `apiVersion: v1
kind: Secret
metadata: { name: ${name}, namespace: ${namespace} }
type: kubernetes.io/tls
data:
  tls.crt: ${base64(`${made.cert}\n`)}
  tls.key: ${base64(made.private)}
`;
}
