import { block, directive, luaBlock } from './build-directive.ts';
import type { NginxSettings } from './configuration.ts';
import type { Directive } from './directive.ts';
import type { Profile } from './profile.ts';

/** nginx keys kept-alive connections by address alone, so each protocol has a group of its own. */
export function upstreamName(protocol: Profile['protocol']): string {
  return `weir_${protocol}`;
}

export function upstreamBlock(protocol: Profile['protocol'], keepAlive: NginxSettings['upstreamKeepAlive']): Directive {
  return block(
    'upstream',
    [upstreamName(protocol)],
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
