import type { PathRewrite } from '../model/filter.ts';
import type { Covered } from './match-route.ts';

/** Path and query after a rewrite: path decoded or, with `escape`, as it stands in a URL. */
export function rewritePath(
  rewrite: PathRewrite,
  path: string,
  query: string,
  covered: Covered,
  escape: (text: string) => string = (text) => text,
): { readonly path: string; readonly query: string } {
  if (rewrite.kind === 'prefix') {
    return { path: rooted(rewrite.value.replace(/\/$/, '') + escape(path.slice(covered.prefixLength))), query };
  }
  const mark = rewrite.value.indexOf('?');
  const [pathPart, queryPart] =
    mark < 0 ? [rewrite.value, ''] : [rewrite.value.slice(0, mark), rewrite.value.slice(mark + 1)];
  const fill =
    rewrite.kind === 'captures' ? (text: string) => fillTemplate(text, covered, escape) : (text: string) => text;
  // A query in the rewrite stands before the request's own.
  const queries = [fill(queryPart), query].filter((part) => part !== '');
  return { path: rooted(fill(pathPart)), query: queries.join('&') };
}

/** `$1` to `$9`, `${1}` and `${name}`; a group that took no part is empty, everything else is text. */
export function fillTemplate(text: string, covered: Covered, escape: (text: string) => string): string {
  return text.replaceAll(/\$(?:([0-9])|\{(\w+)\})/g, (_whole, digit: string | undefined, name: string | undefined) => {
    const key = digit ?? name ?? '';
    const value = /^[0-9]+$/.test(key) ? covered.captures[Number(key)] : covered.named[key];
    return escape(value ?? '');
  });
}

/** Decoded text as it stands in the path of a URL. */
export function escapePath(text: string): string {
  return encodeURI(text).replaceAll(/[?#]/g, (mark) => (mark === '?' ? '%3F' : '%23'));
}

function rooted(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}
