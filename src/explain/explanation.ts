import Type, { type Static } from 'typebox';
import { Origin } from '../model/origin.ts';
import { BackendTlsView } from './backend-tls-view.ts';
import { ClientCertificatesView } from './client-certificates-view.ts';

const ExplainedEndpoint = Type.Object({
  address: Type.String(),
  port: Type.Integer(),
  weight: Type.Integer(),
  state: Type.Union([Type.Literal('ready'), Type.Literal('draining')]),
});

/** Where a request may go, and how likely it is. */
export const ExplainedBackend = Type.Object({
  backend: Type.String(),
  /** Percent of requests like this one, 0 to 100. Sessions that are kept count as new ones. */
  chance: Type.Number(),
  protocol: Type.Optional(Type.String()),
  /** Absent for a backend of HTTPS: not verified, and nothing is shown. */
  tls: Type.Optional(BackendTlsView),
  /** `round-robin`, `hash of the client's address`. */
  balancing: Type.Optional(Type.String()),
  endpoints: Type.Array(ExplainedEndpoint),
  /** What is done only to requests that take this backend. */
  filters: Type.Array(Type.String()),
  /** What happens to a request that comes here, where that isn't "an endpoint answers". */
  problem: Type.Optional(Type.String()),
  origin: Type.Optional(Origin),
});
export type ExplainedBackend = Static<typeof ExplainedBackend>;

export const ExplainedCanary = Type.Object({
  backend: Type.String(),
  /** The rules in the order in which they are asked, each with what it says about this request. */
  rules: Type.Array(Type.Object({ rule: Type.String(), says: Type.String() })),
  verdict: Type.Union([Type.Literal('takes it'), Type.Literal('leaves it'), Type.Literal('by chance')]),
  origin: Origin,
});
export type ExplainedCanary = Static<typeof ExplainedCanary>;

/** What becomes of the request. */
export const Outcome = Type.Union([
  /** Answered here, with an error or as the route says. */
  Type.Object({ kind: Type.Literal('respond'), status: Type.Integer(), reason: Type.String() }),
  Type.Object({ kind: Type.Literal('redirect'), status: Type.Integer(), location: Type.String() }),
  Type.Object({
    kind: Type.Literal('forward'),
    /** Of the request as the backend sees it. */
    host: Type.String(),
    path: Type.String(),
    canaries: Type.Array(ExplainedCanary),
    backends: Type.Array(ExplainedBackend),
    /** Time-outs, retries, limits and the like, as sentences. */
    settings: Type.Array(Type.String()),
  }),
  /** The connection is handed on by its SNI name, unopened. */
  Type.Object({ kind: Type.Literal('passthrough'), backends: Type.Array(ExplainedBackend), origin: Origin }),
  /** No listener takes the connection. */
  Type.Object({ kind: Type.Literal('refused'), reason: Type.String() }),
]);
export type Outcome = Static<typeof Outcome>;

/** A route that was asked, in the order of asking, and what came of it. */
export const ExplainedRoute = Type.Object({
  id: Type.String(),
  name: Type.Optional(Type.String()),
  /** `paths that begin with the element /shop, method GET, header X-Canary present` */
  match: Type.String(),
  won: Type.Boolean(),
  /** What decided: the first condition that didn't hold, or a route that stands before. */
  reason: Type.Union([
    Type.Literal('won'),
    Type.Literal('path'),
    Type.Literal('method'),
    Type.Literal('header'),
    Type.Literal('query'),
    Type.Literal('beaten'),
  ]),
  why: Type.String(),
  origin: Origin,
});
export type ExplainedRoute = Static<typeof ExplainedRoute>;

/** Why a URL goes where it goes. */
export const Explanation = Type.Object({
  request: Type.Object({
    method: Type.String(),
    scheme: Type.Union([Type.Literal('http'), Type.Literal('https')]),
    host: Type.String(),
    port: Type.Integer(),
    /** As it is matched: decoded, slashes merged, dots resolved. */
    path: Type.String(),
    query: Type.String(),
  }),
  listener: Type.Optional(
    Type.Object({
      name: Type.String(),
      scope: Type.String(),
      protocol: Type.String(),
      port: Type.Integer(),
      origin: Origin,
    }),
  ),
  /** Names that could take the host, in the order in which they are asked. */
  hosts: Type.Array(
    Type.Object({ hostname: Type.String(), known: Type.Boolean(), chosen: Type.Boolean(), why: Type.String() }),
  ),
  /** What the host asks of its clients' certificates; absent: nothing. */
  clientCertificates: Type.Optional(ClientCertificatesView),
  routes: Type.Array(ExplainedRoute),
  /** What the outcome depends on besides, which the URL doesn't tell: as "only if …". */
  conditions: Type.Array(Type.String()),
  /** What is done to the request, in order, as sentences. */
  filters: Type.Array(Type.String()),
  outcome: Outcome,
  /** A regular expression was matched by another engine than the data plane's. */
  approximate: Type.Boolean(),
  /** What a reader should know besides. */
  notes: Type.Array(Type.String()),
});
export type Explanation = Static<typeof Explanation>;
