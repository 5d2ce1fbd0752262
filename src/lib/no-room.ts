/** Of a full disk and a used-up quota (errno(3)), and what the nginx driver makes of them. */
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'WEIR_NGINX_NO_ROOM']);

/** Whether something failed because a file system has no room: what can be waited for, and what freeing a file mends. */
export function isNoRoom(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && CODES.has(cause.code)) return true;
  }
  return false;
}
