import { createHash } from 'node:crypto';
import type { ClientCertificatePolicy } from '../../../model/client-certificate.ts';
import type { HostTls } from '../../../model/virtual-host.ts';
import type { ClientCertificateRecord, VerificationRecord } from '../wire.ts';
import { readAuthorities } from './authority-record.ts';

/** Undefined: nobody can be verified by these authorities. */
export function renderVerification(policy: ClientCertificatePolicy): VerificationRecord | undefined {
  const authorities = readAuthorities(policy);
  return 'problem' in authorities ? undefined : { authority: authorities.id, depth: policy.depth };
}

export function renderClientCertificate(policy: ClientCertificatePolicy, authority: string): ClientCertificateRecord {
  const { mode, subjectPattern, errorUrl, passToBackend } = policy;
  return {
    authority,
    mode,
    ...(subjectPattern === undefined ? {} : { subjectPattern }),
    ...(errorUrl === undefined ? {} : { errorUrl }),
    ...(passToBackend === true ? { pass: true } : {}),
  };
}

/**
 * What tells TLS connections apart: whom they were verified by and what else was agreed on. What a request needs besides
 * (mode, subject) is asked of every request, so that hosts that differ in it alone may share connections.
 */
export function policyHash(verify: VerificationRecord | undefined, tls: Partial<HostTls> = {}): string {
  const { protocols, ciphers, preferServerCiphers } = tls;
  const parts = [verify?.authority, verify?.depth, protocols, ciphers, preferServerCiphers];
  return createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest('hex')
    .slice(0, 16);
}
