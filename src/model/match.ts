import Type, { type Static } from 'typebox';

export const PathMatch = Type.Union([
  Type.Object({ kind: Type.Literal('exact'), value: Type.String() }),
  /** By path element: `/a` matches `/a`, `/a/` and `/a/b`, not `/ab`; a trailing slash in the value is ignored. */
  Type.Object({ kind: Type.Literal('prefix'), value: Type.String() }),
  /** By characters: `/a` matches `/ab` too (ImplementationSpecific). */
  Type.Object({ kind: Type.Literal('text-prefix'), value: Type.String() }),
  /**
   * PCRE, anchored at the start of the path. Among regular expressions the higher `rank` (absent: 0) is asked first,
   * then the longer: some APIs have an order of their own (GRPCRoute: any method of a service before a method of any
   * service).
   */
  Type.Object({
    kind: Type.Literal('regex'),
    value: Type.String(),
    ignoreCase: Type.Boolean(),
    rank: Type.Optional(Type.Integer()),
  }),
]);
export type PathMatch = Readonly<Static<typeof PathMatch>>;

/**
 * A condition on a value; a repeated header is compared joined by ", ", a repeated query parameter by its first value. A
 * regular expression (PCRE) may be found anywhere in the value, unless it anchors itself.
 */
export const ValueMatch = Type.Union([
  Type.Object({ kind: Type.Literal('exact'), value: Type.String() }),
  Type.Object({ kind: Type.Literal('regex'), value: Type.String() }),
  Type.Object({ kind: Type.Literal('present') }),
]);
export type ValueMatch = Readonly<Static<typeof ValueMatch>>;

export const NamedMatch = Type.Object({ name: Type.String(), match: ValueMatch });
export type NamedMatch = Readonly<Static<typeof NamedMatch>>;

/** All conditions must hold. Header names are compared without case, query parameters with. */
export const Match = Type.Object({
  path: PathMatch,
  method: Type.Optional(Type.String()),
  headers: Type.Optional(Type.Array(NamedMatch)),
  query: Type.Optional(Type.Array(NamedMatch)),
});
export type Match = Readonly<Static<typeof Match>>;
