import { X509Certificate } from 'node:crypto';

const PEM_CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** Certificates of authorities, each of which a TLS library can read. */
export interface CertificateBundle {
  /** PEM, each once, in the order given; nothing else that stood between them. */
  readonly pem: string;
  readonly certificates: readonly [X509Certificate, ...X509Certificate[]];
}

/**
 * Reads a PEM bundle. A text is why it can't be used, as the end of a sentence about the bundle. One certificate that is
 * damaged spoils all: to go on without it would quietly trust less than was asked.
 */
export function readCertificateBundle(text: string): CertificateBundle | string {
  const blocks = text.match(PEM_CERTIFICATE) ?? [];
  const begun = text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/g)?.length ?? 0;
  const certificates = new Map<string, X509Certificate>();
  for (const [index, block] of blocks.entries()) {
    try {
      const certificate = new X509Certificate(block);
      certificates.set(certificate.fingerprint256, certificate);
    } catch {
      return `has a certificate that can not be read: number ${index + 1} of ${blocks.length}`;
    }
  }
  const [first, ...rest] = certificates.values();
  if (first === undefined) return 'holds no PEM certificate';
  if (begun !== blocks.length) return 'has a certificate that is cut off';
  return {
    pem: [first, ...rest].map((certificate) => certificate.toString()).join(''),
    certificates: [first, ...rest],
  };
}
