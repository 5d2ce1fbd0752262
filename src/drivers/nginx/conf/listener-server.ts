import type { Listener } from '../../../model/listener.ts';
import { block, directive, luaBlock } from './build-directive.ts';
import { clientView } from './client-view.ts';
import type { ConfigurationInput } from './configuration.ts';
import type { Directive } from './directive.ts';
import { errorPages } from './error-pages.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { closingLocation, commonLocation, profileLocation } from './location-blocks.ts';
import { recordName } from '../records/record-key.ts';
import { luaString } from './lua-string.ts';
import { isAtLeast } from './nginx-version.ts';
import type { Profile } from './profile.ts';
import { proxyDefaults } from './proxy-defaults.ts';

/** What one listener adds to the configuration: directives of the `http` block, its server among them. */
export function listenerServer(listener: Listener, key: string, input: ConfigurationInput): readonly Directive[] {
  const secure = listener.protocol === 'https';
  const view = clientView(listener, key);
  const schemeVariable = view.scheme === '$scheme' ? undefined : view.scheme.slice(1);
  return [
    ...view.shared,
    block(
      'server',
      [],
      [
        ...listen(listener, input.settings.nginxVersion),
        ...(secure ? tls(listener, input) : []),
        ...view.server,
        ...forwardedHeaders(view),
        ...proxyDefaults(),
        ...hooks(),
        ...errorPages(),
        commonLocation(listener, schemeVariable),
        closingLocation(),
        ...locations(input.profiles).map((profile) => profileLocation(profile, input.settings.paths.run)),
      ],
    ),
  ];
}

/** One profile for each location. */
function locations(profiles: readonly Profile[]): readonly Profile[] {
  return [...new Map(profiles.map((profile) => [profile.location ?? profile.name, profile])).values()];
}

function listen(listener: Listener, version: string): readonly Directive[] {
  const secure = listener.protocol === 'https';
  // Before 1.25.1 a plain port speaks either HTTP/1 or HTTP/2, not both.
  const byDirective = isAtLeast(version, '1.25.1');
  const http2 = listener.http2 ?? secure;
  const options = [
    'reuseport',
    ...(secure ? ['ssl'] : []),
    ...(http2 && secure && !byDirective ? ['http2'] : []),
    ...(listener.acceptProxyProtocol === true ? ['proxy_protocol'] : []),
  ];
  const addresses = listener.addresses.length === 0 ? ['0.0.0.0', '::'] : listener.addresses;
  return [
    ...addresses.map((address) =>
      directive('listen', `${address.includes(':') ? `[${address}]` : address}:${listener.port}`, ...options),
    ),
    ...(byDirective ? [directive('http2', http2 ? 'on' : 'off')] : []),
  ];
}

/** Certificates are data; the static one stands in where there is no record, and makes nginx take the port at all. */
function tls({ scope, name }: Listener, { settings }: ConfigurationInput): readonly Directive[] {
  return [
    directive('ssl_certificate', settings.paths.defaultCertificate),
    directive('ssl_certificate_key', settings.paths.defaultKey),
    luaBlock('ssl_client_hello_by_lua_block', `weir.clientHello(${luaString(scope)}, ${luaString(recordName(name))})`),
    luaBlock('ssl_certificate_by_lua_block', `weir.certificate(${luaString(scope)})`),
  ];
}

function hooks(): readonly Directive[] {
  return [luaBlock('header_filter_by_lua_block', 'weir.headers()'), luaBlock('log_by_lua_block', 'weir.log()')];
}
