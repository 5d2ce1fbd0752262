/**
 * The first value of a query parameter, decoded; names are compared with case. nginx's own `$arg_` compares without
 * case and does not decode, and its table of arguments ends after a hundred.
 */
export function queryValue(name: string): string | undefined {
  const text = ngx.var.args;
  if (text === undefined || text === '') {
    return undefined;
  }
  let start = 1;
  const last = text.length;
  while (start <= last) {
    const [ampersand] = string.find(text, '&', start, true);
    const finish = ampersand === undefined ? last : ampersand - 1;
    const pair = string.sub(text, start, finish);
    const [equals] = string.find(pair, '=', 1, true);
    const key = equals === undefined ? pair : string.sub(pair, 1, equals - 1);
    if (ngx.unescape_uri(key) === name && pair !== '') {
      return equals === undefined ? '' : ngx.unescape_uri(string.sub(pair, equals + 1));
    }
    start = finish + 2;
  }
  return undefined;
}
