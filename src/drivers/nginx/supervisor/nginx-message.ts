/** What nginx's own test of a configuration found. */
export interface NginxComplaint {
  readonly message: string;
  /** Of the configuration, from 1; undefined where nginx names none. */
  readonly line?: number;
}

/** Undefined where it complained about nothing. `directories`: as for `nginxMessage`. */
export function nginxComplaint(output: string, directories: readonly string[] = []): NginxComplaint | undefined {
  const message = nginxMessage(output, directories);
  if (message === undefined) return undefined;
  const line = /\[emerg\].* in \S*nginx\.conf\S*:([0-9]+)$/mu.exec(output)?.[1];
  return { message, ...(line === undefined ? {} : { line: Number(line) }) };
}

/** Gravest first. An alert comes last: nginx goes on after one, so that it seldom is why something failed. */
const GRAVE = ['[emerg]', '[crit]', '[error]', '[alert]'] as const;

/**
 * What nginx complains about, fit for a finding: the gravest line it wrote, without time, process number and paths of
 * ours. Undefined where it complained about nothing.
 */
export function nginxMessage(output: string, directories: readonly string[] = []): string | undefined {
  const lines = wholeLines(output).filter((line) => line.trim() !== '' && !isBeside(line));
  const level = GRAVE.find((mark) => lines.some((line) => line.includes(mark)));
  const line = level === undefined ? lines[0] : lines.findLast((text) => text.includes(level));
  if (line === undefined) return undefined;
  const start = level === undefined ? 0 : line.indexOf(level) + level.length;
  let message = line
    .slice(start)
    .replace(/^ (?:[0-9]+#[0-9]+: )?/u, '')
    .replace(/ in \S*nginx\.conf\S*$/u, '');
  for (const directory of directories) message = message.replaceAll(`${directory}/`, '').replaceAll(directory, '');
  return message.trim().slice(0, 500);
}

/** Lua tells on a line of its own, further in, what is wrong with a file that it can't load: it belongs to the one before. */
function wholeLines(output: string): readonly string[] {
  return output.replaceAll(/:\n[ \t]+/gu, ': ').split('\n');
}

/**
 * Lines that say nothing about a configuration: what is no complaint, what one connection caused (`*7`), and a limit
 * of open files that a worker may not raise, which it then goes on without.
 */
function isBeside(line: string): boolean {
  return /\[(?:debug|info|notice|warn)\]|\] [0-9]+#[0-9]+: \*[0-9]+ |\[alert\].* setrlimit\(/u.test(line);
}

/**
 * The lines by which a reload's failure is known at once: what nginx itself calls an emergency, and a data plane that
 * doesn't come up, in the master or in a new worker, which is only an error to nginx. Empty: none.
 */
export function failureLines(log: string): string {
  const failures = wholeLines(log).filter((line) => /\[emerg\]|\[error\].* init(?:_worker)?_by_lua/u.test(line));
  return failures.join('\n');
}
