import Type, { type Static } from 'typebox';
import { NamedMatch } from './match.ts';
import { NativeDirective } from './native-directive.ts';
import { Secret } from './secret.ts';

export const HeaderValue = Type.Object({ name: Type.String(), value: Type.String() });
export type HeaderValue = Readonly<Static<typeof HeaderValue>>;

export const HeaderChange = Type.Object({
  set: Type.Optional(Type.Array(HeaderValue)),
  add: Type.Optional(Type.Array(HeaderValue)),
  remove: Type.Optional(Type.Array(Type.String())),
});
export type HeaderChange = Readonly<Static<typeof HeaderChange>>;

export const PathRewrite = Type.Union([
  Type.Object({ kind: Type.Literal('full'), value: Type.String() }),
  /** The part that the route's prefix match covered is replaced. */
  Type.Object({ kind: Type.Literal('prefix'), value: Type.String() }),
  /** `$1`…`$9` and `${name}` are the captures of the route's regex path match. */
  Type.Object({ kind: Type.Literal('captures'), value: Type.String() }),
]);
export type PathRewrite = Readonly<Static<typeof PathRewrite>>;

export const Fraction = Type.Object({
  numerator: Type.Integer({ minimum: 0 }),
  denominator: Type.Integer({ minimum: 1 }),
});

/** `regex`: `from` is a regular expression and `to` may name its captures; absent: plain text. */
export const ReplacementPattern = Type.Union([Type.Literal('regex'), Type.Literal('regex-ignore-case')]);

export const TextReplacement = Type.Object({
  from: Type.String(),
  to: Type.String(),
  pattern: Type.Optional(ReplacementPattern),
});

/**
 * A request to an HTTP service whose answer decides whether the real one goes on. Variables of the request are written
 * `${name}`; request-variable.ts has them.
 */
export const ExternalAuth = Type.Object({
  backend: Type.String(),
  /** Path and query, which may hold variables. */
  path: Type.String(),
  /** Absent: the host that the client asked for. */
  host: Type.Optional(Type.String()),
  protocol: Type.Union([Type.Literal('http'), Type.Literal('grpc')]),
  method: Type.Optional(Type.String()),
  /** Names of the request's headers that the service gets; absent: all. */
  forwardHeaders: Type.Optional(Type.Array(Type.String())),
  /** Sent to the service besides; values may hold variables. */
  setHeaders: Type.Optional(Type.Array(HeaderValue)),
  /** Names of the service's headers that go on to the backend. */
  responseHeaders: Type.Optional(Type.Array(Type.String())),
  /** The service's cookie reaches the client also with answers that are errors. */
  alwaysSetCookie: Type.Optional(Type.Boolean()),
  /** First bytes of the body that the service gets; absent: none. */
  forwardBodyBytes: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Where a browser is sent on 401, with the address it wanted in that parameter; `url` may hold variables, too. */
  signIn: Type.Optional(Type.Object({ url: Type.String(), redirectParameter: Type.String() })),
  /** Value of X-Auth-Request-Redirect, which may hold variables; absent: path and query as the client sent them. */
  requestRedirect: Type.Optional(Type.String()),
  /** Answers are kept for this long under a key with variables. */
  cache: Type.Optional(
    Type.Object({
      key: Type.String(),
      durations: Type.Array(Type.Object({ statuses: Type.Array(Type.Integer()), seconds: Type.Number() })),
    }),
  ),
  keepAlive: Type.Optional(
    Type.Object({
      connections: Type.Integer(),
      requests: Type.Integer(),
      timeoutSeconds: Type.Number(),
      shareVariables: Type.Boolean(),
    }),
  ),
});

export type ExternalAuth = Readonly<Static<typeof ExternalAuth>>;

export const RateLimit = Type.Object({
  requests: Type.Integer({ minimum: 1 }),
  perSeconds: Type.Integer({ minimum: 1 }),
  burst: Type.Integer({ minimum: 0 }),
});

