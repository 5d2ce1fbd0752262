import { CodedError } from '../lib/coded-error.ts';
import { normalisePath } from './normalise-path.ts';

/** A request to be explained. Of a repeated header each value stands for itself. */
export interface ExplainRequest {
  /** `https://shop.example/cart?x=1`; without a scheme, http is meant. */
  readonly url: string;
  /** Absent: GET. */
  readonly method?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Name of the listener, where the URL's port doesn't tell it. */
  readonly listener?: string;
}

/** The request, taken apart as the load balancer does it. */
export interface RequestTarget {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  /** Name of the URL: what is looked up and, with TLS, sent as SNI. Lower case, without trailing dot. */
  readonly serverName: string;
  /** Name that requests are routed by: the Host header, where one was given. */
  readonly host: string;
  /** As sent, with its port. */
  readonly authority: string;
  readonly port: number;
  readonly portGiven: boolean;
  /** As sent: escapes, dots and all. Begins with a slash. */
  readonly rawPath: string;
  /** Undefined: nginx answers 400. */
  readonly path: string | undefined;
  /** Without the question mark; '' where there is none. */
  readonly query: string;
  readonly headers: ReadonlyMap<string, string>;
}

const URL_FORM =
  /^(?:(https?|wss?):\/\/)?(?:[^/?#@]*@)?(\[[0-9a-fA-F:.]+\]|[^/?#:[\]]+)(?::([0-9]{1,5}))?(\/[^?#]*)?(?:\?([^#]*))?(?:#.*)?$/i;

/** Throws a CodedError (`url-unreadable`) where the URL is none that a load balancer could get. */
export function parseRequest(request: ExplainRequest): RequestTarget {
  const parts = URL_FORM.exec(request.url.trim());
  if (parts === null || Number(parts[3] ?? 1) > 65535 || Number(parts[3] ?? 1) < 1) {
    throw new CodedError('url-unreadable', `"${request.url}" is not the URL of a request`, {
      remedy: 'Write it as http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH.',
    });
  }
  const [, scheme = 'http', name = '', port, rawPath = '/', query = ''] = parts;
  const secure = /^(?:https|wss)$/i.test(scheme);
  const headers = joinHeaders(request.headers ?? []);
  const authority = headers.get('host') ?? (port === undefined ? name : `${name}:${port}`);
  return {
    method: (request.method ?? 'GET').toUpperCase(),
    scheme: secure ? 'https' : 'http',
    serverName: nameOf(name),
    host: nameOf(authority),
    authority,
    port: port === undefined ? (secure ? 443 : 80) : Number(port),
    portGiven: port !== undefined,
    rawPath,
    path: normalisePath(rawPath),
    query,
    headers,
  };
}

/** `Shop.Example.:8080` → `shop.example` */
function nameOf(authority: string): string {
  return authority
    .toLowerCase()
    .replace(/:[0-9]*$/, '')
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

/** Lower-case name → values joined as the data plane joins them. */
function joinHeaders(headers: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.trim().toLowerCase();
    const before = joined.get(key);
    joined.set(key, before === undefined ? value.trim() : `${before}, ${value.trim()}`);
  }
  return joined;
}

/** The first value of a query parameter, decoded, `+` as a space; names are compared with case. */
export function queryValue(query: string, name: string): string | undefined {
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (unescape(equals < 0 ? pair : pair.slice(0, equals)) === name)
      return equals < 0 ? '' : unescape(pair.slice(equals + 1));
  }
  return undefined;
}

function unescape(text: string): string {
  const bytes = Buffer.from(text.replaceAll('+', ' '), 'utf8').toString('latin1');
  const decoded = bytes.replaceAll(/%([0-9a-fA-F]{2})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, 'latin1').toString('utf8');
}

/** Value of a cookie of the request; the first where it is repeated. */
export function cookieValue(headers: ReadonlyMap<string, string>, name: string): string | undefined {
  for (const pair of (headers.get('cookie') ?? '').split(/[;,]/)) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
