import Type, { type Static } from 'typebox';
import { ObjectRef } from '../model/origin.ts';

export const Severity = Type.Union([Type.Literal('error'), Type.Literal('warning'), Type.Literal('info')]);
export type Severity = Static<typeof Severity>;

/** Something a user should know about an object: what, where, and what to do. The same everywhere it is shown. */
export const Finding = Type.Object({
  /** `WEIR0103`: an entry of the catalogue. */
  code: Type.String({ pattern: '^WEIR[0-9]{4}$' }),
  severity: Severity,
  object: ObjectRef,
  /** Path of the field: `spec.rules[0].http.paths[1].path`, `metadata.annotations["nginx.ingress.kubernetes.io/canary"]`. */
  field: Type.String(),
  message: Type.String(),
  fix: Type.String(),
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer({ minimum: 1 })),
  column: Type.Optional(Type.Integer({ minimum: 1 })),
  /** RFC 3339: when it was first seen in this run. */
  seen: Type.Optional(Type.String()),
});
export type Finding = Readonly<Static<typeof Finding>>;
