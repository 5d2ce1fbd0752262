import type { ExternalAuth } from '../../../../model/filter.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import { BOOLEAN } from '../values/boolean.ts';
import { CACHE_DURATIONS, type CacheDuration } from '../values/cache-durations.ts';
import { choice } from '../values/choice.ts';
import { HEADER_NAMES } from '../values/header-names.ts';
import { integer } from '../values/integer.ts';
import { template } from '../values/request-template.ts';
import { type ServiceUrl, serviceUrl } from '../values/service-url.ts';
import { text } from '../values/text.ts';

const URL: AnnotationKey<ServiceUrl> = {
  name: 'auth-url',
  summary:
    'URL of a service that is asked whether a request may pass: 2xx lets it through, 401 and 403 are passed on. It gets ' +
    'the request’s headers, and in `X-Original-URL` and `X-Original-Method` what was asked for; never the body.',
  kind: serviceUrl('http://oauth2-proxy.sso.svc.cluster.local:4180/oauth2/auth'),
  default: 'nobody is asked',
  example: 'http://oauth2-proxy.sso.svc.cluster.local:4180/oauth2/auth',
  whenInvalid: 'closed',
  restricts: () => true,
  differs:
    'The host is a Service (`NAME.NAMESPACE.svc…`, whose endpoints are then asked in turn), another DNS name or an address, ' +
    'and fixed: `https://$host/…` is refused, as are socket files, link-local and weir’s own addresses and, in a cluster, ' +
    'loopback. The service’s certificate is not verified, as in ingress-nginx. A service that answers anything else, or ' +
    'not within the route’s time-outs, closes the route with 503 (ingress-nginx: 500). Changes need no reload.',
};

