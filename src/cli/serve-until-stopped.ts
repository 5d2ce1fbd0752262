import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { CodedError } from '../lib/coded-error.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { RunningWeir } from './start-parts.ts';
import { UnreachableError } from './unreachable-error.ts';
import type { Signals } from './wait-for-signal.ts';

/**
 * Waits for a signal and stops: lets clients go (`drain-delay`), then takes nothing new and finishes what there is
 * (`drain-timeout`). Ctrl-C comes from somebody who has no clients to let go; a further signal ends each wait.
 */
export async function serveUntilStopped(
  weir: RunningWeir,
  signals: Signals,
  settings: Settings,
  log: Logger,
): Promise<ExitCode> {
  const how = settings['leave-nginx'] ? 'leave' : 'drain';
  const name = await Promise.race([signals.first, weir.hopeless]);
  if (name instanceof CodedError) {
    await weir.stop('drain');
    throw new UnreachableError(name.message, name.remedy ?? '', name);
  }
  const cut = how === 'drain' && name !== 'SIGINT' && (await letClientsGo(weir, signals));
  log.info(
    { signal: name },
    how === 'leave' ? 'stopping; nginx goes on serving' : 'stopping; nginx finishes its requests',
  );
  const hurry = (cut ? signals.third : signals.second).then(() => 'hurry' as const);
  if ((await Promise.race([weir.stop(how), hurry])) === 'hurry') {
    log.warn('stopped in a hurry; nginx is left to finish by itself');
    process.exit(EXIT.ok);
  }
  log.info('stopped');
  return EXIT.ok;
}

/** Resolves when they have had the time to go, or to true when a second signal says not to wait for that. */
async function letClientsGo({ drain }: RunningWeir, signals: Signals): Promise<boolean> {
  const enough = new AbortController();
  const hurry = signals.second.then(() => true);
  const gone = drain.begin().then(() => drain.over(enough.signal));
  const cut = (await Promise.race([gone, hurry])) === true;
  // Else its timer would keep the process from ending.
  enough.abort();
  return cut;
}
