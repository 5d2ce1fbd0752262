import { createHash } from 'node:crypto';
import type { ConfigurationInput, RenderedConfiguration } from './configuration.ts';
import type { Directive } from './directive.ts';
import { httpBlock } from './http-block.ts';
import { mainBlock } from './main-block.ts';
import { print } from './print.ts';

function treeOf(input: ConfigurationInput, id: string): readonly Directive[] {
  return [...mainBlock(input.settings), httpBlock(input, id)];
}

/**
 * The whole nginx.conf. Its id stands in it, and is the hash of everything else: equal input, equal id. Throws a
 * ConfigurationError for a value that can't be told to nginx. The control token isn't in it: nginx reads that from
 * `RUN/token` when it loads the program.
 */
export function renderConfiguration(input: ConfigurationInput): RenderedConfiguration {
  const id = createHash('sha256')
    .update(print(treeOf(input, '')))
    .digest('hex')
    .slice(0, 16);
  const tree = treeOf(input, id);
  return { id, tree, text: print(tree) };
}
