import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config/config-error.ts';
import { loadSettings } from '../config/load-settings.ts';
import type { ServingCommand } from '../config/setting-commands.ts';
import { SETTING_KEYS, type Settings } from '../config/settings.ts';
import { CodedError } from '../lib/coded-error.ts';
import { settingsAtStart } from './config-map-at-start.ts';
import type { Reread } from './config-map-follower.ts';
import { endOnFault } from './end-on-fault.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { openLog } from './log.ts';
import { sourceKind } from './open-cluster.ts';
import { serveUntilStopped } from './serve-until-stopped.ts';
import { requireListener, startController } from './start-controller.ts';
import { requireController, startProxy } from './start-proxy.ts';
import { startWeir } from './start-weir.ts';
import { colours, type Terminal, write } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { waitForSignal } from './wait-for-signal.ts';

/** Serves until a signal says stop. */
export async function run(
  terminal: Terminal,
  options: Readonly<Record<string, unknown>>,
  command: ServingCommand = 'run',
): Promise<ExitCode> {
  let settings: Settings;
  let reread: Reread;
  let problem: string | undefined;
  try {
    reread = await readSettings(terminal, options, command);
    ({ settings, problem } = await settingsAtStart(reread, terminal.environment));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const paint = colours(terminal.err, terminal.environment);
    for (const { place, message, remedy } of error.problems) {
      await write(terminal.err, `${paint.red('weir:')} ${place}: ${message} ${paint.dim(remedy)}\n`);
    }
    return EXIT.usage;
  }
  // Before anything is begun.
  if (command === 'proxy') requireController(settings);
  else sourceKind(settings, terminal.environment);
  if (command === 'controller') requireListener(settings);
  const log = openLog(terminal, settings['log-level']);
  if (problem !== undefined) log.error(problem);
  const end = endOnFault(log, process);
  const signals = waitForSignal();
  const weir = await START[command](settings, log, reread).catch((error: unknown) => {
    // Servers and timers may be at work already, which would keep the process from ending by itself.
    if (!(error instanceof CodedError)) end('starting')(error);
    throw error;
  });
  return serveUntilStopped(weir, signals, settings, log);
}

const START = { run: startWeir, controller: startController, proxy: startProxy } as const;

async function readSettings(
  terminal: Terminal,
  options: Readonly<Record<string, unknown>>,
  command: ServingCommand,
): Promise<Reread> {
  const { config: flag, ...flags } = options;
  const name = (flag ?? terminal.environment.WEIR_CONFIG) as string | undefined;
  const uid = process.getuid?.() ?? 0;
  const sources = { flags: byKey(flags), environment: terminal.environment, uid };
  if (name === undefined) return (fallback) => loadSettings({ ...sources, fallback }, command);
  let text: string;
  try {
    text = await readFile(name, 'utf8');
  } catch (error) {
    throw new UsageError(
      `the settings file ${name} can't be read (${(error as NodeJS.ErrnoException).code}).`,
      'Give another with --config.',
    );
  }
  return (fallback) => loadSettings({ ...sources, file: { name, text }, fallback }, command);
}

/** commander's camelCase names back to the settings' own. */
function byKey(flags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const camel = (key: string) => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(SETTING_KEYS.filter((key) => camel(key) in flags).map((key) => [key, flags[camel(key)]]));
}
