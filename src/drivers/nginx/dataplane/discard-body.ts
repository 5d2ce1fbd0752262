function discard(): void {
  ngx.req.discard_body();
}

const BAD_REQUEST = 400;

/**
 * Leaves the request's body to nginx to throw away, so that the next request on the connection begins where it begins.
 * Of one that is no body nobody knows where it ends: the request ends here with 400, and nginx closes the connection.
 */
export function discardBody(): void {
  const [good] = pcall(discard);
  if (!good) {
    ngx.exit(BAD_REQUEST);
  }
}
