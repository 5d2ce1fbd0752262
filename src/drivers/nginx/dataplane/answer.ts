/** Answers given without a backend. Every one of them ends the rewrite phase. */

/** Leaves the body to nginx to throw away, so that the next request on the connection begins where it begins. */
function send(status: number): void {
  ngx.req.discard_body();
  ngx.status = status;
  ngx.send_headers();
}

export function answerRedirect(status: number, url: string): void {
  ngx.header.Location = url;
  ngx.header['Content-Length'] = '0';
  send(status);
  ngx.exit(200);
}

export function answerText(status: number, text: string): void {
  ngx.header['Content-Type'] = 'text/plain; charset=utf-8';
  send(status);
  if (text !== '') {
    ngx.print(text, '\n');
  }
  ngx.exit(200);
}
