import type { Route } from './route';

/**
 * nginx does not compare Content-Length with a named location's limit, and `location /` has none: so it is done here,
 * for every route that has one. Gives the named location that bounds a body whose length isn't told beforehand.
 */
export type BodyVerdict = 'fits' | 'too large' | 'unknown';

const TWO = 2;

export function judgeBody(route: Route): BodyVerdict {
  const limit = route.bodyLimit;
  if (limit === undefined) {
    return 'fits';
  }
  const length = ngx.var.content_length;
  if (length !== undefined && length !== '') {
    const bytes = tonumber(length);
    return bytes === undefined || bytes > limit ? 'too large' : 'fits';
  }
  if (ngx.var.http_transfer_encoding !== undefined) {
    return 'unknown';
  }
  // A request over HTTP/2 tells by nothing that can be read here whether a body follows, whatever its method.
  const version = ngx.req.http_version();
  return version !== undefined && version >= TWO ? 'unknown' : 'fits';
}
