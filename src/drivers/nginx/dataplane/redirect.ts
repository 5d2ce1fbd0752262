import type { RedirectRecord } from '../wire';
import { escapePath, escapeUnsafe } from './escape';
import { compilePathRewrite, rewritePath, rewriteQuery, rewritesWithCaptures, type PathRewrite } from './path-rewrite';
import { compileTemplate, fill, type Template } from './template';

export interface Redirect {
  readonly record: RedirectRecord;
  readonly path: PathRewrite | undefined;
  readonly urlTemplate: Template | undefined;
}

export function compileRedirect(record: RedirectRecord): Redirect {
  if (record.status < 300 || record.status > 399) {
    error('a redirect has the status ' + tostring(record.status), 0);
  }
  return {
    record,
    path: record.path === undefined ? undefined : compilePathRewrite(record.path),
    urlTemplate: record.url === undefined ? undefined : compileTemplate(record.url),
  };
}

export function redirectsWithCaptures(redirect: Redirect): boolean {
  return redirect.urlTemplate !== undefined || (redirect.path !== undefined && rewritesWithCaptures(redirect.path));
}

function isWellKnown(scheme: string, port: number): boolean {
  return (scheme === 'https' && port === 443) || (scheme === 'http' && port === 80);
}

function withPort(host: string, scheme: string, port: number | undefined): string {
  return port === undefined || isWellKnown(scheme, port) ? host : host + ':' + string.format('%d', port);
}

export function httpsUrl(host: string, port: number | undefined): string {
  return 'https://' + withPort(host, 'https', port) + (ngx.var.request_uri ?? '/');
}

/** Scheme, host and port: the redirect's; what it leaves open is as the client sees this listener. */
function authority(record: RedirectRecord, clientScheme: string, host: string): string {
  const scheme = record.scheme ?? clientScheme;
  if (record.host === undefined && record.port === undefined && record.scheme === undefined) {
    return scheme + '://' + (ngx.var.http_host ?? host);
  }
  const listenerPort = record.scheme === undefined ? tonumber(ngx.var.server_port ?? '') : undefined;
  return scheme + '://' + withPort(record.host ?? host, scheme, record.port ?? listenerPort);
}

/** The Location of a redirect, or undefined where it does not apply to this path. */
export function redirectUrl(
  redirect: Redirect,
  clientScheme: string,
  host: string,
  path: string,
  prefixLength: number,
  captures: RegexCaptures | undefined,
): string | undefined {
  const { record } = redirect;
  if (record.onlyPath !== undefined && record.onlyPath !== path) {
    return undefined;
  }
  if (record.url !== undefined) {
    const url = redirect.urlTemplate === undefined ? record.url : fill(redirect.urlTemplate, captures, escapePath);
    const query = record.keepQuery === true ? (ngx.var.args ?? '') : '';
    if (query === '') {
      return escapeUnsafe(url);
    }
    const [mark] = string.find(url, '?', 1, true);
    return escapeUnsafe(url + (mark === undefined ? '?' : '&') + query);
  }
  const base = authority(record, clientScheme, host);
  if (redirect.path === undefined) {
    return base + (ngx.var.request_uri ?? '/');
  }
  const target = rewritePath(redirect.path, path, prefixLength, captures, escapePath);
  const own = record.onlyPath === undefined ? ngx.var.args : undefined;
  const query = rewriteQuery(redirect.path, own, captures) ?? own;
  return escapeUnsafe(base + target) + (query === undefined || query === '' ? '' : '?' + query);
}
