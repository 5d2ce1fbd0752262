import * as cjson from 'cjson.safe';
import { discardBody } from './discard-body';
import { CERTIFICATE_TEXT, errorText, grpcStatus } from './error-page-text';
import { escapeHtml } from './escape';
import { currentRecord } from './request-record';

const BAD_GATEWAY = 502;
const GATEWAY_TIMEOUT = 504;

function has(text: string, part: string): boolean {
  return string.find(text, part, 1, true)[0] !== undefined;
}

function html(status: number, title: string, sentence: string, id: string): string {
  const heading = string.format('%d', status) + ' ' + title;
  return (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>' +
    heading +
    '</title>\n<style>body{font-family:sans-serif;margin:10vh auto;max-width:36rem;padding:0 1rem;line-height:1.5}' +
    'small{color:#666}</style>\n</head>\n<body>\n<h1>' +
    heading +
    '</h1>\n<p>' +
    escapeHtml(sentence) +
    '</p>\n<p><small>Request ' +
    escapeHtml(id) +
    '</small></p>\n</body>\n</html>\n'
  );
}

function json(status: number, title: string, sentence: string, id: string): string {
  return cjson.encode({ status, error: title, message: sentence, request: id }) + '\n';
}

function answerGrpc(status: number, sentence: string): void {
  ngx.status = 200;
  ngx.header['Content-Type'] = 'application/grpc';
  ngx.header['grpc-status'] = string.format('%d', grpcStatus(status));
  ngx.header['grpc-message'] = sentence;
  ngx.header['Content-Length'] = '0';
  ngx.send_headers();
}

/**
 * The answer for every error that nginx or the router finds; a backend's own error answers never come here. HTML for
 * browsers, JSON where it is asked for, a gRPC status for gRPC, plain text for the rest. It says what the status means
 * and no more: the reason names objects and annotations, which are for the access log and not for the internet.
 */
export function answerError(): void {
  const record = currentRecord();
  // Where the balancer gives up nginx says 502 by itself, also after a time-out.
  if (ngx.status === BAD_GATEWAY && record !== undefined && record.timedOut) {
    ngx.status = GATEWAY_TIMEOUT;
  }
  const { status } = ngx;
  const [title, sentence] = record !== undefined && record.lacksCertificate ? CERTIFICATE_TEXT : errorText(status);
  const requestType = ngx.var.content_type ?? '';
  discardBody();
  if (string.sub(requestType, 1, 16) === 'application/grpc') {
    answerGrpc(status, sentence);
    return;
  }
  const accepted = ngx.var.http_accept ?? '';
  const id = ngx.var.weir_request_id ?? '';
  let body: string;
  let contentType = 'text/plain';
  if (has(accepted, 'text/html')) {
    contentType = 'text/html';
    body = html(status, title, sentence, id);
  } else if (has(accepted, 'application/json')) {
    contentType = 'application/json';
    body = json(status, title, sentence, id);
  } else {
    body = string.format('%d', status) + ' ' + title + '\n' + sentence + '\nRequest ' + id + '\n';
  }
  ngx.header['Content-Type'] = contentType + '; charset=utf-8';
  ngx.header['Content-Length'] = string.format('%d', body.length);
  ngx.header['Cache-Control'] = 'no-store';
  ngx.print(body);
}
