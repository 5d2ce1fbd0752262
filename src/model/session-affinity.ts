import Type, { type Static } from 'typebox';

/** Sessions kept by a cookie (or, in Gateway API, a header) that names the endpoint. */
export const SessionAffinity = Type.Object({
  kind: Type.Union([Type.Literal('cookie'), Type.Literal('header')]),
  name: Type.String({ minLength: 1 }),
  /** `balanced`: a changed endpoint list may move some sessions; `persistent`: never while the endpoint lives. */
  mode: Type.Union([Type.Literal('balanced'), Type.Literal('persistent')]),
  path: Type.Optional(Type.String()),
  domain: Type.Optional(Type.String()),
  maxAgeSeconds: Type.Optional(Type.Integer()),
  expiresSeconds: Type.Optional(Type.Integer()),
  /** Gateway API: ends the session whatever the client does. */
  absoluteTimeoutSeconds: Type.Optional(Type.Integer()),
  idleTimeoutSeconds: Type.Optional(Type.Integer()),
  sameSite: Type.Optional(Type.Union([Type.Literal('None'), Type.Literal('Lax'), Type.Literal('Strict')])),
  /** Leave SameSite=None out for browsers that misread it. */
  conditionalSameSiteNone: Type.Optional(Type.Boolean()),
  secure: Type.Optional(Type.Boolean()),
  /** A new cookie when the endpoint failed. */
  changeOnFailure: Type.Boolean(),
});
export type SessionAffinity = Readonly<Static<typeof SessionAffinity>>;
