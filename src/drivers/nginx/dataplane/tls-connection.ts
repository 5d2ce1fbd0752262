import * as ffi from 'ffi';
import * as base from 'resty.core.base';

ffi.cdef(`
void *ngx_http_lua_ffi_get_req_ssl_pointer(void *r, const char **err);
int SSL_set_session_id_context(void *ssl, const unsigned char *sid_ctx, unsigned int sid_ctx_len);
size_t SSL_client_hello_get0_ciphers(void *ssl, const unsigned char **out);
`);

const problem = ffi.new('const char*[1]');
const bytes = ffi.new('const unsigned char*[1]');

function connection(): CData | undefined {
  const pointer = ffi.C.ngx_http_lua_ffi_get_req_ssl_pointer!(base.get_request(), problem);
  return (pointer as unknown) === null ? undefined : pointer;
}

/**
 * A TLS session made under one policy would be resumed under another and keep its verdict on the client certificate.
 * OpenSSL resumes only within one session id context (at most 32 bytes). False: it could not be set.
 */
export function setSessionContext(context: string): boolean {
  const ssl = connection();
  return ssl !== undefined && ffi.C.SSL_set_session_id_context!(ssl, context, context.length) === 1;
}

/** In the client-hello phase. */
export function offeredSuites(): string {
  const ssl = connection();
  if (ssl === undefined) {
    return '';
  }
  const length = tonumber(ffi.C.SSL_client_hello_get0_ciphers!(ssl, bytes))!;
  return length > 0 ? ffi.string((bytes as unknown as LuaTable<number, CData>).get(0), length) : '';
}
