import { block, directive, luaBlock } from './build-directive.ts';
import type { NginxSettings } from './configuration.ts';
import type { Directive } from './directive.ts';
import type { Profile } from './profile.ts';

/** nginx keys kept-alive connections by address alone, so each protocol and each TLS identity has a group of its own. */
export function upstreamName({ protocol, identity }: Pick<Profile, 'protocol' | 'identity'>): string {
  return identity === undefined ? `weir_${protocol}` : `weir_${protocol}_${identity.name}`;
}

/** `name`: by `upstreamName`. */
export function upstreamBlock(name: string, keepAlive: NginxSettings['upstreamKeepAlive']): Directive {
  return block(
    'upstream',
    [name],
    [
      // Never asked: nginx wants one, the balancer names the real ones.
      directive('server', '0.0.0.1'),
      luaBlock('balancer_by_lua_block', 'weir.balance()'),
      ...(keepAlive.connections === 0
        ? []
        : [
            directive('keepalive', keepAlive.connections),
            directive('keepalive_requests', keepAlive.requests),
            directive('keepalive_timeout', `${keepAlive.timeoutSeconds}s`),
          ]),
    ],
  );
}
