import { block, directive, luaBlock } from './build-directive.ts';
import type { Directive } from './directive.ts';
import { luaString } from './lua-string.ts';
import type { Profile } from './profile.ts';
import { upstreamName } from './upstream-block.ts';

function pass(protocol: Profile['protocol']): Directive {
  const name = protocol === 'grpc' || protocol === 'grpcs' ? 'grpc_pass' : 'proxy_pass';
  return directive(name, `${protocol}://${upstreamName(protocol)}`);
}

/**
 * The common profile. The router runs here; a limit on bodies is its business, since only it knows the route.
 * `schemeVariable`: name without `$` of the variable that holds the client's scheme, where that isn't the listener's.
 */
export function commonLocation(scope: string, scheme: 'http' | 'https', schemeVariable: string | undefined): Directive {
  const args = [scope, scheme, ...(schemeVariable === undefined ? [] : [schemeVariable])].map(luaString).join(', ');
  return block(
    'location',
    ['/'],
    [directive('client_max_body_size', 0), luaBlock('rewrite_by_lua_block', `weir.route(${args})`), pass('http')],
  );
}

/**
 * A combination that needs directives of its own. Has no `set` and no `rewrite_by_lua`: requests come here from the
 * router, and what it decided must stand.
 */
export function profileLocation(profile: Profile): Directive {
  return block(
    'location',
    [profile.name],
    [directive('client_max_body_size', profile.bodyLimit), pass(profile.protocol)],
  );
}
