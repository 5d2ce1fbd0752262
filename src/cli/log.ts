import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { printable } from './finding-text.ts';
import { colours, type Terminal } from './terminal.ts';

/** weir's own log, on standard error: short lines for people on a terminal, JSON lines otherwise. */
export function openLog(terminal: Terminal, level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: named } };
  if (terminal.err.isTTY !== true) return pino(options, terminal.err);
  const paint = colours(terminal.err, terminal.environment);
  const colourOf: Readonly<Record<string, (text: string) => string>> = {
    warn: paint.yellow,
    error: paint.red,
    fatal: paint.red,
  };
  const people = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // A finding's line says all that its fields say.
      const { level: name, time, msg, finding: _, ...rest } = JSON.parse(chunk.toString()) as LogLine;
      const more = Object.entries(rest).map(
        ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      const colour = colourOf[name] ?? ((text: string) => text);
      terminal.err.write(
        `${paint.dim(time.slice(11, 19))} ${colour(name.padEnd(5))} ${printable(msg)}${more.length === 0 ? '' : ` ${paint.dim(printable(more.join(' ')))}`}\n`,
        () => done(),
      );
    },
  });
  return pino(options, people);
}

/** People read levels, and so do the programs that collect logs. */
const named = (level: string) => ({ level });

interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly [key: string]: unknown;
}
