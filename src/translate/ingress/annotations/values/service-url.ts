import { isIP } from 'node:net';
import { isHostname } from '../../../../model/hostname.ts';
import { isNumberLike } from '../../../services/external-name.ts';
import { readTemplate } from './request-template.ts';
import { invalid, type Parsed, valid, type ValueKind } from './value-kind.ts';

/** Where a service is asked: never more than a host, a port and what stands in the request line. */
export interface ServiceUrl {
  readonly scheme: 'http' | 'https';
  /** A DNS name in lower case, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path and query with variables in the model's form; absent: the URL has none. */
  readonly path?: string;
}

const LONGEST = 4096;
const CHARACTERS = /^[A-Za-z0-9\-._~/:?&=%+,@!()*;[\]${}]*$/;
const PARTS = /^(https?):\/\/([^/?$]*)(.*)$/i;
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]@]*)(?::([0-9]{1,5}))?$/;
/** What may follow a host at once: nginx puts in a text that begins with a slash. */
const OWN_PATH = /^\$(?:request_uri\b|\{request_uri\})/;

const GRAMMAR = 'an http:// or https:// URL with a fixed host; path and query may hold variables, as $request_uri';

/**
 * An http or https URL of a service. Its host and port are fixed: where requests go must not depend on who sends them.
 * `example` is one that names a Service.
 */
export function serviceUrl(example: string): ValueKind<ServiceUrl> {
  return { name: 'service URL', grammar: GRAMMAR, parse: (text) => parse(text, `Name the Service, as ${example}.`) };
}

/** The URL as it is written in an annotation; a long path is cut short. */
export function serviceUrlText({ scheme, host, port, path = '' }: ServiceUrl): string {
  const usual = port === (scheme === 'https' ? 443 : 80);
  const written = path.replaceAll(/\$\{([A-Za-z0-9_]+)\}/g, '$$$1');
  return `${scheme}://${host}${usual ? '' : `:${port}`}${written.length > 200 ? `${written.slice(0, 200)}…` : written}`;
}

function parse(text: string, nameService: string): Parsed<ServiceUrl> {
  if (text.length > LONGEST) return invalid(`is longer than ${LONGEST} characters`);
  const url = text.trim();
  const [, scheme = '', authority = '', rest = ''] = PARTS.exec(url) ?? [];
  if (!CHARACTERS.test(url) || scheme === '') return invalid(`is not ${GRAMMAR}`);
  if (/^unix(?::|$)/i.test(authority)) return invalid('names a socket file, and only hosts can be asked', nameService);
  if (authority.includes('@')) return invalid('holds a user or a password, which would be readable by everybody');
  const [, bracketed, digits] = AUTHORITY.exec(authority) ?? [];
  if (rest.startsWith('$') && !OWN_PATH.test(rest)) return invalid('takes its host from the request', nameService);
  if (authority === '' || bracketed === undefined) return invalid('names no host', nameService);
  const host = bracketed
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (!isUsableHost(host, bracketed.startsWith('['))) return invalid('names no host that there can be', nameService);
  const secure = scheme.toLowerCase() === 'https';
  const port = digits === undefined ? (secure ? 443 : 80) : Number(digits);
  if (port < 1 || port > 65_535) return invalid('has a port that is not between 1 and 65535');
  const service = { scheme: secure ? 'https' : 'http', host, port } as const;
  if (rest === '') return valid(service);
  const path = readTemplate(rest.startsWith('?') ? `/${rest}` : rest);
  return path.ok ? valid({ ...service, path: path.value }) : path;
}

/** The same rules as for the name of a Service of type ExternalName. */
function isUsableHost(host: string, bracketed: boolean): boolean {
  if (bracketed) return isIP(host) === 6;
  if (isIP(host) === 4) return true;
  return isHostname(host) && !host.includes('*') && !isNumberLike(host);
}
