import { BOOLEAN } from './values/boolean.ts';
import { parseInteger } from './values/integer.ts';

/** An annotation of ingress-nginx that weir knows by name and does not act on yet. */
export interface UnsupportedKey {
  readonly name: string;
  readonly family: string;
  readonly summary: string;
  readonly restrictsAccess: boolean;
  /**
   * Whether this value asks for nothing, so that there is nothing to miss. `other` gives the text of another key of the
   * Ingress. Never asked about an empty value.
   */
  readonly off?: (text: string, other: (name: string) => string | undefined) => boolean;
  /** What `off` lets pass, for people. */
  readonly offValue?: string;
  /** Restricts access even when it is empty: ingress-nginx then refuses everybody. */
  readonly emptyRestricts?: boolean;
}

type Details = Pick<UnsupportedKey, 'off' | 'offValue' | 'emptyRestricts'>;

const FALSE_IS_OFF: Details = { off: isFalse, offValue: '`false`' };
const ZERO_IS_OFF: Details = { off: isZero, offValue: '`0`' };
/** With the firewall switched off, nothing else about it counts. */
const FIREWALL_OFF: Details = {
  off: (text, other) => isFalse(text) || isFalse(other('enable-modsecurity') ?? ''),
  offValue: '`false`, or any value beside `enable-modsecurity: "false"`',
};

/** The keys of one family; the value is its summary, or the summary and what is special about it. */
function family(
  title: string,
  restrictsAccess: boolean,
  keys: Readonly<Record<string, string | readonly [summary: string, details: Details]>>,
): readonly UnsupportedKey[] {
  return Object.entries(keys).map(([name, value]) => {
    const [summary, details] = typeof value === 'string' ? [value, {}] : value;
    return { name, family: title, summary, restrictsAccess, ...details };
  });
}

