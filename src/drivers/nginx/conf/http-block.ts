import { join } from 'node:path';
import { block, directive, luaBlock } from './build-directive.ts';
import type { ConfigurationInput, Zone } from './configuration.ts';
import { controlServer } from './control-server.ts';
import type { Directive } from './directive.ts';
import { listenerServer } from './listener-server.ts';
import { accessLog, logFormat } from './log-format.ts';
import { luaString } from './lua-string.ts';
import type { Profile } from './profile.ts';
import { runPaths } from './run-paths.ts';
import { sharedMaps } from './shared-maps.ts';
import { spreadGroups } from './spread-groups.ts';
import { upstreamBlock, upstreamName } from './upstream-block.ts';

/** `id` is what the data plane will call this configuration. */
export function httpBlock(input: ConfigurationInput, id: string): Directive {
  const { settings } = input;
  const upstreams = new Set([upstreamName({ protocol: 'http' }), ...input.profiles.map(upstreamName)]);
  const listeners = input.closed
    ? []
    : input.listeners.filter(({ protocol }) => protocol === 'http' || protocol === 'https');
  return block(
    'http',
    [],
    [
      ...program(input, id),
      ...temporaryPaths(settings.paths.temp),
      ...clientDefaults(),
      ...tlsDefaults(),
      logFormat(),
      accessLog(settings.paths.accessLog),
      ...sharedMaps(),
      ...[...upstreams].sort().map((name) => upstreamBlock(name, settings.upstreamKeepAlive)),
      ...spreadGroups(settings),
      controlServer(settings.paths.run),
      ...listeners.flatMap((listener, index) => listenerServer(listener, String(index), input)),
    ],
  );
}

const AUTH_CACHE_BYTES = 8_388_608;

/** All that a record may send a request to: locations, and groups that those which are shared are told. */
function placesOf(profiles: readonly Profile[]): readonly string[] {
  const places = profiles.flatMap((profile) => [
    profile.location ?? profile.name,
    ...(profile.location === undefined ? [] : [upstreamName(profile)]),
  ]);
  return [...new Set(places)];
}

function zone({ name, bytes }: Zone): Directive {
  return directive('lua_shared_dict', name, bytes);
}

function program({ zones, formerZones, settings, profiles }: ConfigurationInput, id: string): readonly Directive[] {
  const { paths, lua = { scripts: [], binaries: [] } } = settings;
  const options = [
    `conf = ${luaString(id)}`,
    `tokenFile = ${luaString(runPaths(paths.run).token)}`,
    `dataZone = ${luaString(zones.data.name)}`,
    `certificateZone = ${luaString(zones.certificates.name)}`,
    `countersZone = ${luaString(zones.counters.name)}`,
    ...(formerZones === undefined
      ? []
      : [
          `formerDataZone = ${luaString(formerZones.data.name)}`,
          `formerCertificateZone = ${luaString(formerZones.certificates.name)}`,
        ]),
    `accessLog = ${paths.accessLog !== 'off'}`,
    `profiles = { ${placesOf(profiles).map(luaString).join(', ')} }`,
  ];
  return [
    directive('lua_package_path', [join(paths.dataplane, '?.lua'), ...lua.scripts, ';'].join(';')),
    ...(lua.binaries.length === 0 ? [] : [directive('lua_package_cpath', [...lua.binaries, ';'].join(';'))]),
    zone(zones.data),
    zone(zones.certificates),
    zone(zones.counters),
    ...(formerZones === undefined ? [] : [zone(formerZones.data), zone(formerZones.certificates)]),
    // Every 1,000 requests, unless told otherwise, a worker would look through all its memory for what it can give back.
    directive('lua_malloc_trim', 1_000_000),
    // Users' patterns run here: one that would go on for ever ends as "no match".
    directive('lua_regex_match_limit', 100_000),
    directive('lua_regex_cache_max_entries', 32_768),
    directive('lua_transform_underscores_in_response_headers', 'off'),
    // Kept answers of external auth services.
    directive('lua_shared_dict', 'weir_auth', AUTH_CACHE_BYTES),
    // The program says itself which service doesn't answer, once and not for every copy of a mirror.
    directive('lua_socket_log_errors', 'off'),
    // One for each copy that is under way; the program bounds them before nginx does.
    directive('lua_max_running_timers', 1024),
    directive('lua_max_pending_timers', 2048),
    luaBlock('init_by_lua_block', `weir = require("weir") weir.init({ ${options.join(', ')} })`),
    luaBlock('init_worker_by_lua_block', 'weir.initWorker()'),
  ];
}

function temporaryPaths(temp: string): readonly Directive[] {
  return [
    ['client_body_temp_path', 'body'],
    ['proxy_temp_path', 'proxy'],
    ['fastcgi_temp_path', 'fastcgi'],
    ['uwsgi_temp_path', 'uwsgi'],
    ['scgi_temp_path', 'scgi'],
  ].map(([name, folder]) => directive(name!, join(temp, folder!)));
}

function clientDefaults(): readonly Directive[] {
  return [
    directive('server_tokens', 'off'),
    directive('merge_slashes', 'on'),
    directive('ignore_invalid_headers', 'on'),
    directive('underscores_in_headers', 'off'),
    directive('uninitialized_variable_warn', 'off'),
    directive('client_header_timeout', '20s'),
    directive('client_body_timeout', '60s'),
    directive('send_timeout', '60s'),
    directive('keepalive_timeout', '75s'),
    directive('reset_timedout_connection', 'on'),
    directive('client_header_buffer_size', '1k'),
    directive('large_client_header_buffers', 4, '16k'),
    directive('client_body_buffer_size', '16k'),
    directive('proxy_headers_hash_max_size', 2048),
    directive('proxy_headers_hash_bucket_size', 128),
    directive('variables_hash_max_size', 4096),
    directive('map_hash_bucket_size', 256),
  ];
}

/** Without tickets sessions are resumed from the cache alone: no key to rotate, and none that opens old recordings. */
function tlsDefaults(): readonly Directive[] {
  return [
    directive('ssl_protocols', 'TLSv1.2', 'TLSv1.3'),
    directive('ssl_ciphers', CIPHERS.join(':')),
    directive('ssl_prefer_server_ciphers', 'off'),
    directive('ssl_session_cache', 'shared:weir_tls:10m'),
    directive('ssl_session_timeout', '4h'),
    directive('ssl_session_tickets', 'off'),
  ];
}

/** TLS 1.2 with forward secrecy and authenticated encryption only. */
const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];
