import { LEAVE_STATUS } from '../wire';
import { createCache, recall, remember } from './bounded-cache';
import { refuse } from './local-answer';
import { hangUp } from './tls-connection';

/** Numbers of HTTP/2 connections that were told to leave. */
const told = createCache<boolean>(1024);

/**
 * Answers 421 on a connection whose policy has changed under it: its client must make a new one. HTTP/1.1 connections
 * end with that. In HTTP/2 the status says it, so that answers which are under way on other streams come to their end; a
 * client that asks again nevertheless loses the connection, for else it might go on like that as long as it has
 * something to ask.
 */
export function sendAway(scheme: string): void {
  if ((ngx.req.http_version() ?? 1) >= 2) {
    const number = ngx.var.connection ?? '';
    if (recall(told, number) === undefined) {
      remember(told, number, true);
    } else {
      hangUp();
    }
  }
  refuse(LEAVE_STATUS, scheme, undefined, 'The connection was made under another TLS policy.');
}
