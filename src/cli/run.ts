import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config/config-error.ts';
import { loadSettings } from '../config/load-settings.ts';
import { SETTING_KEYS, type Settings } from '../config/settings.ts';
import { CodedError } from '../lib/coded-error.ts';
import { endOnFault } from './end-on-fault.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { openLog } from './log.ts';
import { startWeir } from './start-weir.ts';
import { colours, type Terminal, write } from './terminal.ts';
import { UnreachableError } from './unreachable-error.ts';
import { UsageError } from './usage-error.ts';
import { waitForSignal } from './wait-for-signal.ts';

/** Serves until a signal says stop. */
export async function run(terminal: Terminal, options: Readonly<Record<string, unknown>>): Promise<ExitCode> {
  let settings: Settings;
  try {
    settings = await readSettings(terminal, options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const paint = colours(terminal.err, terminal.environment);
    for (const { place, message, remedy } of error.problems) {
      await write(terminal.err, `${paint.red('weir:')} ${place}: ${message} ${paint.dim(remedy)}\n`);
    }
    return EXIT.usage;
  }
  if (settings.manifests.length === 0) {
    throw new UsageError(
      'nothing says where the manifests are.',
      'Give --manifests DIR, or set `manifests` in weir.yaml.',
    );
  }
  const log = openLog(terminal, settings['log-level']);
  const end = endOnFault(log, process);
  const signals = waitForSignal();
  const weir = await startWeir(settings, log).catch((error: unknown) => {
    // Servers and timers may be at work already, which would keep the process from ending by itself.
    if (!(error instanceof CodedError)) end('starting')(error);
    throw error;
  });
  const how = settings['leave-nginx'] ? 'leave' : 'drain';
  const name = await Promise.race([signals.first, weir.hopeless]);
  if (name instanceof CodedError) {
    await weir.stop('drain');
    throw new UnreachableError(name.message, name.remedy ?? '', name);
  }
  log.info(
    { signal: name },
    how === 'leave' ? 'stopping; nginx goes on serving' : 'stopping; nginx finishes its requests',
  );
  const hurry = signals.second.then(() => 'hurry' as const);
  if ((await Promise.race([weir.stop(how), hurry])) === 'hurry') {
    log.warn('stopped in a hurry; nginx is left to finish by itself');
    process.exit(EXIT.ok);
  }
  log.info('stopped');
  return EXIT.ok;
}

async function readSettings(terminal: Terminal, options: Readonly<Record<string, unknown>>): Promise<Settings> {
  const { config: flag, ...flags } = options;
  const name = (flag ?? terminal.environment.WEIR_CONFIG) as string | undefined;
  const uid = process.getuid?.() ?? 0;
  const sources = { flags: byKey(flags), environment: terminal.environment, uid };
  if (name === undefined) return loadSettings(sources);
  let text: string;
  try {
    text = await readFile(name, 'utf8');
  } catch (error) {
    throw new UsageError(
      `the settings file ${name} can't be read (${(error as NodeJS.ErrnoException).code}).`,
      'Give another with --config.',
    );
  }
  return loadSettings({ ...sources, file: { name, text } });
}

/** commander's camelCase names back to the settings' own. */
function byKey(flags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const camel = (key: string) => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(SETTING_KEYS.filter((key) => camel(key) in flags).map((key) => [key, flags[camel(key)]]));
}
