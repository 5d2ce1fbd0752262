import { setTimeout } from 'node:timers/promises';
import type { DrainView } from '../admin/drain-routes.ts';
import type { Status } from '../controller/status.ts';
import { type AdminOptions, askAdmin, probeAdmin } from './admin-client.ts';
import type { Finding, Severity } from '../diagnostics/finding.ts';
import { durationSeconds } from './duration.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { structured } from './structured.ts';
import { statusText } from './status-text.ts';
import { colours, type Terminal, write } from './terminal.ts';
import { UnreachableError } from './unreachable-error.ts';

interface StatusOptions extends AdminOptions {
  readonly wait?: string;
  readonly all?: boolean;
  readonly live?: boolean;
  readonly ready?: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

type Answer = Status & { readonly settled?: boolean; readonly drain?: DrainView };

/** Longest that one request waits, in seconds; well below what HTTP clients, and proxies between, have patience for. */
const LONGEST_WAIT = 60;
/** Milliseconds between two tries to reach a weir that is waited for. */
const RETRY = 200;
/** Most findings that are listed without --all, and the most that one answer may hold. */
const MOST_ERRORS = 50;
const MOST_WARNINGS = 10;
const EVERY = 10_000;

/** Shows how a running weir is; with --wait, when all that its sources hold is in force. */
export async function status(terminal: Terminal, options: StatusOptions): Promise<ExitCode> {
  if (options.live === true || options.ready === true) return probe(terminal, options);
  const answer = await ask(terminal, options);
  const text =
    options.output === 'text'
      ? statusText(answer, await findingsOf(terminal, options), colours(terminal.out, terminal.environment))
      : await structured(answer, options.output);
  await write(terminal.out, text);
  if (answer.settled === false) await write(terminal.err, `Not everything was in force within ${options.wait}.\n`);
  // Who waits wants to know whether it came; who looks wants to know whether all is well.
  const well = answer.settled ?? (answer.ready && answer.state === 'running' && answer.quarantined.length === 0);
  return well ? EXIT.ok : EXIT.findings;
}

/** Short, for it runs every few seconds. */
async function probe(terminal: Terminal, options: StatusOptions): Promise<ExitCode> {
  const well = await probeAdmin(options.ready === true ? '/readyz' : '/healthz', options, terminal);
  const word = options.ready === true ? 'ready' : 'alive';
  await write(terminal.out, `${well ? '' : 'not '}${word}\n`);
  return well ? EXIT.ok : EXIT.findings;
}

async function ask(terminal: Terminal, options: StatusOptions): Promise<Answer> {
  if (options.wait === undefined) return (await askAdmin('/api/v1/status', options, terminal)) as Answer;
  const deadline = performance.now() + durationSeconds(options.wait) * 1000;
  for (;;) {
    const left = Math.max(0, deadline - performance.now()) / 1000;
    const wait = Math.min(left, LONGEST_WAIT);
    try {
      const answer = (await askAdmin(`/api/v1/status?wait=${wait}`, options, terminal, wait)) as Answer;
      if (answer.settled !== false || left <= LONGEST_WAIT) return answer;
    } catch (error) {
      // It may be about to start: who waits has time. What is wrong in another way won't become right by waiting.
      if (!(error instanceof UnreachableError) || !error.silent || left * 1000 <= RETRY) throw error;
      await setTimeout(RETRY);
    }
  }
}

/** Errors and warnings up to a bound, or everything, the worst first. */
async function findingsOf(terminal: Terminal, options: StatusOptions): Promise<readonly Finding[]> {
  const bounds: readonly (readonly [Severity, number])[] =
    options.all === true
      ? [
          ['error', EVERY],
          ['warning', EVERY],
          ['info', EVERY],
        ]
      : [
          ['error', MOST_ERRORS],
          ['warning', MOST_WARNINGS],
        ];
  const pages = bounds.map(async ([severity, limit]) => {
    const path = `/api/v1/diagnostics?severity=${severity}&limit=${limit}`;
    return ((await askAdmin(path, options, terminal)) as { readonly items: readonly Finding[] }).items;
  });
  return (await Promise.all(pages)).flat();
}
