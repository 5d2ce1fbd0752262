import type { Logger } from 'pino';

/** Tells the log of an exception that nobody expected, and that was kept from doing harm. */
export function logFault(log: Logger): (what: string, error: unknown) => void {
  return (what, error) =>
    log.error(
      { stack: error instanceof Error ? error.stack : undefined },
      `fault of weir while ${what}: ${error instanceof Error ? error.message : String(error)}`,
    );
}
