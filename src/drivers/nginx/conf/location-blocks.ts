import type { Listener } from '../../../model/listener.ts';
import { block, directive, luaBlock, variables } from './build-directive.ts';
import type { Directive } from './directive.ts';
import { CLOSING_LOCATION } from '../wire.ts';
import { recordName } from '../records/record-key.ts';
import { luaString } from './lua-string.ts';
import type { Profile } from './profile.ts';
import { tlsIdentityDirectives } from './tls-identity.ts';
import { upstreamName } from './upstream-block.ts';

function moduleOf({ protocol }: Pick<Profile, 'protocol'>): 'proxy' | 'grpc' {
  return protocol === 'grpc' || protocol === 'grpcs' ? 'grpc' : 'proxy';
}

function pass(profile: Pick<Profile, 'protocol' | 'identity'>): Directive {
  const shared = profile.identity?.shared !== undefined;
  const address = shared
    ? variables(`${profile.protocol}://$weir_identity`)
    : `${profile.protocol}://${upstreamName(profile)}`;
  return directive(`${moduleOf(profile)}_pass`, address);
}

/**
 * The common profile. The router runs here, where nginx sets a variable; what doesn't stay leaves in a rewrite phase,
 * which a request that stays is spared. A limit on bodies is the router's business, since only it knows the route.
 * `schemeVariable`: name without `$` of the variable that holds the client's scheme, where that isn't the listener's.
 */
export function commonLocation({ scope, name, protocol }: Listener, schemeVariable: string | undefined): Directive {
  const text = (value: string | undefined) => (value === undefined ? 'nil' : luaString(value));
  const secure = protocol === 'https';
  const args = [luaString(scope), luaString(secure ? 'https' : 'http')];
  if (secure || schemeVariable !== undefined) args.push(text(schemeVariable));
  if (secure) args.push(luaString(recordName(name)));
  return block(
    'location',
    ['/'],
    [
      directive('client_max_body_size', 0),
      luaBlock('set_by_lua_block', `return weir.route(${args.join(', ')})`, [variables('$weir_origin')]),
      block('if', [variables('($weir_leaves)')], [luaBlock('rewrite_by_lua_block', 'weir.leave()')]),
      // Only this: an address with a variable costs a request as much as the router does.
      block('if', [variables('($weir_group)')], [directive('proxy_pass', variables('http://$weir_group'))]),
      pass({ protocol: 'http' }),
    ],
  );
}

/**
 * Where all requests of a lame duck come through. nginx ends a connection after a request that has met a location
 * without keep-alive, and tells the client so in its answer. What has come on it meanwhile is read and thrown away: a
 * reset would take the answer from the client.
 */
export function closingLocation(): Directive {
  return block(
    'location',
    [CLOSING_LOCATION],
    [
      directive('client_max_body_size', 0),
      directive('keepalive_timeout', 0),
      directive('lingering_close', 'always'),
      luaBlock('rewrite_by_lua_block', 'weir.leave()'),
      block('if', [variables('($weir_group)')], [directive('proxy_pass', variables('http://$weir_group'))]),
      pass({ protocol: 'http' }),
    ],
  );
}

/**
 * A combination that needs directives of its own. Has no `set` and no `rewrite_by_lua`: requests come here from the
 * router, and what it decided must stand. `run`: the run directory.
 */
export function profileLocation(profile: Profile, run: string): Directive {
  return block(
    'location',
    [profile.location ?? profile.name],
    [
      directive('client_max_body_size', profile.bodyLimit),
      // Only a body that Lua asks for outlives its way to the backend when it is in a file. Here nginx bounds it.
      ...(profile.readsBody === true ? [luaBlock('access_by_lua_block', 'weir.readBody()')] : []),
      ...(profile.identity === undefined ? [] : tlsIdentityDirectives(profile.identity, moduleOf(profile), run)),
      pass(profile),
    ],
  );
}
