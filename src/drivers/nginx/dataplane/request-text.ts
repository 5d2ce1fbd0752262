import { REQUEST_VARIABLES } from '../wire';
import { cookieValue } from './cookie';
import { escapeUnsafe } from './escape';
import { headerText } from './header-text';
import { queryValue } from './query';

const VARIABLE = '%$%{([%w_]+)%}';

/** What else a variable may begin with, and what the rest of its name is then looked up in. */
const PREFIXES: readonly (readonly [string, (this: void, name: string) => string | undefined])[] = [
  [
    'http_',
    (name) => {
      const [header] = string.gsub(name, '_', '-');
      return headerText(header);
    },
  ],
  ['cookie_', cookieValue],
  ['arg_', queryValue],
];

/** For scheme and host, the client's: what a trusted proxy tells and nginx's own variables don't know. */
function valueOf(name: string, scheme: string): string | undefined {
  if (name === 'scheme') {
    return scheme;
  }
  if (name === 'http_host') {
    return ngx.var.weir_client_host;
  }
  if (name === 'request_id') {
    return ngx.var.weir_request_id;
  }
  if (name === 'escaped_request_uri') {
    return ngx.escape_uri(ngx.var.request_uri ?? '/');
  }
  for (const [prefix, find] of PREFIXES) {
    if (string.sub(name, 1, prefix.length) === prefix) {
      return find(string.sub(name, prefix.length + 1));
    }
  }
  return ngx.var[name];
}

function isKnown(name: string): boolean {
  for (const known of REQUEST_VARIABLES) {
    if (known === name) {
      return true;
    }
  }
  for (const [prefix] of PREFIXES) {
    if (name.length > prefix.length && string.sub(name, 1, prefix.length) === prefix) {
      return true;
    }
  }
  return false;
}

/** A text of the wire that may hold variables. Raises an error for one that there isn't: the host is then closed. */
export function requireVariables(text: string): void {
  for (const [name] of string.gmatch(text, VARIABLE)) {
    if (!isKnown(name)) {
      error('there is no variable ' + name, 0);
    }
  }
}

function filled(text: string, valueIn: (this: void, name: string) => string | undefined): string {
  if (string.find(text, '${', 1, true)[0] === undefined) {
    return text;
  }
  const [result] = string.gsub(text, VARIABLE, (name) => valueIn(name) ?? '');
  return result;
}

/** The text with the request's values put in. */
export function requestText(text: string, scheme: string): string {
  return filled(text, (name) => valueOf(name, scheme));
}

/** What is part of an address as it stands; every other value may be anything that the client likes. */
const URL_PARTS = new LuaSet<string>();
for (const name of ['host', 'http_host', 'scheme', 'request_uri', 'escaped_request_uri', 'uri', 'args', 'is_args']) {
  URL_PARTS.add(name);
}

/** The same for a URL or the target of a request: a value can't add a parameter or end anything. */
export function requestUrl(text: string, scheme: string): string {
  return escapeUnsafe(
    filled(text, (name) => {
      const value = valueOf(name, scheme) ?? '';
      return URL_PARTS.has(name) ? value : ngx.escape_uri(value);
    }),
  );
}
