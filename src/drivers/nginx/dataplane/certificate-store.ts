import * as ffi from 'ffi';

ffi.cdef(`
void *X509_STORE_new(void);
void X509_STORE_free(void *store);
int X509_STORE_add_cert(void *store, void *certificate);
int X509_STORE_add_crl(void *store, void *list);
int X509_STORE_set_flags(void *store, unsigned long flags);
int OPENSSL_sk_num(const void *stack);
void *OPENSSL_sk_value(const void *stack, int index);
void *BIO_new_mem_buf(const void *bytes, int length);
int BIO_free(void *bio);
void *PEM_read_bio_X509_CRL(void *bio, void **to, void *callback, void *data);
void X509_CRL_free(void *list);
void ERR_clear_error(void);
`);

/** X509_V_FLAG_CRL_CHECK and X509_V_FLAG_CRL_CHECK_ALL: every certificate of a chain, as nginx's `ssl_crl`. */
const CHECK_REVOCATION = 0x4 + 0x8;

/** Calls `each` with every certificate of a parsed chain or bundle. */
export function eachCertificate(stack: CData, each: (this: void, certificate: CData) => void): void {
  for (const index of $range(0, ffi.C.OPENSSL_sk_num!(stack) - 1)) {
    each(ffi.C.OPENSSL_sk_value!(stack, index));
  }
}

function addRevocations(store: CData, text: string): void {
  const bio = ffi.C.BIO_new_mem_buf!(text, text.length);
  if ((bio as unknown) === null) {
    error('no memory for the revocation lists', 0);
  }
  let count = 0;
  while (true) {
    const list = ffi.C.PEM_read_bio_X509_CRL!(bio, undefined, undefined, undefined);
    if ((list as unknown) === null) {
      break;
    }
    const added = ffi.C.X509_STORE_add_crl!(store, list);
    ffi.C.X509_CRL_free!(list);
    if (added === 1) {
      count += 1;
    }
  }
  ffi.C.BIO_free!(bio);
  // The end of the text is an error to OpenSSL, and one that is left here would be taken for one of the connection.
  ffi.C.ERR_clear_error!();
  const [, expected] = string.gsub(text, 'BEGIN X509 CRL', '');
  if (count === 0 || count !== expected) {
    error('the revocation lists are not readable', 0);
  }
  ffi.C.X509_STORE_set_flags!(store, CHECK_REVOCATION);
}

/** What certificates are verified against: authorities (as `parse_pem_cert` gives them) and revocation lists (PEM). */
export function buildStore(authorities: CData, revocations: string | undefined): CData {
  const store = ffi.gc(ffi.C.X509_STORE_new!(), ffi.C.X509_STORE_free);
  eachCertificate(authorities, (certificate) => {
    if (ffi.C.X509_STORE_add_cert!(store, certificate) !== 1) {
      error('an authority can not be used', 0);
    }
  });
  if (revocations !== undefined) {
    addRevocations(store, revocations);
  }
  return store;
}
