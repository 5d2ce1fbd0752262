import { block, directive, luaBlock } from './build-directive.ts';
import { LEAVE_STATUS } from '../wire.ts';
import type { Directive } from './directive.ts';

const PAGE = '@weir_error';
/** For clients that must come again on another connection: nginx ends theirs. */
const LEAVE_PAGE = '@weir_leave';
/**
 * For errors found before nginx has a URI, which a named location can't serve. No request has this path, so it is no
 * route's: nginx merges the slashes of what clients send.
 */
const EARLY_PAGE = '//weir/error';

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const EARLY = [400, 414, 505];
const STATUSES = [...range(401, 431), 451, ...range(500, 511)].filter((status) => !EARLY.includes(status));

/** Errors that nginx or the router finds get weir's own pages; a backend's error answers pass through untouched. */
export function errorPages(): readonly Directive[] {
  const answer = luaBlock('content_by_lua_block', 'weir.errorPage()');
  return [
    directive('error_page', ...STATUSES, PAGE),
    directive('error_page', ...EARLY, EARLY_PAGE),
    directive('error_page', 494, '=431', EARLY_PAGE),
    directive('error_page', LEAVE_STATUS, '=421', LEAVE_PAGE),
    directive('error_page', 495, 496, 497, '=400', EARLY_PAGE),
    block('location', [PAGE], [answer]),
    block('location', [LEAVE_PAGE], [directive('keepalive_timeout', 0), answer]),
    block('location', ['=', EARLY_PAGE], [directive('internal'), answer]),
  ];
}
