import * as ffi from 'ffi';
import * as ssl from 'ngx.ssl';
import * as base from 'resty.core.base';

const libraryHasIt = ssl.get_req_ssl_pointer !== undefined;

// The function of the Lua module 0.10.23 takes a second argument, that of later ones doesn't, and their library, which
// declares it itself, calls it. FFI goes by whichever declaration comes first.
if (!libraryHasIt) {
  ffi.cdef('void *ngx_http_lua_ffi_get_req_ssl_pointer(void *r, const char **err);');
}

const problem = ffi.new('const char*[1]');

/** OpenSSL's connection of the handshake or request at hand; undefined without TLS. */
export function sslPointer(): CData | undefined {
  if (libraryHasIt) {
    const [pointer] = ssl.get_req_ssl_pointer!();
    return pointer;
  }
  const pointer = ffi.C.ngx_http_lua_ffi_get_req_ssl_pointer!(base.get_request(), problem);
  return (pointer as unknown) === null ? undefined : pointer;
}
