/**
 * One directive of nginx.conf. Arguments are values, not text: the printer quotes each. A line of a `map` or `geo` block
 * has an empty name and its key as first argument.
 */
export interface Directive {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly block?: readonly Directive[];
  /** Lua between braces; only ever text of ours. */
  readonly lua?: string;
}

/**
 * `literal`: printed so that nginx reads exactly these characters, with no variable in them. `variables`: text of ours
 * that nginx is to interpolate (`$host`); never made from a user's value.
 */
export type Argument = { readonly literal: string } | { readonly variables: string };
