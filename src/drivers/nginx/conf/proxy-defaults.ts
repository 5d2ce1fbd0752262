import { directive } from './build-directive.ts';
import type { Directive } from './directive.ts';

/** How backends are spoken to where a route says nothing else. Tries and time-outs of a route are the balancer's. */
export function proxyDefaults(): readonly Directive[] {
  return [
    directive('proxy_http_version', '1.1'),
    directive('proxy_connect_timeout', '5s'),
    directive('proxy_send_timeout', '60s'),
    directive('proxy_read_timeout', '60s'),
    directive('proxy_buffer_size', '8k'),
    directive('proxy_buffers', 8, '8k'),
    directive('proxy_busy_buffers_size', '16k'),
    directive('proxy_next_upstream', 'error', 'timeout'),
    directive('proxy_next_upstream_tries', 0),
    directive('proxy_redirect', 'off'),
    // A backend must not send a request elsewhere inside nginx.
    directive('proxy_ignore_headers', 'X-Accel-Redirect'),
    directive('proxy_ssl_protocols', 'TLSv1.2', 'TLSv1.3'),
    directive('grpc_connect_timeout', '5s'),
    directive('grpc_send_timeout', '60s'),
    directive('grpc_read_timeout', '60s'),
    directive('grpc_buffer_size', '8k'),
    directive('grpc_next_upstream', 'error', 'timeout'),
    directive('grpc_next_upstream_tries', 0),
    directive('grpc_ignore_headers', 'X-Accel-Redirect'),
    directive('grpc_ssl_protocols', 'TLSv1.2', 'TLSv1.3'),
  ];
}
