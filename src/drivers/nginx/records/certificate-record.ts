import type { Certificate } from '../../../model/certificate.ts';
import type { CertificateRecord } from '../wire.ts';

/** The only place where a private key leaves its wrapper: on its way into the control socket. */
export function renderCertificate(certificate: Certificate): CertificateRecord {
  return { chain: certificate.chain, key: certificate.privateKey.reveal(), type: certificate.keyType };
}
