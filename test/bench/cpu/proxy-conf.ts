import { mainContext, temporaryPaths } from '../nginx-process.ts';

export interface ProxyHost {
  readonly name: string;
  /** `127.0.0.1:8080`. */
  readonly endpoints: readonly string[];
}

export interface ProxyConf {
  readonly port: number;
  /** With a pair of `tls.pem` and `tls.key` in nginx's directory. */
  readonly httpsPort?: number;
  readonly hosts: readonly ProxyHost[];
}

/** What weir tells backends about a request, and what it takes out of it, as one would write it by hand. */
export const BACKEND_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Host', '$http_host'],
  ['X-Request-ID', '$their_request_id'],
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
  '"upstreamStatus":"$upstream_status","upstreamTime":"$upstream_response_time","requestId":"$their_request_id",' +
  '"route":"Ingress/default/app-0 spec.rules[0].http.paths[0]","reason":"","userAgent":"$http_user_agent","referer":"$http_referer"';

function common(directory: string): string {
  return `${temporaryPaths(directory)}
  log_format json escape=json '{${LOG_FIELDS}}';
  access_log ${directory}/access.log json buffer=32k flush=1s;
  server_tokens off;
  proxy_headers_hash_max_size 2048;
  proxy_headers_hash_bucket_size 128;
  server_names_hash_max_size 65536;
  server_names_hash_bucket_size 128;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  map $http_x_request_id $their_request_id { default $http_x_request_id; '' $request_id; }
  proxy_http_version 1.1;
  proxy_connect_timeout 5s;
  proxy_buffer_size 8k;
  proxy_buffers 8 8k;
  proxy_busy_buffers_size 16k;
  proxy_next_upstream error timeout;
  proxy_redirect off;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256;
  ssl_session_cache shared:tls:10m;
  ssl_session_tickets off;
${BACKEND_HEADERS.map(([name, value]) => `  proxy_set_header ${name} ${value};`).join('\n')}`;
}

function keepAlive(connections: number): string {
  return `
    keepalive ${connections};
    keepalive_requests 10000;
    keepalive_timeout 60s;`;
}

function listen({ port, httpsPort }: ProxyConf, directory: string, options = ''): string {
  return `listen 127.0.0.1:${port}${options};${
    httpsPort === undefined
      ? ''
      : `
    listen 127.0.0.1:${httpsPort} ssl http2${options};
    ssl_certificate ${directory}/tls.pem;
    ssl_certificate_key ${directory}/tls.key;`
  }`;
}

/** nginx.conf as somebody would write it who knows the hosts and their endpoints: no Lua at all. */
export function handWrittenConf(conf: ProxyConf): (directory: string) => string {
  // Room for all idle connections of few hosts; with many, each has its own group and needs little.
  const group = keepAlive(conf.hosts.length > 100 ? 8 : 320);
  const hosts = (directory: string) =>
    conf.hosts.map(
      ({ name, endpoints }, index) => `
  upstream app${index} {
${endpoints.map((endpoint) => `    server ${endpoint};`).join('\n')}${group}
  }
  server {
    ${listen(conf, directory)}
    server_name ${name};
    location / {
      client_max_body_size 1m;
      proxy_pass http://app${index};
    }
  }`,
    );
  return (directory) => `${mainContext(directory)}
http {
${common(directory)}
  server { ${listen(conf, directory, ' default_server reuseport')} return 404; }
${hosts(directory).join('\n')}
}
`;
}

/** The least that a router and a balancer in Lua can do: one look-up by host, one peer, one pair for a handshake. */
export function barestLuaConf(conf: ProxyConf): (directory: string) => string {
  const hosts = conf.hosts.map(({ name, endpoints }) => {
    const peers = endpoints.map((endpoint) => `{ '${endpoint.replace(/:\d+$/, '')}', ${endpoint.split(':').at(-1)} }`);
    return `['${name}'] = { peers = { ${peers.join(', ')} }, turn = 0 }`;
  });
  return (directory) => `load_module /usr/lib/nginx/modules/ndk_http_module.so;
load_module /usr/lib/nginx/modules/ngx_http_lua_module.so;
${mainContext(directory)}
http {
${common(directory)}
  lua_package_path '/usr/share/lua/5.1/?.lua;;';
  init_by_lua_block {
    hosts = { ${hosts.join(',\n')} }
    balancer = require 'ngx.balancer'
    ssl = require 'ngx.ssl'
    ${conf.httpsPort === undefined ? '' : readPair(conf, directory)}
  }
  upstream app {
    server 0.0.0.1;
    balancer_by_lua_block {
      local app = ngx.ctx.app
      app.turn = app.turn % #app.peers + 1
      local peer = app.peers[app.turn]
      balancer.set_current_peer(peer[1], peer[2])
    }${keepAlive(320)}
  }
  server {
    ${listen(conf, directory, ' default_server reuseport')}
    ${conf.httpsPort === undefined ? '' : SHOW_PAIR}
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

function readPair({ hosts }: ProxyConf, directory: string): string {
  const read = (name: string) => `io.open('${directory}/${name}'):read('*a')`;
  return `
    local chain = ssl.parse_pem_cert(${read('tls.pem')})
    local key = ssl.parse_pem_priv_key(${read('tls.key')})
    pairs_of = { ${hosts.map(({ name }) => `['${name}'] = { chain = chain, key = key }`).join(', ')} }`;
}

const SHOW_PAIR = `ssl_certificate_by_lua_block {
      local pair = pairs_of[ssl.server_name()]
      ssl.clear_certs()
      ssl.set_cert(pair.chain)
      ssl.set_priv_key(pair.key)
    }`;
