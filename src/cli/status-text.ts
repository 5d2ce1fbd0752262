import type { DrainView } from '../admin/drain-routes.ts';
import type { Status } from '../controller/status.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { findingIdentity } from '../diagnostics/finding-identity.ts';
import { counted } from './counted.ts';
import { findingLine, printable } from './finding-text.ts';
import type { colours } from './terminal.ts';

type Paint = ReturnType<typeof colours>;

/** The status of a running weir for people; `findings`: those that are listed, of all that it counts. */
export function statusText(
  answer: Status & { readonly drain?: DrainView },
  findings: readonly Finding[],
  paint: Paint,
): string {
  const good = (text: string, well: boolean) => (well ? paint.green(text) : paint.red(text));
  const { model } = answer;
  const lines = [
    `weir ${answer.version}: ${good(answer.state, answer.state === 'running')}, ${good(answer.ready ? 'ready' : 'not ready', answer.ready)}, since ${answer.started}`,
    `generation ${answer.generation}, in force ${answer.appliedGeneration}, ${counted(answer.reloads, 'reload')}`,
    ...sourceLines(answer.source, paint),
    `model (${model.origin}): ${counted(model.hosts, 'host')}, ${counted(model.routes, 'route')}, ${counted(model.backends, 'backend')}, ${counted(model.certificates, 'certificate')}`,
  ];
  if (answer.drain?.draining === true)
    lines.push(
      `draining since ${answer.drain.since}: clients are let go, ${Math.ceil(answer.drain.secondsLeft ?? 0)} s left`,
    );
  for (const driver of answer.drivers) {
    const failing =
      driver.error === undefined
        ? ''
        : `: ${printable(driver.error)} (try ${driver.attempts}, since ${driver.failingSince})`;
    lines.push(
      `driver ${driver.name}: ${driver.state}, ${good(driver.healthy ? 'healthy' : 'not healthy', driver.healthy)}, generation ${driver.appliedGeneration}${failing}`,
    );
  }
  if (answer.savedState.error !== undefined) lines.push(paint.red(`state can't be saved: ${answer.savedState.error}`));
  for (const { at, driver, reason, detail } of answer.lastReloadReasons)
    lines.push(paint.dim(`${at} ${driver} (${reason}): ${detail}`.trimEnd()));
  return `${[...lines, ...findingLines(answer, findings, paint)].join('\n')}\n`;
}

/** Whether it is read, what of it isn't, and why. */
function sourceLines({ name, synced, healthy, problems, unread }: Status['source'], paint: Paint): string[] {
  const health = healthy ? paint.green('healthy') : paint.red('not healthy');
  const lines = [`source ${name}: ${synced ? 'read' : 'not read yet'}, ${health}`];
  for (const problem of problems) lines.push(paint.red(`  ${printable(problem)}`));
  if (unread.count === 0) return lines;
  const more = unread.count - unread.files.length;
  const files = `${unread.files.map(printable).join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
  lines[0] += `, but ${counted(unread.count, 'file')} not in full`;
  lines.push(paint.yellow(`  not read in full, so that what was read before (or the rest of it) counts: ${files}`));
  return lines;
}

function findingLines(answer: Status, findings: readonly Finding[], paint: Paint): string[] {
  const { errors, warnings, infos } = answer.findings;
  const counts = `findings: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}, ${counted(infos, 'info')}`;
  const leftOut = new Set(answer.quarantined.map(findingIdentity));
  const listed = findings.map((finding) => {
    const quarantined = leftOut.has(findingIdentity(finding)) ? paint.red(' (quarantined)') : '';
    return `  ${findingLine(finding, paint)}${quarantined}`;
  });
  const hidden = errors + warnings + infos - findings.length;
  if (hidden <= 0) return [counts, ...listed];
  return [counts, ...listed, paint.dim(`  ${hidden} more: weir status --all`)];
}
