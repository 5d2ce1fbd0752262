import type { Finding } from '../diagnostics/finding.ts';
import type { colours } from './terminal.ts';

/** One finding as people read it: place first, as compilers write it, so that terminals and editors make it a link. */
export function findingText(finding: Finding, paint: ReturnType<typeof colours>): string {
  const { code, severity, object, field, message, fix, file, line, column } = finding;
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const colour = { error: paint.red, warning: paint.yellow, info: paint.cyan }[severity];
  const name = [object.kind, object.namespace, object.name].filter((part) => part !== '').join('/');
  const head = `${place === '' ? '' : `${paint.bold(place)}: `}${colour(severity)} ${code} ${printable(message)}`;
  return `${head}\n  ${printable(`${name} ${field}`.trimEnd())}\n  ${paint.dim('fix:')} ${printable(fix)}\n`;
}

/** User text may hold control characters, which must not reach a terminal. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
