/** Every header of the request: the limit of 100 that the API has by default would let conditions be skipped. */
export function requestHeaders(): LuaTable<string, HeaderValue> {
  const headers = ngx.req.get_headers(0);
  // Without its metatable a header must be named as it was sent: `x_y` is not `x-y`.
  return setmetatable(headers as object, undefined) as unknown as LuaTable<string, HeaderValue>;
}

/** A repeated header is read as one, joined by `, ` (RFC 9110, 5.3). */
export function joined(value: HeaderValue): string {
  if (typeof value === 'string') {
    return value;
  }
  return table.concat(value, ', ');
}

/** One header by its lower-case name. */
export function headerText(name: string): string | undefined {
  const value = requestHeaders().get(name);
  return value === undefined ? undefined : joined(value);
}
