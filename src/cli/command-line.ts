import { CommanderError } from 'commander';
import { CodedError } from '../lib/coded-error.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { buildProgram } from './program.ts';
import { colours, type Terminal, write } from './terminal.ts';
import { UnreachableError } from './unreachable-error.ts';

/** Does what the arguments say; resolves to the exit status. Errors become words on `terminal.err`. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  // A reader that has seen enough (`| head`) is no error.
  terminal.out.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    const program = await buildProgram(terminal, (result) => (code = result), args);
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return EXIT.usage;
    }
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return code;
    await write(terminal.err, errorText(error, terminal));
    if (!(error instanceof CodedError)) return EXIT.fault;
    return error instanceof UnreachableError ? EXIT.unreachable : EXIT.usage;
  }
}

function errorText(error: unknown, { err, environment }: Terminal): string {
  const paint = colours(err, environment);
  if (!(error instanceof CodedError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `${paint.red('weir: fault:')} ${text}\n`;
  }
  const remedy = error.remedy === undefined ? '' : `${paint.dim(error.remedy)}\n`;
  return `${paint.red('weir:')} ${error.message}\n${remedy}`;
}
