import * as ffi from 'ffi';
import * as ssl from 'ngx.ssl';
import type { Authority } from './authority-cache';
import { eachCertificate } from './certificate-store';
import { connection } from './tls-connection';

ffi.cdef(`
long SSL_ctrl(void *ssl, int command, long number, void *pointer);
int SSL_add_client_CA(void *ssl, void *certificate);
int SSL_set_num_tickets(void *ssl, size_t count);
`);

/** SSL_CTRL_SET_VERIFY_CERT_STORE; with 1 the store is counted, not handed over. */
const SET_VERIFY_STORE = 106;

/**
 * In the certificate phase, after nginx may have changed what the connection verifies. The handshake goes on whatever
 * comes; requests are judged by its outcome. False: the client can't be asked.
 */
export function askForCertificate({ certificates, store }: Authority, depth: number): boolean {
  const pointer = connection();
  const [asked] = ssl.verify_client(undefined, depth);
  if (pointer === undefined || asked !== true) {
    return false;
  }
  if (tonumber(ffi.C.SSL_ctrl!(pointer, SET_VERIFY_STORE, 1, store)) !== 1) {
    return false;
  }
  eachCertificate(certificates, (certificate) => {
    ffi.C.SSL_add_client_CA!(pointer, certificate);
  });
  // A second session of the same handshake would outlive the removal of the first, see `forgetSession`.
  return ffi.C.SSL_set_num_tickets!(pointer, 1) === 1;
}
