import { finding } from '../diagnostics/catalogue.ts';
import type { Finding, Severity } from '../diagnostics/finding.ts';
import { SOURCE_FINDINGS } from '../diagnostics/sources.ts';
import { weirVersion } from '../lib/weir-version.ts';
import { compiledDataplane } from './compiled-dataplane.ts';
import { counted } from './counted.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { findingText } from './finding-text.ts';
import { leaveToCluster } from './left-to-cluster.ts';
import { type ManifestOptions, readInput } from './read-input.ts';
import { sarifLog } from './sarif.ts';
import { structured } from './structured.ts';
import { colours, type Terminal, write } from './terminal.ts';
import { workflowCommands } from './workflow-commands.ts';

interface CheckOptions extends ManifestOptions {
  readonly output: 'text' | 'json' | 'yaml' | 'sarif' | 'github';
  readonly failOn: Severity;
}

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** Findings about manifests, in the order of their places; exit status 1 if there is one as severe as --fail-on. */
export async function check(terminal: Terminal, options: CheckOptions): Promise<ExitCode> {
  const input = await readInput(options);
  const { checkModel } = await import('../drivers/nginx/check-model.ts');
  const made = [...input.findings, ...(await checkModel(input.model, { dataplane: compiledDataplane }))];
  const all = leaveToCluster(input.objects === 0 ? [...made, noObjects(options.filename ?? [])] : made, input.kinds);
  const findings = (await Promise.all(all.map(input.locate))).sort(byPlace);
  await write(terminal.out, await report(findings, options.output, terminal));
  for (const { code, message } of findings) {
    if (code === SOURCE_FINDINGS.leftToCluster.code) await write(terminal.err, `${message}\n`);
  }
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  await write(
    terminal.err,
    `${counted(input.objects, 'object')}: ${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}, ${counted(count('info'), 'info')}.\n`,
  );
  return findings.some(({ severity }) => RANK[severity] <= RANK[options.failOn]) ? EXIT.findings : EXIT.ok;
}

function noObjects(paths: readonly string[]): Finding {
  const origin = { object: { kind: 'Configuration', namespace: '', name: 'weir' }, field: 'filename' };
  return finding(SOURCE_FINDINGS.noObjects, origin, `There is no object in ${paths.join(', ')} that weir reads.`);
}

async function report(
  findings: readonly Finding[],
  format: CheckOptions['output'],
  terminal: Terminal,
): Promise<string> {
  switch (format) {
    case 'text': {
      const paint = colours(terminal.out, terminal.environment);
      return findings.map((finding) => findingText(finding, paint)).join('');
    }
    case 'sarif':
      return structured(sarifLog(findings, weirVersion()), 'json');
    case 'github':
      return workflowCommands(findings);
    default:
      return structured({ findings }, format);
  }
}

function byPlace(a: Finding, b: Finding): number {
  const text = (x = '', y = '') => (x < y ? -1 : Number(x > y));
  return (
    text(a.file, b.file) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    RANK[a.severity] - RANK[b.severity] ||
    text(a.code, b.code)
  );
}
