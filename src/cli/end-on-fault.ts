import type { Logger } from 'pino';
import { EXIT } from './exit-code.ts';

/** What of `process` is needed; a parameter so that tests can stand in for it. */
export interface FaultyProcess {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
  exit(code: number): unknown;
}

/**
 * An exception that nobody caught leaves the program in a state that nobody knows: it says what failed and ends at once,
 * without the orderly stop, which would drain nginx or could wait for ever. nginx goes on serving, and the weir that a
 * supervisor starts next adopts it. Nothing is lost: the model comes from the source again. Returns what does so for other places: `end('starting')(error)`.
 */
export function endOnFault(log: Logger, process: FaultyProcess): (what: string) => (error: unknown) => void {
  const end = (what: string) => (error: unknown) => {
    try {
      const { message, stack, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : asError(error);
      log.fatal(
        { code, stack },
        `fault of weir (${what}): ${message}. It ends now and has to be started again; nginx goes on serving what it has`,
      );
    } finally {
      process.exit(EXIT.fault);
    }
  };
  process.on('uncaughtException', end('an exception that nothing caught'));
  process.on('unhandledRejection', end('a failure that nothing waited for'));
  return end;
}

function asError(thrown: unknown): NodeJS.ErrnoException {
  return { name: 'Error', message: String(thrown) };
}
