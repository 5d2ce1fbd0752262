import { MAX_CALL_BYTES } from '../wire.ts';
import { block, directive, luaBlock, variables } from './build-directive.ts';
import type { Directive } from './directive.ts';
import { runPaths } from './run-paths.ts';

/** Variables that Lua sets where it must. */
const LUA_VARIABLES = [
  'weir_authority',
  'weir_identity',
  'weir_tls_name',
  'weir_host',
  'weir_prefix',
  'weir_connection',
  'weir_origin',
  'weir_leaves',
  'weir_group',
  'weir_reason',
  'weir_quiet',
  'weir_client_verify',
  'weir_client_subject',
  'weir_client_issuer',
  'weir_client_certificate',
];

/** The unix socket on which the supervisor speaks to the data plane. */
export function controlServer(run: string): Directive {
  return block(
    'server',
    [],
    [
      directive('listen', `unix:${runPaths(run).socket}`),
      directive('access_log', 'off'),
      directive('client_max_body_size', MAX_CALL_BYTES * 2),
      directive('client_body_buffer_size', MAX_CALL_BYTES * 2),
      block('location', ['/'], [luaBlock('content_by_lua_block', 'weir.control()')]),
      // Never runs. A `set` in a server or in a location that runs would be repeated by subrequests and error pages,
      // and wipe what the router had set.
      block(
        'location',
        ['@weir_variables'],
        LUA_VARIABLES.map((name) => directive('set', variables(`$${name}`), '')),
      ),
    ],
  );
}
