import type { Certificate } from '../certificate.ts';
import type { Report } from './problem.ts';
import { checkTime } from './value-rules.ts';

const PEM = /^-----BEGIN CERTIFICATE-----$/m;

/** Its form only; whether key and chain belong together is for who reads the Secret. */
export function checkCertificate(certificate: Certificate, report: Report): void {
  if (!PEM.test(certificate.chain)) report('tls', 'chain', 'no certificate', 'a chain is PEM, leaf first');
  if (!certificate.privateKey.reveal().includes('PRIVATE KEY-----')) {
    report('tls', 'privateKey', 'no private key', 'a private key is PEM');
  }
  if (!/^[0-9a-f]{64}$/.test(certificate.fingerprint)) {
    report(
      'tls',
      'fingerprint',
      JSON.stringify(certificate.fingerprint),
      'a fingerprint is 64 lower-case hexadecimal digits',
    );
  }
  checkTime(certificate.notBefore, 'notBefore', report);
  checkTime(certificate.notAfter, 'notAfter', report);
}
