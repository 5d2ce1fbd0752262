import * as ffi from 'ffi';
import { sslPointer } from './ssl-pointer';

ffi.cdef(`
int SSL_set_session_id_context(void *ssl, const unsigned char *sid_ctx, unsigned int sid_ctx_len);
size_t SSL_client_hello_get0_ciphers(void *ssl, const unsigned char **out);
void *SSL_get_session(void *ssl);
const unsigned char *SSL_SESSION_get0_id_context(void *session, unsigned int *length);
void *SSL_get_SSL_CTX(void *ssl);
int SSL_CTX_remove_session(void *context, void *session);
void SSL_set_shutdown(void *ssl, int mode);
`);

const bytes = ffi.new('const unsigned char*[1]');
const size = ffi.new('unsigned int[1]');
/** SSL_RECEIVED_SHUTDOWN */
const RECEIVED_SHUTDOWN = 2;

/** OpenSSL's connection of the handshake or request at hand; undefined without TLS. */
export function connection(): CData | undefined {
  return sslPointer();
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

/** The context under which the connection at hand was made; undefined without TLS. It never changes after the handshake. */
export function sessionContext(): string | undefined {
  const ssl = connection();
  const session = ssl === undefined ? undefined : ffi.C.SSL_get_session!(ssl);
  if (session === undefined || (session as unknown) === null) {
    return undefined;
  }
  const context = ffi.C.SSL_SESSION_get0_id_context!(session, size);
  return ffi.string(context, (size as unknown as LuaTable<number, number>).get(0));
}

/** The next connection of this client is verified anew: resumed, it would only bring the same verdict again. */
export function forgetSession(): void {
  const ssl = connection();
  const session = ssl === undefined ? undefined : ffi.C.SSL_get_session!(ssl);
  if (ssl !== undefined && session !== undefined && (session as unknown) !== null) {
    ffi.C.SSL_CTX_remove_session!(ffi.C.SSL_get_SSL_CTX!(ssl), session);
  }
}

/** nginx reads nothing more from the connection at hand: at the client's next word it takes it for ended. */
export function hangUp(): void {
  const ssl = connection();
  if (ssl !== undefined) {
    ffi.C.SSL_set_shutdown!(ssl, RECEIVED_SHUTDOWN);
  }
}
