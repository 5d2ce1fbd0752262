import type { CatalogueEntry } from '../../diagnostics/catalogue.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import type { PathMatch } from '../../model/match.ts';
import type { IngressBackend, IngressPath } from '../../snapshot/kinds/ingress.ts';

export type PathType = 'Exact' | 'Prefix' | 'ImplementationSpecific';

/** A path of an Ingress rule that can be served. */
export interface PathRule {
  readonly type: PathType;
  /** As written; '/' where there was none. */
  readonly value: string;
  readonly backend: IngressBackend;
  /** `spec.rules[0].http.paths[1]` */
  readonly field: string;
}

export interface PathProblem {
  readonly entry: CatalogueEntry;
  /** Name of the field inside the path. */
  readonly field: 'path' | 'pathType';
  readonly message: string;
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** A path without pathType (which an API server refuses) is read as ImplementationSpecific. */
export function readPath({ path, pathType, backend }: IngressPath, field: string): PathRule | PathProblem {
  const value = path === undefined || path === '' ? '/' : path;
  const type = pathType ?? 'ImplementationSpecific';
  if (type !== 'Exact' && type !== 'Prefix' && type !== 'ImplementationSpecific') {
    return {
      entry: INGRESS_FINDINGS.pathTypeUnknown,
      field: 'pathType',
      message: `Path type ${quoted(type)} is unknown; path ${quoted(value)} is not served.`,
    };
  }
  if (CONTROL.test(value)) {
    return {
      entry: INGRESS_FINDINGS.pathInvalid,
      field: 'path',
      message: `Path ${quoted(value)} holds a control character; it is not served.`,
    };
  }
  if (!value.startsWith('/')) {
    return {
      entry: INGRESS_FINDINGS.pathInvalid,
      field: 'path',
      message: `Path ${quoted(value)} does not begin with "/"; it is not served.`,
    };
  }
  // Without its slashes it would be another prefix, which does match.
  if (type === 'Prefix' && value.endsWith('//')) {
    return {
      entry: INGRESS_FINDINGS.pathInvalid,
      field: 'path',
      message: `Path ${quoted(value)} ends in "//", as no request path does; it is not served.`,
    };
  }
  return { type, value, backend, field };
}

/** What a path matches on a host without regular expressions. */
export function literalMatch({ type, value }: PathRule): PathMatch {
  if (type === 'Exact') return { kind: 'exact', value };
  return type === 'Prefix' ? { kind: 'prefix', value: withoutSlash(value) } : { kind: 'text-prefix', value };
}

/**
 * What it matches on a host with them: ingress-nginx reads every path of such a host as one, whatever its type, just as
 * it is written. Without its slash `/admin/` would take `/administrator` as well.
 */
export function regexMatch({ value }: PathRule): PathMatch {
  return { kind: 'regex', value, ignoreCase: true };
}

/** Bytes of a path in a request line of 16 KiB, more than which load balancers don't take. */
const LONGEST = 16_384 - 'GET  HTTP/1.1\r\n'.length;

/** Why no request path can ever be this one; undefined if one can. */
export function neverMatches({ value }: PathRule): string | undefined {
  if (value.includes('//')) return 'holds "//", which is merged to "/"';
  if (/\/\.\.?(?:\/|$)/.test(value)) return 'holds "." or ".." as an element, which is resolved';
  if (value.includes('?')) return 'holds "?", where the query begins';
  if (value.includes('#')) return 'holds "#", where the fragment begins';
  if (/%[0-9A-Fa-f]{2}/.test(value)) return 'is percent-encoded';
  if (Buffer.byteLength(value) > LONGEST) return 'is longer than a request line may be';
  return undefined;
}

function withoutSlash(value: string): string {
  return value.length > 1 && value.endsWith('/') ? value.slice(0, -1) : value;
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
