import * as ffi from 'ffi';
import type { Authority } from './authority-cache';
import { createCache, recall, remember } from './bounded-cache';
import { connection } from './tls-connection';

ffi.cdef(`
void *SSL_get0_peer_certificate(void *ssl);
void *SSL_get_peer_cert_chain(void *ssl);
int SSL_get_security_level(void *ssl);
void *X509_STORE_CTX_new(void);
void X509_STORE_CTX_free(void *context);
int X509_STORE_CTX_init(void *context, void *store, void *certificate, void *chain);
int X509_STORE_CTX_set_default(void *context, const char *name);
void X509_STORE_CTX_set_depth(void *context, int depth);
void *X509_STORE_CTX_get0_param(void *context);
void X509_VERIFY_PARAM_set_auth_level(void *parameters, int level);
int X509_verify_cert(void *context);
void ERR_clear_error(void);
`);

/** By connection and policy: what a request costs nothing that one before it has found out. Two halves of this many. */
const outcomes = createCache<boolean>(2048);

/**
 * Whether the certificate of the connection at hand is good by other authorities than those of its handshake, in which
 * its owner proved that it is theirs. `policy` names authorities and depth. A resumed connection has the certificate
 * without its chain.
 */
export function isGoodNow(policy: string, authority: Authority, depth: number): boolean {
  const key = (ngx.var.connection ?? '') + ' ' + policy;
  let good = recall(outcomes, key);
  if (good === undefined) {
    good = verify(authority.store, depth);
    remember(outcomes, key, good);
  }
  return good;
}

/** As OpenSSL itself verifies a client in a handshake. */
function verify(store: CData, depth: number): boolean {
  const ssl = connection();
  const certificate = ssl === undefined ? undefined : ffi.C.SSL_get0_peer_certificate!(ssl);
  if (ssl === undefined || certificate === undefined || (certificate as unknown) === null) {
    return false;
  }
  const context = ffi.C.X509_STORE_CTX_new!();
  if ((context as unknown) === null) {
    return false;
  }
  let good = false;
  if (
    ffi.C.X509_STORE_CTX_init!(context, store, certificate, ffi.C.SSL_get_peer_cert_chain!(ssl)) === 1 &&
    ffi.C.X509_STORE_CTX_set_default!(context, 'ssl_client') === 1
  ) {
    ffi.C.X509_STORE_CTX_set_depth!(context, depth);
    ffi.C.X509_VERIFY_PARAM_set_auth_level!(
      ffi.C.X509_STORE_CTX_get0_param!(context),
      ffi.C.SSL_get_security_level!(ssl),
    );
    good = ffi.C.X509_verify_cert!(context) === 1;
  }
  ffi.C.X509_STORE_CTX_free!(context);
  // What is left here would be taken for an error of the connection.
  ffi.C.ERR_clear_error!();
  return good;
}
