import { TLS_FINDINGS } from '../../diagnostics/tls.ts';
import type { Certificate } from '../../model/certificate.ts';
import type { KeyPairProblem } from './key-pair.ts';

const SOON_MS = 14 * 24 * 60 * 60 * 1000;

/** What is to be said about the certificate's time. The message doesn't change while the outcome doesn't. */
export function validityProblem(certificate: Certificate, now: Date): KeyPairProblem | undefined {
  const { notBefore, notAfter } = certificate;
  const field = 'data["tls.crt"]';
  if (now < new Date(notBefore)) {
    return { entry: TLS_FINDINGS.notYetValid, field, message: `The certificate is valid only from ${notBefore}.` };
  }
  const left = new Date(notAfter).getTime() - now.getTime();
  if (left < 0) return { entry: TLS_FINDINGS.expired, field, message: `The certificate expired on ${notAfter}.` };
  if (left < SOON_MS)
    return { entry: TLS_FINDINGS.expiresSoon, field, message: `The certificate expires on ${notAfter}.` };
  return undefined;
}
