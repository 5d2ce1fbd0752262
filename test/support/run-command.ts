import { spawn } from 'node:child_process';
import { join } from 'node:path';

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs bin/weir to its end. The environment holds PATH and HOME and what is given, nothing else. */
export function runCommand(
  args: readonly string[],
  options: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>>; readonly command?: string } = {},
): Promise<CommandResult> {
  const { PATH = '', HOME = '/' } = process.env;
  const command = options.command ?? join(import.meta.dirname, '..', '..', 'bin', 'weir');
  const child = spawn(command, args, { env: { PATH, HOME, ...options.env }, stdio: 'pipe' });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
