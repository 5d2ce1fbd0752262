import { settings } from './options';

/** In the same time whatever differs: the hashes are compared, byte by byte to the end. */
function equal(a: string, b: string): boolean {
  const left = ngx.sha1_bin(a);
  const right = ngx.sha1_bin(b);
  let difference = 0;
  for (const index of $range(1, left.length)) {
    difference = difference | (string.byte(left, index) ^ string.byte(right, index));
  }
  return difference === 0;
}

export function isAuthorized(header: string | undefined): boolean {
  if (header === undefined || string.sub(header, 1, 7) !== 'Bearer ') {
    return false;
  }
  return equal(string.sub(header, 8), settings.token);
}
