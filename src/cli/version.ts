import { weirVersion } from '../lib/weir-version.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { structured } from './structured.ts';
import { type Terminal, write } from './terminal.ts';

export async function version(
  terminal: Terminal,
  options: { readonly output: 'text' | 'json' | 'yaml' },
): Promise<ExitCode> {
  const facts = { weir: weirVersion(), node: process.versions.node, platform: `${process.platform}-${process.arch}` };
  const text = options.output === 'text' ? `weir ${facts.weir}\n` : await structured(facts, options.output);
  await write(terminal.out, text);
  return EXIT.ok;
}
