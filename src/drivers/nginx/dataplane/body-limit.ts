import type { Route } from './route';
import { readVariable } from './variable';

/**
 * nginx does not compare Content-Length with a named location's limit, and `location /` has none: so it is done here,
 * for every route that has one. Gives the named location that bounds a body whose length isn't told beforehand.
 */
export type BodyVerdict = 'fits' | 'too large' | 'unknown';

export function judgeBody(route: Route): BodyVerdict {
  const limit = route.bodyLimit;
  if (limit === undefined) {
    return 'fits';
  }
  const length = readVariable('content_length');
  if (length !== undefined && length !== '') {
    const bytes = tonumber(length);
    return bytes === undefined || bytes > limit ? 'too large' : 'fits';
  }
  if (readVariable('http_transfer_encoding') !== undefined) {
    return 'unknown';
  }
  // A request over HTTP/2 tells by nothing that can be read here whether a body follows, whatever its method.
  return readVariable('http2') === '' ? 'fits' : 'unknown';
}
