import * as ffi from 'ffi';
import { connection } from './tls-connection';

ffi.cdef(`
long SSL_get_verify_result(void *ssl);
void *SSL_get0_peer_certificate(void *ssl);
void *X509_get0_notAfter(void *certificate);
int X509_cmp_current_time(void *time);
`);

/**
 * How the client's certificate fared: `untrusted` is one that no known authority signed and nothing else is wrong with;
 * `expired` one that was good in the handshake.
 */
export type ClientVerdict = 'none' | 'success' | 'untrusted' | 'failed' | 'expired';

/** Self-signed, self-signed in its chain, without its issuer, without anything to verify it by: as nginx's `optional_no_ca`. */
const UNTRUSTED_FIRST = 18;
const UNTRUSTED_LAST = 21;

/** By the connection's handshake, or by that of the session which it resumed. */
export function readVerdict(): ClientVerdict {
  const pointer = connection();
  const certificate = pointer === undefined ? undefined : shown(pointer);
  if (pointer === undefined || certificate === undefined) {
    return 'none';
  }
  const result = tonumber(ffi.C.SSL_get_verify_result!(pointer))!;
  if (result !== 0) {
    return result >= UNTRUSTED_FIRST && result <= UNTRUSTED_LAST ? 'untrusted' : 'failed';
  }
  return isUnexpired(certificate) ? 'success' : 'expired';
}

/** Whether the client showed a certificate that has not expired: a connection or a session may last longer. */
export function hasUnexpiredCertificate(): boolean {
  const pointer = connection();
  const certificate = pointer === undefined ? undefined : shown(pointer);
  return certificate !== undefined && isUnexpired(certificate);
}

function shown(pointer: CData): CData | undefined {
  const certificate = ffi.C.SSL_get0_peer_certificate!(pointer);
  return (certificate as unknown) === null ? undefined : certificate;
}

function isUnexpired(certificate: CData): boolean {
  return ffi.C.X509_cmp_current_time!(ffi.C.X509_get0_notAfter!(certificate)) > 0;
}
