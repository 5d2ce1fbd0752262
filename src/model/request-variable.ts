/**
 * What of a request a text may name as `${name}`: in external auth and mirrors. A variable that a request hasn't is empty.
 * Besides these there are `http_NAME`, `cookie_NAME` and `arg_NAME`: a header (with `_` for `-`), a cookie and a query
 * parameter of that name.
 */
export const REQUEST_VARIABLES: readonly string[] = [
  'host',
  /** With the port, as the client wrote it. */
  'http_host',
  /** The client's, also as a trusted proxy tells it. */
  'scheme',
  'request_method',
  /** Path and query as the client sent them. */
  'request_uri',
  /** The same, escaped for a query parameter. */
  'escaped_request_uri',
  /** The path, decoded. */
  'uri',
  'args',
  /** A question mark where there is a query. */
  'is_args',
  'remote_addr',
  /** Name of basic authentication, unproven. */
  'remote_user',
  'request_id',
];

const PREFIXED = /^(?:http|cookie|arg)_./;

export function isRequestVariable(name: string): boolean {
  return REQUEST_VARIABLES.includes(name) || PREFIXED.test(name);
}
