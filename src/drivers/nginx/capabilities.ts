import type { Capabilities } from '../driver.ts';

/** What the nginx data plane does. Whatever isn't here becomes a finding on the object that asked for it. */
export const NGINX_CAPABILITIES: Capabilities = {
  listeners: new Set(['http', 'https']),
  filters: new Set([
    'https-redirect',
    'redirect',
    'rewrite',
    'request-headers',
    'response-headers',
    'external-auth',
    'mirror',
  ]),
  balancing: new Set(['round-robin', 'least-connections', 'ewma', 'hash']),
  protocols: new Set(['http', 'https', 'h2c', 'grpc', 'grpcs']),
};

/** Filters that restrict access: a route that asks for one that isn't supported is closed, never served open. */
export const ACCESS_FILTERS: ReadonlySet<string> = new Set([
  'allow-sources',
  'deny-sources',
  'basic-auth',
  'external-auth',
  'satisfy',
  'limit',
  'web-application-firewall',
  'native',
  'extension',
]);
