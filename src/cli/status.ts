import type { Status } from '../controller/status.ts';
import { type AdminOptions, askAdmin } from './admin-client.ts';
import { counted } from './counted.ts';
import { durationSeconds } from './duration.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { structured } from './structured.ts';
import { colours, type Terminal, write } from './terminal.ts';

interface StatusOptions extends AdminOptions {
  readonly wait?: string;
  readonly output: 'text' | 'json' | 'yaml';
}

type Answer = Status & { readonly settled?: boolean };

/** Longest that one request waits, in seconds; well below what HTTP clients, and proxies between, have patience for. */
const LONGEST_WAIT = 60;

/** Shows how a running weir is; with --wait, when all that its sources hold is in force. */
export async function status(terminal: Terminal, options: StatusOptions): Promise<ExitCode> {
  const answer = await ask(terminal, options);
  const text = options.output === 'text' ? statusText(answer, terminal) : await structured(answer, options.output);
  await write(terminal.out, text);
  if (answer.settled === false) await write(terminal.err, `Not everything was in force within ${options.wait}.\n`);
  // Who waits wants to know whether it came; who looks wants to know whether all is well.
  const well = answer.settled ?? (answer.ready && answer.state === 'running' && answer.quarantined.length === 0);
  return well ? EXIT.ok : EXIT.findings;
}

async function ask(terminal: Terminal, options: StatusOptions): Promise<Answer> {
  if (options.wait === undefined) return (await askAdmin('/api/v1/status', options, terminal)) as Answer;
  for (let left = durationSeconds(options.wait); ; left -= LONGEST_WAIT) {
    const wait = Math.min(left, LONGEST_WAIT);
    const answer = (await askAdmin(`/api/v1/status?wait=${wait}`, options, terminal, wait)) as Answer;
    if (answer.settled !== false || left <= LONGEST_WAIT) return answer;
  }
}

function statusText(answer: Answer, { out, environment }: Terminal): string {
  const paint = colours(out, environment);
  const good = (text: string, well: boolean) => (well ? paint.green(text) : paint.red(text));
  const { model, source, findings } = answer;
  const lines = [
    `weir ${answer.version}: ${good(answer.state, answer.state === 'running')}, ${good(answer.ready ? 'ready' : 'not ready', answer.ready)}, since ${answer.started}`,
    `generation ${answer.generation}, in force ${answer.appliedGeneration}, ${counted(answer.reloads, 'reload')}`,
    `source ${source.name}: ${source.synced ? 'read' : 'not read yet'}, ${good(source.healthy ? 'healthy' : 'not healthy', source.healthy)}${source.error === undefined ? '' : `: ${source.error}`}`,
    `model (${model.origin}): ${counted(model.hosts, 'host')}, ${counted(model.routes, 'route')}, ${counted(model.backends, 'backend')}, ${counted(model.certificates, 'certificate')}`,
    `findings: ${counted(findings.errors, 'error')}, ${counted(findings.warnings, 'warning')}, ${counted(findings.infos, 'info')}`,
  ];
  for (const driver of answer.drivers) {
    const failing =
      driver.error === undefined ? '' : `: ${driver.error} (try ${driver.attempts}, since ${driver.failingSince})`;
    lines.push(
      `driver ${driver.name}: ${driver.state}, ${good(driver.healthy ? 'healthy' : 'not healthy', driver.healthy)}, generation ${driver.appliedGeneration}${failing}`,
    );
  }
  if (answer.savedState.error !== undefined) lines.push(paint.red(`state can't be saved: ${answer.savedState.error}`));
  for (const { at, driver, reason, detail } of answer.lastReloadReasons)
    lines.push(paint.dim(`${at} ${driver} (${reason}): ${detail}`.trimEnd()));
  for (const { code, object, message } of answer.quarantined) {
    lines.push(paint.red(`quarantined ${object.kind}/${object.namespace}/${object.name}: ${message} (${code})`));
  }
  return `${lines.join('\n')}\n`;
}
