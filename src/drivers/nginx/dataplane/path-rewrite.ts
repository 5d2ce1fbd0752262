import type { RewriteRecord } from '../wire';
import { escapeQuery } from './escape';
import { compileTemplate, fill, type Template } from './template';

/** How a path becomes another. A `?` in a full path or a template begins a query that is put before the request's own. */
export interface PathRewrite {
  readonly kind: RewriteRecord['kind'];
  readonly path: string;
  readonly pathTemplate: Template | undefined;
  readonly query: string | undefined;
  readonly queryTemplate: Template | undefined;
}

export function compilePathRewrite(record: RewriteRecord): PathRewrite {
  const { kind, value } = record;
  if (kind === 'prefix') {
    const [path] = string.gsub(value, '/$', '');
    return { kind, path, pathTemplate: undefined, query: undefined, queryTemplate: undefined };
  }
  if (kind !== 'captures' && kind !== 'full') {
    error('a rewrite is of unknown kind', 0);
  }
  const [mark] = string.find(value, '?', 1, true);
  const path = mark === undefined ? value : string.sub(value, 1, mark - 1);
  const query = mark === undefined ? undefined : string.sub(value, mark + 1);
  return {
    kind,
    path,
    pathTemplate: kind === 'full' ? undefined : compileTemplate(path),
    query,
    queryTemplate: query === undefined || kind === 'full' ? undefined : compileTemplate(query),
  };
}

export function rewritesWithCaptures(rewrite: PathRewrite): boolean {
  return rewrite.pathTemplate !== undefined || rewrite.queryTemplate !== undefined;
}

/**
 * Decoded path in; always begins with a slash. `prefixLength`: what the route's prefix covered. `escape` is for what
 * comes from the request: as it is for a path that stays decoded, percent signs for one that goes into a URL.
 */
export function rewritePath(
  rewrite: PathRewrite,
  path: string,
  prefixLength: number,
  captures: RegexCaptures | undefined,
  escape: (this: void, text: string) => string,
): string {
  let result = rewrite.path;
  if (rewrite.kind === 'prefix') {
    result = result + escape(string.sub(path, prefixLength + 1));
  } else if (rewrite.pathTemplate !== undefined) {
    result = fill(rewrite.pathTemplate, captures, escape);
  }
  return string.byte(result, 1) === 47 ? result : '/' + result;
}

/** The query of a rewritten request; undefined: its own. */
export function rewriteQuery(
  rewrite: PathRewrite,
  own: string | undefined,
  captures: RegexCaptures | undefined,
): string | undefined {
  const { query } = rewrite;
  if (query === undefined) {
    return undefined;
  }
  const added = rewrite.queryTemplate === undefined ? query : fill(rewrite.queryTemplate, captures, escapeQuery);
  if (added === '' || own === undefined || own === '') {
    return added;
  }
  return added + '&' + own;
}
