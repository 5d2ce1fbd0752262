import type { CatalogueEntry } from '../../src/diagnostics/catalogue.ts';
import { markdownTable } from './markdown.ts';

const INTRODUCTION = `# Findings

<!-- Written by tools/generate-reference.ts from src/diagnostics/. Don’t edit. -->

What weir may have to say about the objects it reads: in \`weir check\`, in \`/api/v1/diagnostics\`, in Events and on the dashboard the
same. \`weir explain code WEIR0200\` shows one of them. An *error* means that something does not do what was asked for, a *warning*
that it may not, an *info* is only good to know.`;

/** docs/reference/findings.md */
export function findingsPage(catalogue: readonly CatalogueEntry[]): string {
  const entries = catalogue.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  return `${[
    INTRODUCTION,
    markdownTable(
      ['Code', 'Severity', 'Finding'],
      entries.map(({ code, severity, title }) => [`[${code}](#${code.toLowerCase()})`, severity, title]),
    ),
    ...entries.map(({ code, severity, title, explanation, fix }) =>
      [`## ${code}`, `**${title}** (${severity})`, explanation, `What to do: ${fix}`].join('\n\n'),
    ),
  ].join('\n\n')}\n`;
}