const METHOD: AnnotationKey<string> = {
  name: 'auth-method',
  summary: 'Method of the request to that service.',
  kind: choice(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']),
  default: 'GET',
  example: 'POST',
  whenInvalid: 'closed',
  misspelt: 'closes',
  needs: URL.name,
};

const SIGN_IN: AnnotationKey<string> = {
  name: 'auth-signin',
  summary: 'URL that people are sent to, with 302, when the service answers 401. May hold variables, as `$host`.',
  kind: template(4096),
  default: '401 is passed on',
  example: 'https://login.example/start?rd=$escaped_request_uri',
  whenInvalid: 'closed',
  misspelt: 'ignored',
  needs: URL.name,
};

const SIGN_IN_PARAMETER: AnnotationKey<string> = {
  name: 'auth-signin-redirect-param',
  summary: 'Parameter of `auth-signin` that tells which address was wanted; left alone where the URL has it already.',
  kind: text({
    name: 'parameter name',
    grammar: 'the name of a query parameter: letters, digits, -, _, . and ~',
    pattern: /^[A-Za-z0-9._~-]+$/,
    longest: 256,
  }),
  default: 'rd',
  example: 'return_to',
  misspelt: 'ignored',
  needs: SIGN_IN.name,
};

const RESPONSE_HEADERS: AnnotationKey<readonly string[]> = {
  name: 'auth-response-headers',
  summary: 'Headers of the service’s answer that the backend gets, separated by commas.',
  kind: HEADER_NAMES,
  default: 'none',
  example: 'X-Auth-Request-User, X-Auth-Request-Email',
  whenInvalid: 'closed',
  misspelt: 'closes',
  needs: URL.name,
  differs: 'A client’s own headers of these names never reach the backend.',
};

const REQUEST_REDIRECT: AnnotationKey<string> = {
  name: 'auth-request-redirect',
  summary: 'Value of the header `X-Auth-Request-Redirect` that the service gets. May hold variables.',
  kind: template(4096),
  default: '`$request_uri`',
  example: 'https://$http_host$request_uri',
  whenInvalid: 'closed',
  misspelt: 'ignored',
  needs: URL.name,
};

const ALWAYS_SET_COOKIE: AnnotationKey<boolean> = {
  name: 'auth-always-set-cookie',
  summary: 'Whether cookies of the service reach the client with errors too.',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  misspelt: 'ignored',
  needs: URL.name,
  differs: 'With 401 and the way to `auth-signin` they always do.',
};

const CACHE_KEY: AnnotationKey<string> = {
  name: 'auth-cache-key',
  summary: 'Keeps answers of the service for requests with the same key, which is made of variables.',
  kind: template(4096),
  default: 'every request is asked about',
  example: '$http_authorization$cookie_session',
  whenInvalid: 'closed',
  misspelt: 'ignored',
  needs: URL.name,
  differs:
    'Answers that set a cookie or forbid it (`Cache-Control: no-store`, `no-cache` or `private`) are not kept, and none ' +
    'where the key is empty. What is kept is for this rule and host.',
};

const CACHE_DURATION: AnnotationKey<readonly CacheDuration[]> = {
  name: 'auth-cache-duration',
  summary: 'How long answers of which statuses are kept.',
  kind: CACHE_DURATIONS,
  default: '`200 202 401 5m`',
  example: '200 202 10m, 401 30s',
  misspelt: 'closes',
  needs: CACHE_KEY.name,
};

const KEEP_ALIVE: AnnotationKey<number> = {
  name: 'auth-keepalive',
  summary: 'How many idle connections to the service each worker keeps for later requests.',
  kind: integer('number of connections', 0, 100_000),
  default: '0',
  example: '16',
  misspelt: 'ignored',
  needs: URL.name,
};

const KEEP_ALIVE_REQUESTS: AnnotationKey<number> = {
  name: 'auth-keepalive-requests',
  summary: 'How many requests go over one of them.',
  kind: integer('number of requests', 0, 1_000_000_000),
  default: '1000',
  example: '100',
  misspelt: 'ignored',
  needs: KEEP_ALIVE.name,
};

const KEEP_ALIVE_TIMEOUT: AnnotationKey<number> = {
  name: 'auth-keepalive-timeout',
  summary: 'Seconds after which an idle one is closed.',
  kind: integer('number of seconds', 0, 1_000_000),
  default: '60',
  example: '30',
  misspelt: 'ignored',
  needs: KEEP_ALIVE.name,
};

const SHARE_VARIABLES: AnnotationKey<boolean> = {
  name: 'auth-keepalive-share-vars',
  summary: 'Whether the request to the service shares variables of nginx with the main one.',
  kind: BOOLEAN,
  default: 'false',
  example: 'false',
  misspelt: 'ignored',
  needs: KEEP_ALIVE.name,
  differs: 'weir’s request to the service has no variables of nginx that could be shared.',
};

const DEFAULT_DURATIONS: readonly CacheDuration[] = [{ statuses: [200, 202, 401], seconds: 300 }];

export const EXTERNAL_AUTH: AnnotationFamily = {
  title: 'External authentication',
  keys: [
    URL,
    METHOD,
    SIGN_IN,
    SIGN_IN_PARAMETER,
    RESPONSE_HEADERS,
    REQUEST_REDIRECT,
    ALWAYS_SET_COOKIE,
    CACHE_KEY,
    CACHE_DURATION,
    KEEP_ALIVE,
    KEEP_ALIVE_REQUESTS,
    KEEP_ALIVE_TIMEOUT,
    SHARE_VARIABLES,
  ],
  onCanary: false,
  apply(read, settings) {
    const url = read.value(URL);
    const method = read.value(METHOD);
    const signIn = read.value(SIGN_IN);
    const redirectParameter = read.value(SIGN_IN_PARAMETER) ?? 'rd';
    const responseHeaders = read.value(RESPONSE_HEADERS);
    const requestRedirect = read.value(REQUEST_REDIRECT);
    const always = read.value(ALWAYS_SET_COOKIE);
    if (url === undefined) return;
    settings.externalAuth = {
      url,
      field: read.field(URL.name),
      auth: {
        protocol: 'http',
        ...(method === undefined || method === 'GET' ? {} : { method }),
        ...(responseHeaders === undefined ? {} : { responseHeaders: [...responseHeaders] }),
        ...(always === true ? { alwaysSetCookie: true } : {}),
        ...(signIn === undefined ? {} : { signIn: { url: signIn, redirectParameter } }),
        ...(requestRedirect === undefined ? {} : { requestRedirect }),
        ...cache(read),
        ...keepAlive(read),
      },
    };
  },
};

function cache(read: AnnotationReader): Pick<ExternalAuth, 'cache'> {
  const key = read.value(CACHE_KEY);
  const durations = read.value(CACHE_DURATION) ?? DEFAULT_DURATIONS;
  if (key === undefined) return {};
  return {
    cache: { key, durations: durations.map(({ statuses, seconds }) => ({ statuses: [...statuses], seconds })) },
  };
}

function keepAlive(read: AnnotationReader): Pick<ExternalAuth, 'keepAlive'> {
  const connections = read.value(KEEP_ALIVE) ?? 0;
  const requests = read.value(KEEP_ALIVE_REQUESTS) ?? 1000;
  const timeoutSeconds = read.value(KEEP_ALIVE_TIMEOUT) ?? 60;
  const shareVariables = read.value(SHARE_VARIABLES) ?? false;
  return connections === 0 ? {} : { keepAlive: { connections, requests, timeoutSeconds, shareVariables } };
}
