import Type, { type Static } from 'typebox';
import { NamedMatch } from './match.ts';
import { Redacted } from '../lib/redacted.ts';

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

/** A request to an HTTP service whose answer decides whether the real one goes on. */
export const ExternalAuth = Type.Object({
  backend: Type.String(),
  path: Type.String(),
  host: Type.Optional(Type.String()),
  protocol: Type.Union([Type.Literal('http'), Type.Literal('grpc')]),
  method: Type.Optional(Type.String()),
  forwardHeaders: Type.Optional(Type.Array(Type.String())),
  setHeaders: Type.Optional(Type.Array(HeaderValue)),
  responseHeaders: Type.Optional(Type.Array(Type.String())),
  alwaysSetCookie: Type.Optional(Type.Boolean()),
  forwardBodyBytes: Type.Optional(Type.Integer({ minimum: 0 })),
  signIn: Type.Optional(Type.Object({ url: Type.String(), redirectParameter: Type.String() })),
  requestRedirect: Type.Optional(Type.String()),
  cache: Type.Optional(
    Type.Object({ key: Type.String(), durations: Type.Array(Type.Object({ statuses: Type.Array(Type.Integer()), seconds: Type.Number() })) }),
  ),
  keepAlive: Type.Optional(
    Type.Object({ connections: Type.Integer(), requests: Type.Integer(), timeoutSeconds: Type.Number(), shareVariables: Type.Boolean() }),
  ),
});

export const RateLimit = Type.Object({
  requests: Type.Integer({ minimum: 1 }),
  perSeconds: Type.Integer({ minimum: 1 }),
  burst: Type.Integer({ minimum: 0 }),
});

/** What is done to a request, in this order, before it is forwarded or answered; and to its response. */
export const Filter = Type.Union([
  /** Send plain-text requests to https. Where the client's scheme is https (also as a trusted proxy tells it), nothing. */
  Type.Object({ type: Type.Literal('https-redirect'), status: Type.Integer(), port: Type.Optional(Type.Integer()) }),
  Type.Object({
    type: Type.Literal('redirect'),
    status: Type.Integer({ minimum: 300, maximum: 399 }),
    scheme: Type.Optional(Type.Union([Type.Literal('http'), Type.Literal('https')])),
    hostname: Type.Optional(Type.String()),
    port: Type.Optional(Type.Integer()),
    path: Type.Optional(PathRewrite),
    /** A whole URL instead of its parts; captures as in PathRewrite. */
    url: Type.Optional(Type.String()),
    /** Only a request for exactly this path is redirected (app-root). */
    onlyPath: Type.Optional(Type.String()),
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
  Type.Object({
    type: Type.Literal('mirror'),
    backend: Type.String(),
    fraction: Type.Optional(Fraction),
    host: Type.Optional(Type.String()),
    path: Type.Optional(Type.String()),
    withBody: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    type: Type.Literal('cors'),
    allowOrigins: Type.Array(Type.String()),
    allowMethods: Type.Array(Type.String()),
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
    users: Type.Unsafe<Redacted>(Type.Refine(Type.Unknown(), (value) => value instanceof Redacted)),
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
    exempt: Type.Array(Type.String()),
  }),
  Type.Object({
    type: Type.Literal('cookies'),
    domain: Type.Optional(Type.Object({ from: Type.String(), to: Type.String() })),
    path: Type.Optional(Type.Object({ from: Type.String(), to: Type.String() })),
  }),
  Type.Object({ type: Type.Literal('locations'), from: Type.String(), to: Type.String() }),
  Type.Object({ type: Type.Literal('error-pages'), statuses: Type.Array(Type.Integer()), backend: Type.String() }),
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
    place: Type.Union([Type.Literal('route'), Type.Literal('host'), Type.Literal('auth')]),
    directives: Type.Array(Type.Object({ name: Type.String(), arguments: Type.Array(Type.String()) })),
  }),
  /** An extension filter named by Gateway API's ExtensionRef. */
  Type.Object({ type: Type.Literal('extension'), name: Type.String(), when: Type.Optional(Type.Array(NamedMatch)) }),
]);
export type Filter = Readonly<Static<typeof Filter>>;
