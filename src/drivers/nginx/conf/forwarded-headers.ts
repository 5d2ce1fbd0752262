import { directive, variables, type Value } from './build-directive.ts';
import type { ClientView } from './client-view.ts';
import type { Directive } from './directive.ts';

/** What a client could send to pass for weir, or to be taken for somebody that was checked. Never handed on. */
const REMOVED = [
  'Forwarded',
  'X-Original-URI',
  'X-Original-URL',
  'X-Original-Method',
  'X-Rewrite-URL',
  'X-Forwarded-Server',
  'X-Forwarded-By',
  'X-Auth-Request-Redirect',
  'Proxy',
  'HTTP2-Settings',
];

/** Request headers towards the backend, for the proxy and the gRPC module: ingress-nginx's set, none of it forgeable. */
export function forwardedHeaders(view: ClientView): readonly Directive[] {
  const common: readonly (readonly [string, Value])[] = [
    ['Host', variables('$weir_upstream_host')],
    ['X-Request-ID', variables('$weir_request_id')],
    ['X-Real-IP', variables('$remote_addr')],
    ['X-Forwarded-For', variables('$remote_addr')],
    ['X-Forwarded-Host', variables(view.host)],
    ['X-Forwarded-Port', variables(view.port)],
    ['X-Forwarded-Proto', variables(view.scheme)],
    ['X-Forwarded-Scheme', variables(view.scheme)],
    ['X-Forwarded-Prefix', variables(view.prefix)],
    ['X-Scheme', variables(view.scheme)],
    ['X-Original-Forwarded-For', variables('$http_x_forwarded_for')],
    // Empty, and so not sent, unless the host asks for client certificates: nobody else may claim to have shown one.
    ['ssl-client-verify', variables('$weir_client_verify')],
    ['ssl-client-subject-dn', variables('$weir_client_subject')],
    ['ssl-client-issuer-dn', variables('$weir_client_issuer')],
    ['ssl-client-cert', variables('$weir_client_certificate')],
    ...view.schemeClaims,
    ...REMOVED.map((name): [string, Value] => [name, '']),
  ];
  return [
    ...common.map(([name, value]) => directive('proxy_set_header', name, value)),
    directive('proxy_set_header', 'Upgrade', variables('$weir_upgrade')),
    directive('proxy_set_header', 'Connection', variables('$weir_connection_header')),
    ...common.map(([name, value]) => directive('grpc_set_header', name, value)),
  ];
}
