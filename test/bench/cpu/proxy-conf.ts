import { mainContext, temporaryPaths } from '../nginx-process.ts';

export interface ProxyConf {
  readonly port: number;
  readonly backendPorts: readonly number[];
}

/** What weir tells backends about a request, and what it takes out of it, as one would write it by hand. */
export const BACKEND_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Host', '$http_host'],
  ['X-Request-ID', '$request_id'],
  ['X-Real-IP', '$remote_addr'],
  ['X-Forwarded-For', '$remote_addr'],
  ['X-Forwarded-Host', '$http_host'],
  ['X-Forwarded-Port', '$server_port'],
  ['X-Forwarded-Proto', '$scheme'],
  ['X-Forwarded-Scheme', '$scheme'],
  ['X-Forwarded-Prefix', '""'],
  ['X-Scheme', '$scheme'],
  ['X-Original-Forwarded-For', '$http_x_forwarded_for'],
  ['Upgrade', '$http_upgrade'],
  ['Connection', '$connection_upgrade'],
  ['X-Forwarded-Ssl', '""'],
  ['Front-End-Https', '""'],
  ['X-Forwarded-Protocol', '""'],
  ['X-Url-Scheme', '""'],
  ['Forwarded', '""'],
  ['X-Original-URI', '""'],
  ['X-Original-URL', '""'],
  ['X-Original-Method', '""'],
  ['X-Rewrite-URL', '""'],
  ['X-Forwarded-Server', '""'],
  ['X-Forwarded-By', '""'],
  ['X-Auth-Request-Redirect', '""'],
  ['ssl-client-cert', '""'],
  ['ssl-client-verify', '""'],
  ['ssl-client-subject-dn', '""'],
  ['ssl-client-issuer-dn', '""'],
  ['Proxy', '""'],
  ['HTTP2-Settings', '""'],
];

const LOG_FIELDS =
  '"time":"$time_iso8601","client":"$remote_addr","method":"$request_method","scheme":"$scheme","host":"$host",' +
  '"uri":"$request_uri","protocol":"$server_protocol","status":$status,"bytes":$body_bytes_sent,' +
  '"requestBytes":$request_length,"duration":$request_time,"upstream":"$upstream_addr",' +
  '"upstreamStatus":"$upstream_status","upstreamTime":"$upstream_response_time","requestId":"$request_id",' +
  '"route":"Ingress/default/app-0 spec.rules[0].http.paths[0]","reason":"","userAgent":"$http_user_agent","referer":"$http_referer"';

function common(directory: string): string {
  return `${temporaryPaths(directory)}
  log_format json escape=json '{${LOG_FIELDS}}';
  access_log ${directory}/access.log json buffer=32k flush=1s;
  server_tokens off;
  proxy_headers_hash_max_size 2048;
  proxy_headers_hash_bucket_size 128;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  proxy_http_version 1.1;
  proxy_connect_timeout 5s;
  proxy_buffer_size 8k;
  proxy_buffers 8 8k;
  proxy_busy_buffers_size 16k;
  proxy_next_upstream error timeout;
  proxy_redirect off;
${BACKEND_HEADERS.map(([name, value]) => `  proxy_set_header ${name} ${value};`).join('\n')}`;
}

const KEEP_ALIVE = `
    keepalive 320;
    keepalive_requests 10000;
    keepalive_timeout 60s;`;

/** nginx.conf as somebody would write it who knows the one host and its endpoints: no Lua at all. */
export function handWrittenConf({ port, backendPorts }: ProxyConf): (directory: string) => string {
  return (directory) => `${mainContext(directory)}
http {
${common(directory)}
  upstream app {
${backendPorts.map((backend) => `    server 127.0.0.1:${backend};`).join('\n')}${KEEP_ALIVE}
  }
  server { listen 127.0.0.1:${port} default_server reuseport; return 404; }
  server {
    listen 127.0.0.1:${port};
    server_name bench.test;
    location / {
      client_max_body_size 1m;
      proxy_pass http://app;
    }
  }
}
`;
}

/** The least that a router and a balancer in Lua can do: one look-up by host, one peer. */
export function barestLuaConf({ port, backendPorts }: ProxyConf): (directory: string) => string {
  const peers = backendPorts.map((backend) => `{ '127.0.0.1', ${backend} }`).join(', ');
  return (directory) => `load_module /usr/lib/nginx/modules/ndk_http_module.so;
load_module /usr/lib/nginx/modules/ngx_http_lua_module.so;
${mainContext(directory)}
http {
${common(directory)}
  lua_package_path '/usr/share/lua/5.1/?.lua;;';
  init_by_lua_block {
    hosts = { ['bench.test'] = { peers = { ${peers} }, turn = 0 } }
    balancer = require 'ngx.balancer'
  }
  upstream app {
    server 0.0.0.1;
    balancer_by_lua_block {
      local app = ngx.ctx.app
      app.turn = app.turn % #app.peers + 1
      local peer = app.peers[app.turn]
      balancer.set_current_peer(peer[1], peer[2])
    }${KEEP_ALIVE}
  }
  server {
    listen 127.0.0.1:${port} default_server reuseport;
    location / {
      client_max_body_size 1m;
      rewrite_by_lua_block {
        local app = hosts[ngx.var.host]
        if not app then return ngx.exit(404) end
        ngx.ctx.app = app
      }
      proxy_pass http://app;
    }
  }
}
`;
}
