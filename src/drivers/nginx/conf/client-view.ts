import type { Listener } from '../../../model/listener.ts';
import { block, directive, entry, variables, type Value } from './build-directive.ts';
import type { Directive } from './directive.ts';

/**
 * Where a listener's requests come from, as far as it can be believed: names of variables, `$` included. Without
 * trusted proxies they are the connection's own; with them, what a trusted peer's X-Forwarded-* headers say.
 */
export interface ClientView {
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
  readonly prefix: string;
  /** Other headers that backends read the scheme from, and what they get: a trusted peer's own, else nothing. */
  readonly schemeClaims: readonly (readonly [header: string, value: Value])[];
  /** Directives for the `http` block that the variables need. */
  readonly shared: readonly Directive[];
  /** Directives for the listener's server. */
  readonly server: readonly Directive[];
}

/** Names that proxies of older days tell the scheme by. */
const SCHEME_CLAIMS = ['X-Forwarded-Ssl', 'Front-End-Https', 'X-Forwarded-Protocol', 'X-Url-Scheme'];

/** `key` is unique among the listeners: letters and digits. */
export function clientView(listener: Listener, key: string): ClientView {
  const trusted = listener.trustedProxies ?? [];
  const ownPort = listener.acceptProxyProtocol === true ? '$proxy_protocol_server_port' : '$server_port';
  const own = { scheme: '$scheme', host: '$weir_client_host', port: ownPort, prefix: '$weir_prefix' };
  const server = trusted.length === 0 ? [] : realAddress(listener, trusted);
  // A proxy that speaks the PROXY protocol passes bytes: the headers are the client's own and prove nothing.
  if (trusted.length === 0 || listener.acceptProxyProtocol === true) {
    return { ...own, schemeClaims: SCHEME_CLAIMS.map((header) => [header, '']), shared: [], server };
  }
  const peer = `$weir_trusted_${key}`;
  const told = (header: string) => `$weir_told_${header}_${key}`;
  const view = (name: string) => `$weir_${name}_${key}`;
  return {
    scheme: view('scheme'),
    host: view('host'),
    port: view('port'),
    prefix: view('prefix'),
    schemeClaims: SCHEME_CLAIMS.map((header) => [header, variables(told(snake(header)))]),
    shared: [
      block(
        'geo',
        [variables('$realip_remote_addr'), variables(peer)],
        [directive('default', 0), ...trusted.map((cidr) => entry(cidr, 1))],
      ),
      ...['proto', 'host', 'port', 'prefix'].map((header) =>
        choice(peer, told(header), '', [['1', variables(`$http_x_forwarded_${header}`)]]),
      ),
      ...SCHEME_CLAIMS.map(snake).map((header) =>
        choice(peer, told(header), '', [['1', variables(`$http_${header}`)]]),
      ),
      choice(told('proto'), view('scheme'), variables(own.scheme), [
        ['https', 'https'],
        ['http', 'http'],
      ]),
      choice(told('host'), view('host'), variables(told('host')), [['', variables(own.host)]]),
      choice(told('port'), view('port'), variables(told('port')), [['', variables(own.port)]]),
      choice(own.prefix, view('prefix'), variables(own.prefix), [['', variables(told('prefix'))]]),
    ],
    server,
  };
}

/** `X-Url-Scheme` as in `$http_x_url_scheme`. */
function snake(header: string): string {
  return header.toLowerCase().replaceAll('-', '_');
}

function choice(
  source: string,
  target: string,
  otherwise: Value,
  cases: readonly (readonly [string, Value])[],
): Directive {
  return block(
    'map',
    [variables(source), variables(target)],
    [directive('default', otherwise), ...cases.map(([key, value]) => entry(key, value))],
  );
}

function realAddress(listener: Listener, trusted: readonly string[]): readonly Directive[] {
  return [
    ...trusted.map((cidr) => directive('set_real_ip_from', cidr)),
    directive('real_ip_header', listener.acceptProxyProtocol === true ? 'proxy_protocol' : 'X-Forwarded-For'),
    directive('real_ip_recursive', 'on'),
  ];
}