/** What is done to a request, in this order, before it is forwarded or answered; and to its response. */
export const Filter = Type.Union([
  /** Send plain-text requests to https. Where the client's scheme is https (also as a trusted proxy tells it), nothing. */
  Type.Object({
    type: Type.Literal('https-redirect'),
    status: Type.Integer({ minimum: 300, maximum: 399 }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
    /** Cut the slash at the end of a path, as ingress-nginx does without preserve-trailing-slash. */
    stripTrailingSlash: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    type: Type.Literal('redirect'),
    status: Type.Integer({ minimum: 300, maximum: 399 }),
    scheme: Type.Optional(Type.Union([Type.Literal('http'), Type.Literal('https')])),
    hostname: Type.Optional(Type.String()),
    /** Absent: the well-known one of `scheme` where that is given, else the listener's (Gateway API). */
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
    path: Type.Optional(PathRewrite),
    /** A whole URL instead of its parts; captures as in PathRewrite. */
    url: Type.Optional(Type.String()),
    /** Put the request's query behind `url`. */
    keepQuery: Type.Optional(Type.Boolean()),
    /** Only a request for exactly this path is redirected (app-root). */
    onlyPath: Type.Optional(Type.String()),
    /** Send a Location of path and query only (relative-redirects). */
    relative: Type.Optional(Type.Boolean()),
    /** Write the listener's port also where a client doesn't need it (use-port-in-redirects). */
    alwaysPort: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    type: Type.Literal('rewrite'),
    path: Type.Optional(PathRewrite),
    hostname: Type.Optional(Type.String()),
    /** Tell the backend what was cut off, in X-Forwarded-Prefix. */
    forwardedPrefix: Type.Optional(Type.String()),
  }),
  Type.Object({ type: Type.Literal('request-headers'), change: HeaderChange }),
  Type.Object({ type: Type.Literal('response-headers'), change: HeaderChange }),
  /** A copy of the request goes to another backend, whose answer is dropped. Several filters make several copies. */
  Type.Object({
    type: Type.Literal('mirror'),
    backend: Type.String(),
    /** Share of the requests that are copied; absent: all. */
    fraction: Type.Optional(Fraction),
    /** Absent: the request's own. */
    host: Type.Optional(Type.String()),
    /** May hold variables. Absent: the request's own path and query. */
    path: Type.Optional(Type.String()),
    /** Absent: true. */
    withBody: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    type: Type.Literal('cors'),
    /** `https://shop.example`, `https://*.shop.example` (one label or several), `*`. With a port where it isn't the scheme's own. */
    allowOrigins: Type.Array(Type.String()),
    /** `*`: what the preflight asks for. */
    allowMethods: Type.Array(Type.String()),
    /** `*`: what the preflight asks for. */
    allowHeaders: Type.Array(Type.String()),
    exposeHeaders: Type.Array(Type.String()),
    allowCredentials: Type.Boolean(),
    maxAgeSeconds: Type.Optional(Type.Integer()),
  }),
  Type.Object({ type: Type.Literal('allow-sources'), cidrs: Type.Array(Type.String()) }),
  Type.Object({ type: Type.Literal('deny-sources'), cidrs: Type.Array(Type.String()) }),
  Type.Object({
    type: Type.Literal('basic-auth'),
    realm: Type.String(),
    scheme: Type.Union([Type.Literal('basic'), Type.Literal('digest')]),
    /** Lines of an htpasswd file. */
    users: Secret,
  }),
  Type.Object({ type: Type.Literal('external-auth'), auth: ExternalAuth }),
  /** `all`: every access rule of the route must pass; `any`: one is enough. */
  Type.Object({ type: Type.Literal('satisfy'), rule: Type.Union([Type.Literal('all'), Type.Literal('any')]) }),
  Type.Object({
    type: Type.Literal('limit'),
    rates: Type.Array(RateLimit),
    connections: Type.Optional(Type.Integer({ minimum: 1 })),
    bytesPerSecond: Type.Optional(Type.Integer({ minimum: 1 })),
    bytesBeforeLimit: Type.Optional(Type.Integer({ minimum: 0 })),
    /** CIDRs that are not limited. */
    exempt: Type.Array(Type.String()),
    /** Answer to what is over a limit; absent: the program's (503, as ingress-nginx; 429 by configuration). */
    status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
  }),
  /** Change attributes of the backend's Set-Cookie headers. */
  Type.Object({
    type: Type.Literal('cookies'),
    domain: Type.Optional(TextReplacement),
    path: Type.Optional(TextReplacement),
  }),
  /** Change the beginning of the backend's Location and Refresh headers. */
  Type.Object({
    type: Type.Literal('locations'),
    from: Type.String(),
    to: Type.String(),
    pattern: Type.Optional(ReplacementPattern),
  }),
  Type.Object({
    type: Type.Literal('error-pages'),
    statuses: Type.Array(Type.Integer({ minimum: 300, maximum: 599 })),
    backend: Type.String(),
    /** Whether answers of the route's own backends are replaced too, not only errors that arise here. Absent: true. */
    interceptBackend: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    type: Type.Literal('web-application-firewall'),
    rules: Type.String(),
    coreRules: Type.Boolean(),
    transactionId: Type.Optional(Type.String()),
  }),
  Type.Object({
    type: Type.Literal('tracing'),
    enabled: Type.Boolean(),
    trustIncoming: Type.Boolean(),
    operationName: Type.Optional(Type.String()),
  }),
  /** Directives in the load balancer's own language, already parsed and checked against the list of allowed ones. */
  Type.Object({
    type: Type.Literal('native'),
    dialect: Type.String(),
    /** `auth`: around the request to the external auth service. What concerns the whole host is VirtualHost.native. */
    place: Type.Union([Type.Literal('route'), Type.Literal('host'), Type.Literal('auth')]),
    directives: Type.Array(NativeDirective),
  }),
  /** An extension filter named by Gateway API's ExtensionRef. */
  Type.Object({ type: Type.Literal('extension'), name: Type.String(), when: Type.Optional(Type.Array(NamedMatch)) }),
]);
export type Filter = Readonly<Static<typeof Filter>>;
