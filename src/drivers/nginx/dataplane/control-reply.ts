export function reply(status: number, body: string): void {
  ngx.status = status;
  ngx.header['Content-Type'] = 'application/json';
  ngx.header['Content-Length'] = string.format('%d', body.length);
  ngx.print(body);
}

export function replyText(status: number, text: string): void {
  ngx.status = status;
  ngx.header['Content-Type'] = 'text/plain; charset=utf-8';
  ngx.print(text, '\n');
}
