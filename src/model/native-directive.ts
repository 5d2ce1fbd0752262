import Type, { type Static } from 'typebox';

/**
 * A directive in a load balancer's own language: parsed and checked against the list of allowed ones, never text.
 * With `block`, what stands between its braces.
 */
export const NativeDirective = Type.Cyclic(
  {
    NativeDirective: Type.Object({
      name: Type.String({ minLength: 1 }),
      arguments: Type.Array(Type.String()),
      block: Type.Optional(Type.Array(Type.Ref('NativeDirective'))),
    }),
  },
  'NativeDirective',
);
export type NativeDirective = Readonly<Static<typeof NativeDirective>>;

/** Directives of one language: `nginx`, `modsecurity`, `haproxy`. */
export const NativeDirectives = Type.Object({
  dialect: Type.String({ minLength: 1 }),
  directives: Type.Array(NativeDirective),
});
export type NativeDirectives = Readonly<Static<typeof NativeDirectives>>;
