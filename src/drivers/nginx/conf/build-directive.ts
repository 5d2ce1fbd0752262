import type { Argument, Directive } from './directive.ts';

/** A string or number is a literal; text with nginx variables in it must say so. */
export type Value = string | number | Argument;

function argument(value: Value): Argument {
  return typeof value === 'object' ? value : { literal: String(value) };
}

/** Text of ours in which nginx is to put in variables. */
export function variables(text: string): Argument {
  return { variables: text };
}

export function directive(name: string, ...args: readonly Value[]): Directive {
  return { name, args: args.map(argument) };
}

export function block(name: string, args: readonly Value[], children: readonly Directive[]): Directive {
  return { name, args: args.map(argument), block: children };
}

/** `code` is text of ours; values go into it through `luaString`. */
export function luaBlock(name: string, code: string, args: readonly Value[] = []): Directive {
  return { name, args: args.map(argument), lua: code };
}

/** A line of a `map` or `geo` block. */
export function entry(key: Value, value: Value): Directive {
  return { name: '', args: [argument(key), argument(value)] };
}
