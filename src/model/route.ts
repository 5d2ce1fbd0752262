import Type, { type Static } from 'typebox';
import { Filter } from './filter.ts';
import { Match, ValueMatch } from './match.ts';
import { Origin } from './origin.ts';
import { SessionAffinity } from './session-affinity.ts';

/** A share of the requests. Shares are relative; 0 gets none. Filters apply only to requests that take this backend. */
export const WeightedBackend = Type.Object({
  backend: Type.String(),
  weight: Type.Integer({ minimum: 0 }),
  filters: Type.Optional(Type.Array(Filter)),
});
export type WeightedBackend = Readonly<Static<typeof WeightedBackend>>;

/**
 * A second backend for some requests. Asked in this order: header, cookie, weight; the first that decides wins.
 * A header or cookie decides by the values `always` and `never`; with `headerMatch`, by that condition alone.
 */
export const Canary = Type.Object({
  backend: Type.String(),
  header: Type.Optional(Type.String()),
  headerMatch: Type.Optional(ValueMatch),
  cookie: Type.Optional(Type.String()),
  weight: Type.Integer({ minimum: 0 }),
  weightTotal: Type.Integer({ minimum: 1 }),
  /** Whether a client that has a session with one side stays there whatever the weight. */
  followsAffinity: Type.Boolean(),
  origin: Origin,
});
export type Canary = Readonly<Static<typeof Canary>>;

export const Action = Type.Union([
  Type.Object({
    kind: Type.Literal('forward'),
    backends: Type.Array(WeightedBackend),
    canaries: Type.Optional(Type.Array(Canary)),
    /** Backend that takes the requests while none of the others has an endpoint (default-backend). */
    fallback: Type.Optional(Type.String()),
  }),
  /** Answer here. `reason` is for people: it stands on the page and in the access log. */
  Type.Object({
    kind: Type.Literal('respond'),
    status: Type.Integer({ minimum: 200, maximum: 599 }),
    reason: Type.String(),
  }),
]);
export type Action = Readonly<Static<typeof Action>>;

/** Seconds. Absent: the listener's default. 0: none. */
export const Timeouts = Type.Object({
  connect: Type.Optional(Type.Number({ minimum: 0 })),
  send: Type.Optional(Type.Number({ minimum: 0 })),
  read: Type.Optional(Type.Number({ minimum: 0 })),
  /** From the first byte of the request to the last of the answer. */
  request: Type.Optional(Type.Number({ minimum: 0 })),
  /** One try. */
  backendRequest: Type.Optional(Type.Number({ minimum: 0 })),
});
export type Timeouts = Readonly<Static<typeof Timeouts>>;

export const RetryCondition = Type.Union([
  Type.Literal('connection-error'),
  Type.Literal('timeout'),
  Type.Literal('invalid-header'),
  /** Also requests whose method isn't idempotent, once they were sent. */
  Type.Literal('non-idempotent'),
]);

export const Retry = Type.Object({
  /** Tries altogether; 1 means no retry. 0: as many as there are endpoints. */
  tries: Type.Integer({ minimum: 0 }),
  on: Type.Array(RetryCondition),
  statuses: Type.Optional(Type.Array(Type.Integer())),
  timeoutSeconds: Type.Optional(Type.Number({ minimum: 0 })),
  backoffSeconds: Type.Optional(Type.Number({ minimum: 0 })),
});
export type Retry = Readonly<Static<typeof Retry>>;

/** How bodies and headers are held. Bytes; 0 means no limit where a limit is meant. */
export const Buffering = Type.Object({
  request: Type.Optional(Type.Boolean()),
  response: Type.Optional(Type.Boolean()),
  requestBufferBytes: Type.Optional(Type.Integer({ minimum: 0 })),
  headerBufferBytes: Type.Optional(Type.Integer({ minimum: 0 })),
  buffers: Type.Optional(Type.Integer({ minimum: 1 })),
  busyBytes: Type.Optional(Type.Integer({ minimum: 0 })),
  tempFileBytes: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type Buffering = Readonly<Static<typeof Buffering>>;

/** One rule: what it matches, what is done, where it goes. */
export const Route = Type.Object({
  /** Unique in its host and stable across changes elsewhere. */
  id: Type.String({ minLength: 1 }),
  /** The rule's own name (Gateway API). */
  name: Type.Optional(Type.String()),
  match: Match,
  /** RFC 3339 time at which the object was made: the older wins between equals. */
  created: Type.Optional(Type.String()),
  filters: Type.Array(Filter),
  action: Action,
  timeouts: Type.Optional(Timeouts),
  retry: Type.Optional(Retry),
  /** Bytes; 0: no limit; absent: the default of the program. */
  bodyLimit: Type.Optional(Type.Integer({ minimum: 0 })),
  buffering: Type.Optional(Buffering),
  affinity: Type.Optional(SessionAffinity),
  /** `Connection` header towards the backend. */
  connectionHeader: Type.Optional(Type.String()),
  accessLog: Type.Optional(Type.Boolean()),
  /** Log how the path is rewritten. */
  rewriteLog: Type.Optional(Type.Boolean()),
  /** Make HTTP/2 pushes of `Link: rel=preload`. Browsers and nginx have given them up; kept so that a driver can say so. */
  pushPreload: Type.Optional(Type.Boolean()),
  origin: Origin,
});
export type Route = Readonly<Static<typeof Route>>;
