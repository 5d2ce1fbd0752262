import type { X509Certificate } from 'node:crypto';

/**
 * Why no certificate can be verified by these, as the end of a sentence about the bundle; undefined where one can. A
 * chain must end in a self-signed certificate: OpenSSL takes no other for an end, unless it is told to, and nginx doesn't
 * tell it. One that is self-signed and no authority is good for itself.
 */
export function missingRoot(certificates: readonly X509Certificate[]): string | undefined {
  if (certificates.some(({ subject, issuer }) => subject === issuer)) return undefined;
  return certificates.some(({ ca }) => ca)
    ? 'holds intermediate authorities, and not the self-signed one that their chain ends in'
    : 'holds no certificate of an authority';
}
