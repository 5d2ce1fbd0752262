import * as ffi from 'ffi';
import * as base from 'resty.core.base';
import { sslPointer } from './ssl-pointer';

ffi.cdef(`
void *SSL_get_ex_data(const void *ssl, int index);
extern int ngx_ssl_connection_index;
extern volatile uintptr_t ngx_current_msec;
`);

/**
 * nginx's structure of a connection holds its number, the time of its start and the count of its requests in a row; here, in
 * words from its beginning, without and with a field of builds that speak QUIC.
 */
const PLACES = [25, 26];
const WORDS = ffi.typeof('uintptr_t *');
/** The second word of a request, after its signature. */
const CONNECTION = 1;
/** More than any limit on the requests of a connection. */
const MORE_THAN_ALLOWED = 0x40000000;

type Words = LuaTable<number, number | CData>;

function words(pointer: CData): Words {
  return ffi.cast(WORDS, pointer) as unknown as Words;
}

function wordAt(structure: Words, place: number): number {
  return tonumber(structure.get(place)) ?? -1;
}

/** Where the count stands, if all that nginx itself tells of the connection stands around it; else undefined. */
function placeOfCount(stream: Words, connection: Words): number | undefined {
  const number = tonumber(ngx.var.connection);
  const count = tonumber(ngx.var.connection_requests);
  const age = tonumber(ngx.var.connection_time);
  if (number === undefined || count === undefined || age === undefined) {
    return undefined;
  }
  const now = tonumber(ffi.C.ngx_current_msec as unknown as CData)!;
  for (const place of PLACES) {
    const started = wordAt(stream, place + 1);
    const fits =
      wordAt(stream, place) === number &&
      wordAt(stream, place + 2) === count &&
      math.abs(now - started - age * 1000) < 1000 &&
      wordAt(connection, place) === number &&
      wordAt(connection, place + 1) === started &&
      wordAt(connection, place + 2) >= count;
    if (fits) {
      return place + 2;
    }
  }
  return undefined;
}

function endConnection(): void {
  const ssl = sslPointer();
  if (ssl === undefined) {
    return;
  }
  const pointer = ffi.C.SSL_get_ex_data!(ssl, ffi.C.ngx_ssl_connection_index as unknown as number);
  if ((pointer as unknown) === null) {
    return;
  }
  const connection = words(pointer);
  const stream = words(words(base.get_request()).get(CONNECTION) as CData);
  const place = placeOfCount(stream, connection);
  if (place !== undefined) {
    connection.set(place, MORE_THAN_ALLOWED);
  }
}

/**
 * Has nginx send GOAWAY with the next request of this HTTP/2 connection, which it still answers, and close it then. nginx
 * does so by itself only where a connection has had as many requests as `keepalive_requests` allows, so it is told that
 * this one has. Where nginx isn't built as expected nothing is done, and clients get their GOAWAY when nginx ends.
 */
export function endAfterNextStream(): void {
  pcall(endConnection);
}