/** Every key of ingress-nginx that no family in families.ts has. A key moves from here into a family when weir learns it. */
export const UNSUPPORTED_KEYS: readonly UnsupportedKey[] = [
  ...family('Basic and digest authentication', true, {
    'auth-type': 'Asks for a user and a password, by `basic` or `digest`.',
    'auth-secret': 'Secret with the users and their passwords.',
    'auth-secret-type': 'Form of that Secret: `auth-file` or `auth-map`.',
    'auth-realm': 'Text that browsers show when they ask for the password.',
  }),
  ...family('External authentication', true, {
    'auth-proxy-set-headers': 'ConfigMap with headers that the service gets.',
    'auth-snippet': 'Directives of nginx for the request to the service.',
  }),
  ...family('Global authentication', false, {
    'enable-global-auth': 'Whether the authentication that the ConfigMap sets for all Ingresses holds here.',
  }),
  ...family('Source addresses', true, {
    'allowlist-source-range': ['Networks that may reach the routes; nobody else may.', sourceRange(allowsEverybody)],
    'whitelist-source-range': ['Older name of `allowlist-source-range`.', sourceRange(allowsEverybody)],
    'denylist-source-range': ['Networks that may not reach the routes.', sourceRange()],
  }),
  ...family('Satisfy', true, {
    satisfy: [
      'Whether a request must pass `all` access rules or `any` of them.',
      { off: (text) => text.trim() === 'all', offValue: '`all`' },
    ],
  }),
  ...family('Limits', true, {
    'limit-connections': ['Connections at a time from one address.', ZERO_IS_OFF],
    'limit-rps': ['Requests per second from one address.', ZERO_IS_OFF],
    'limit-rpm': ['Requests per minute from one address.', ZERO_IS_OFF],
    'limit-burst-multiplier': 'How many times the rate may come at once.',
    'limit-rate': ['Kilobytes per second of an answer.', ZERO_IS_OFF],
    'limit-rate-after': ['Kilobytes of an answer before that limit begins.', ZERO_IS_OFF],
    'limit-allowlist': 'Networks that the limits don’t hold for.',
    'limit-whitelist': 'Older name of `limit-allowlist`.',
  }),
  ...family('Web application firewall', true, {
    'enable-modsecurity': ['Whether ModSecurity inspects requests.', FIREWALL_OFF],
    'enable-owasp-core-rules': ['Whether it has the OWASP core rules.', FIREWALL_OFF],
    'modsecurity-transaction-id': ['Id of a request in its log.', FIREWALL_OFF],
    'modsecurity-snippet': ['More rules and settings for it.', FIREWALL_OFF],
  }),
  ...family('Snippets', true, {
    'configuration-snippet': 'Directives of nginx for the routes.',
    'server-snippet': 'Directives of nginx for the host.',
    'stream-snippet': 'Directives of nginx for TCP and UDP.',
  }),
  ...family('CORS', false, {
    'enable-cors': ['Whether browsers may call the routes from other origins.', FALSE_IS_OFF],
    'cors-allow-origin': 'Origins that may.',
    'cors-allow-methods': 'Methods that they may use.',
    'cors-allow-headers': 'Headers that they may send.',
    'cors-expose-headers': 'Headers of the answer that they may read.',
    'cors-allow-credentials': 'Whether they may send cookies.',
    'cors-max-age': 'Seconds for which a browser remembers all this.',
  }),
  ...family('Host names', false, {
    'server-alias': 'More host names for the same routes.',
    'from-to-www-redirect': ['Redirects between a host name and the one with `www.` before it.', FALSE_IS_OFF],
  }),
  ...family('Redirects made by nginx', false, {
    'relative-redirects': ['Whether redirects leave scheme and host out.', FALSE_IS_OFF],
    'use-port-in-redirects': ['Whether redirects name the port.', FALSE_IS_OFF],
  }),
  ...family('Error pages and default backend', false, {
    'custom-http-errors': 'Statuses of the backend that the default backend answers instead.',
    'default-backend': 'Service that answers when a route has no endpoint.',
    'disable-proxy-intercept-errors': ['Whether error pages of the ConfigMap are off here.', FALSE_IS_OFF],
  }),
  ...family('Headers', false, {
    'custom-headers': 'ConfigMap with headers that are added to answers.',
  }),
  ...family('Redirects and cookies of the backend', false, {
    'proxy-redirect-from': ['What is replaced in Location and Refresh headers.', { off: isOff, offValue: '`off`' }],
    'proxy-redirect-to': ['What it is replaced by.', { off: isOff, offValue: '`off`' }],
    'proxy-cookie-domain': ['Replaces the domain of cookies.', { off: isOff, offValue: '`off`' }],
    'proxy-cookie-path': ['Replaces the path of cookies.', { off: isOff, offValue: '`off`' }],
  }),
  ...family('Buffers', false, {
    'client-body-buffer-size': 'How much of a request body is held in memory.',
    'proxy-buffering': 'Whether answers are read ahead of the client.',
    'proxy-request-buffering': 'Whether a request body is read whole before it is passed on.',
    'proxy-buffer-size': 'Size of the buffer for the head of an answer.',
    'proxy-buffers-number': 'Number of buffers for an answer.',
    'proxy-busy-buffers-size': 'How much of them may be on its way to the client.',
    'proxy-max-temp-file-size': 'How much of an answer is kept on disk for slow clients.',
    'proxy-http-version': [
      'HTTP version towards the backend.',
      { off: (text) => text.trim() === '1.1', offValue: '`1.1`' },
    ],
  }),
  ...family('TLS towards clients', false, {
    'ssl-ciphers': 'Ciphers that the host accepts.',
    'ssl-prefer-server-ciphers': 'Whether the server’s order of ciphers wins.',
    'ssl-passthrough': ['Hands TLS connections to the backend unopened.', FALSE_IS_OFF],
  }),
  ...family('FastCGI', false, {
    'fastcgi-index': 'File that stands for a folder.',
    'fastcgi-params-configmap': 'ConfigMap with parameters for the backend.',
  }),
  ...family('OpenTelemetry', false, {
    'enable-opentelemetry': ['Whether requests are traced.', FALSE_IS_OFF],
    'opentelemetry-operation-name': 'Name of the spans.',
    'opentelemetry-trust-incoming-span': 'Whether traces begun by clients are continued.',
  }),
];

function isFalse(text: string): boolean {
  const parsed = BOOLEAN.parse(text);
  return parsed.ok && !parsed.value;
}

/** Zero and below: nginx sets no such limit then. */
function isZero(text: string): boolean {
  const number = parseInteger(text);
  return number !== undefined && number <= 0;
}

function isOff(text: string): boolean {
  return text.trim() === 'off';
}

function sourceRange(off?: (text: string) => boolean): Details {
  const details = { emptyRestricts: true };
  return off === undefined ? details : { ...details, off, offValue: '`0.0.0.0/0,::/0` (everybody)' };
}

/** Both address families must be there: `0.0.0.0/0` alone keeps IPv6 out. */
function allowsEverybody(text: string): boolean {
  if (text.length > 4096) return false;
  const ranges = new Set(text.split(',').map((range) => range.trim()));
  return ranges.has('0.0.0.0/0') && ranges.has('::/0');
}
