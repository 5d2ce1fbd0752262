import { existsSync } from 'node:fs';

/** Where Debian, Red Hat, SUSE and Alpine keep the certificates of all authorities that a machine trusts, in one file. */
const PLACES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
] as const;

/** Path of the machine's own bundle of certificate authorities; undefined: it has none. */
export function findSystemAuthorities(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}
