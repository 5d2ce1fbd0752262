import { discardBody } from './discard-body';
import { currentRecord } from './request-record';

/** Answers given without a backend, of requests that have a record. Each is given when its request leaves the location. */

function answer(give: (this: void) => void): void {
  const record = currentRecord();
  if (record === undefined) {
    error('an answer was made for a request without a record', 0);
  }
  record.answer = give;
}

function send(status: number): void {
  discardBody();
  ngx.status = status;
  ngx.send_headers();
}

export function answerRedirect(status: number, url: string): void {
  answer(() => {
    ngx.header.Location = url;
    ngx.header['Content-Length'] = '0';
    send(status);
    ngx.exit(200);
  });
}

export function answerText(status: number, text: string): void {
  answer(() => {
    ngx.header['Content-Type'] = 'text/plain; charset=utf-8';
    send(status);
    if (text !== '') {
      ngx.print(text, '\n');
    }
    ngx.exit(200);
  });
}
