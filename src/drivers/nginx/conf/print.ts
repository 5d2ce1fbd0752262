import { ConfigurationError } from './configuration-error.ts';
import type { Argument, Directive } from './directive.ts';

/** nginx reads its configuration through a buffer of 4,096 bytes; a longer argument is refused there without saying which. */
const LONGEST_ARGUMENT = 4000;
/** A line of a `map` or `geo` block: its first argument is the key. */
const ENTRY = '';
const NAME = /^[a-z][a-z0-9_]*$/;
const CONTROL = /\p{Cc}/u;

/**
 * The only way a value gets into nginx.conf. Every argument is quoted, so that no character of it is syntax; what can
 * not be told to nginx at all is an error: control characters, and `$` in a literal, for which nginx has no escape.
 */
export function print(tree: readonly Directive[]): string {
  const lines: string[] = [];
  printInto(lines, tree, '');
  return `${lines.join('\n')}\n`;
}

function printInto(lines: string[], tree: readonly Directive[], indent: string): void {
  for (const directive of tree) {
    if (directive.name !== ENTRY && !NAME.test(directive.name))
      throw new ConfigurationError('?', 'stands where a name must');
    const args = directive.args.map((argument) => quote(directive.name, argument));
    const head = `${indent}${(directive.name === ENTRY ? args : [directive.name, ...args]).join(' ')}`;
    if (directive.lua !== undefined) {
      lines.push(`${head} { ${directive.lua} }`);
    } else if (directive.block !== undefined) {
      lines.push(`${head} {`);
      printInto(lines, directive.block, `${indent}  `);
      lines.push(`${indent}}`);
    } else {
      lines.push(`${head};`);
    }
  }
}

function quote(directive: string, argument: Argument): string {
  const text = 'literal' in argument ? argument.literal : argument.variables;
  if (CONTROL.test(text)) throw new ConfigurationError(directive, 'has a control character');
  if ('literal' in argument && text.includes('$')) throw new ConfigurationError(directive, 'has a dollar sign');
  if (!text.isWellFormed()) throw new ConfigurationError(directive, 'is not valid Unicode');
  const quoted = `"${text.replaceAll(/[\\"]/g, (character) => `\\${character}`)}"`;
  if (Buffer.byteLength(quoted) > LONGEST_ARGUMENT)
    throw new ConfigurationError(directive, 'is longer than nginx can read');
  return quoted;
}
