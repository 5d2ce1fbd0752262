/** A value, or what is wrong with the text ("is not a whole number") and, where it can be told, what to write instead. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string; readonly fix?: string };

/** A kind of annotation value. `parse` gets the text as it stands (never blank) and must accept hostile text of any length. */
export interface ValueKind<Value> {
  /** `boolean`, `size`, … */
  readonly name: string;
  /** What may be written, for people: `"true" or "false"`. */
  readonly grammar: string;
  parse(text: string): Parsed<Value>;
}

export function valid<Value>(value: Value): Parsed<Value> {
  return { ok: true, value };
}

export function invalid(problem: string, fix?: string): Parsed<never> {
  return fix === undefined ? { ok: false, problem } : { ok: false, problem, fix };
}
