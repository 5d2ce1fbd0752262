import type { Model } from '../../model/model.ts';
import type { NginxSettings } from './conf/configuration.ts';
import { renderConfiguration } from './conf/render-configuration.ts';
import { servedListeners } from './listener-ports.ts';
import { builtInProfiles } from './profiles/built-in-profiles.ts';
import { mergeProfiles } from './profiles/profile-set.ts';
import { RecordBook } from './records/record-book.ts';
import { ROUTE_DEFAULTS, type RouteDefaults } from './records/render-context.ts';
import { defaultZones } from './zones.ts';

export interface RenderedNginx {
  /** nginx.conf. */
  readonly configuration: string;
  /** By key, in the order of the keys; private keys are redacted. */
  readonly records: Readonly<Record<string, unknown>>;
}

/** What a model means to nginx, without an nginx: for `weir render` and golden files. Paths stand for those of a real run. */
export function renderNginx(model: Model, routeDefaults: Partial<RouteDefaults> = {}): RenderedNginx {
  const book = new RecordBook({ ...ROUTE_DEFAULTS, ...routeDefaults }, SYSTEM_AUTHORITIES);
  book.commit(book.evaluate(model, undefined));
  const needed = book.profileNames().flatMap((name) => book.profile(name) ?? []);
  const { text } = renderConfiguration({
    closed: false,
    listeners: servedListeners(model.listeners.values(), true),
    profiles: mergeProfiles(builtInProfiles(book.defaults.bodyLimit), needed),
    zones: defaultZones(),
    settings: SETTINGS,
  });
  const records = [...book.checksums.keys()].sort().map((key): [string, unknown] => {
    const record = JSON.parse(book.text(key) ?? 'null') as Record<string, unknown>;
    return [key, key.startsWith('c:') ? { ...record, key: '[redacted]' } : record];
  });
  return { configuration: text, records: Object.fromEntries(records) };
}

const SYSTEM_AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

const SETTINGS: NginxSettings = {
  nginxVersion: '1.22.1',
  modules: ['modules/ndk_http_module.so', 'modules/ngx_http_lua_module.so'],
  workers: 'auto',
  user: 'www-data',
  paths: {
    run: '/var/lib/weir/nginx/run',
    dataplane: '/var/lib/weir/nginx/dataplane',
    temp: '/var/lib/weir/nginx/temp',
    errorLog: '/var/lib/weir/nginx/log/error.log',
    accessLog: 'off',
    defaultCertificate: '/var/lib/weir/nginx/run/default-certificate.pem',
    defaultKey: '/var/lib/weir/nginx/run/default-key.pem',
  },
  errorLogLevel: 'warn',
  workerConnections: 32_768,
  openFiles: 65_536,
  workerShutdownTimeout: 240,
  upstreamKeepAlive: { connections: 320, requests: 10_000, timeoutSeconds: 60 },
};
