import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import type { StateDirectory } from './state-directory.ts';

const CERTIFICATE = 'default-certificate.pem';
const KEY = 'default-key.pem';
const VALID_YEARS = 10;

export interface DefaultCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Paths of the pair that is shown where nothing better is known. Made once: clients that pin it are not surprised. */
export async function defaultCertificate(directory: StateDirectory): Promise<DefaultCertificate> {
  const paths = { certificate: join(directory.run, CERTIFICATE), key: join(directory.run, KEY) };
  if (existsSync(paths.certificate) && existsSync(paths.key)) return paths;
  const notAfterDate = new Date();
  notAfterDate.setFullYear(notAfterDate.getFullYear() + VALID_YEARS);
  const pair = await generate([{ name: 'commonName', value: 'weir default certificate' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notAfterDate,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'default.weir.invalid' }] }],
  });
  directory.writePrivate(KEY, pair.private);
  directory.writePrivate(CERTIFICATE, pair.cert);
  return paths;
}
