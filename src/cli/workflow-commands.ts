import type { Finding } from '../diagnostics/finding.ts';

const COMMAND = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** The findings as GitHub workflow commands, which become annotations of the changed lines. */
export function workflowCommands(findings: readonly Finding[]): string {
  return findings
    .map(({ code, severity, object, field, message, fix, file, line, column }) => {
      const properties = Object.entries({ file, line, col: column, title: code })
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
      const about = `${object.kind}/${object.namespace}/${object.name} ${field}`.trim();
      return `::${COMMAND[severity]} ${properties.join(',')}::${escapeData(`${about}: ${message}\n${fix}`)}\n`;
    })
    .join('');
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
