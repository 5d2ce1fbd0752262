import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { selfSignedCertificate } from './self-signed-certificate.ts';
import type { StateDirectory } from './state-directory.ts';

const CERTIFICATE = 'default-certificate.pem';
const KEY = 'default-key.pem';
const VALID_YEARS = 10;

export interface DefaultCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Paths of the pair that is shown where nothing better is known. Made once: clients that pin it are not surprised. */
export function defaultCertificate(directory: StateDirectory): DefaultCertificate {
  const paths = { certificate: join(directory.run, CERTIFICATE), key: join(directory.run, KEY) };
  if (existsSync(paths.certificate) && existsSync(paths.key)) return paths;
  const notBefore = new Date();
  const notAfter = new Date(notBefore);
  notAfter.setFullYear(notAfter.getFullYear() + VALID_YEARS);
  const made = selfSignedCertificate({
    commonName: 'weir default certificate',
    dnsName: 'default.weir.invalid',
    notBefore,
    notAfter,
  });
  directory.writePrivate(KEY, made.key.reveal());
  directory.writePrivate(CERTIFICATE, made.certificate);
  return paths;
}
