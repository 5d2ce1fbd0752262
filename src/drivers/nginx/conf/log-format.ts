import { directive, variables } from './build-directive.ts';
import type { Directive } from './directive.ts';

/** Fields of one line of the access log, in order. Lists of tries are texts, as nginx writes them: `a, b`. */
const FIELDS: readonly (readonly [name: string, variable: string, kind: 'text' | 'number'])[] = [
  ['time', '$time_iso8601', 'text'],
  ['client', '$remote_addr', 'text'],
  ['method', '$request_method', 'text'],
  ['scheme', '$scheme', 'text'],
  ['host', '$host', 'text'],
  ['uri', '$request_uri', 'text'],
  ['protocol', '$server_protocol', 'text'],
  ['status', '$weir_status', 'number'],
  ['bytes', '$body_bytes_sent', 'number'],
  ['requestBytes', '$request_length', 'number'],
  ['duration', '$request_time', 'number'],
  ['upstream', '$upstream_addr', 'text'],
  ['upstreamStatus', '$upstream_status', 'text'],
  ['upstreamTime', '$upstream_response_time', 'text'],
  ['requestId', '$weir_request_id', 'text'],
  ['route', '$weir_origin', 'text'],
  ['reason', '$weir_reason', 'text'],
  ['userAgent', '$http_user_agent', 'text'],
  ['referer', '$http_referer', 'text'],
];

export const LOG_FORMAT = 'weir';

/** JSON, one object a line. */
export function logFormat(): Directive {
  const members = FIELDS.map(([name, variable, kind]) => {
    const value = kind === 'number' ? variable : `"${variable}"`;
    return `"${name}":${value}`;
  });
  return directive('log_format', LOG_FORMAT, 'escape=json', variables(`{${members.join(',')}}`));
}

/** Written at most a second late; `off` writes none. */
export function accessLog(path: string): Directive {
  if (path === 'off') return directive('access_log', 'off');
  return directive('access_log', path, LOG_FORMAT, 'buffer=32k', 'flush=1s', variables('if=$weir_logged'));
}
