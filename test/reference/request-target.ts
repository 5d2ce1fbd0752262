import { normalisePath } from './normalise-path.ts';
import type { RequestText } from './request-text.ts';
import { headerValues } from './request-text.ts';

/** What nginx reads out of a request before anything is routed. */
export interface RequestTarget {
  /** Path and query as they were written. */
  readonly raw: string;
  /** `$uri`. */
  readonly path: string;
  /** After the first `?`; undefined where there is none. */
  readonly query: string | undefined;
  /** Lower-case, without port and without the dot of the root. Empty where the request names none. */
  readonly host: string;
  /** As the client wrote it; undefined where it wrote none. */
  readonly authority: string | undefined;
}

const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)(.*)$/is;

/** The target, or the status with which nginx refuses the request (RFC 9112 sections 3.2 and 3.3). */
export function readTarget(request: RequestText): RequestTarget | number {
  const { method, target, version } = request;
  if (!/^[A-Z_-]+$/.test(method)) return 400;
  // nginx (CHANGES 1.21.1): spaces and control characters in a request line are an error.
  if (/[^\x21-\x7e\x80-\xff]/.test(target)) return 400;
  const hosts = headerValues(request, 'host');
  const absolute = ABSOLUTE_FORM.exec(target);
  // There nginx takes names of letters, digits, dots and hyphens only, and addresses.
  if (absolute !== null && !/^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?$/i.test(absolute[1] ?? '')) return 400;
  // RFC 9112 section 3.2: no Host in HTTP/1.1, or more than one, is answered with 400.
  if (hosts.length > 1 || (hosts.length === 0 && version === '1.1')) return 400;
  const authority = absolute === null ? hosts[0] : absolute[1];
  const rest = absolute === null ? target : (absolute[2] ?? '');
  const raw = absolute !== null && !rest.startsWith('/') ? `/${rest}` : rest;
  if (!raw.startsWith('/')) return 400;
  const mark = raw.indexOf('?');
  const path = normalisePath(mark < 0 ? raw : raw.slice(0, mark));
  if (path === undefined) return 400;
  // nginx (CHANGES 1.21.1): CONNECT is refused; TRACE always was.
  if (method === 'CONNECT' || method === 'TRACE') return 405;
  const query = mark < 0 ? undefined : raw.slice(mark + 1);
  return { raw, path, query, host: hostName(authority ?? ''), authority };
}

function hostName(authority: string): string {
  const name = authority.startsWith('[') ? authority.replace(/\]:.*$/, ']') : authority.replace(/:.*$/, '');
  return name.toLowerCase().replace(/\.$/, '');
}
