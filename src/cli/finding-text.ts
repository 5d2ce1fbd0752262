import type { Finding } from '../diagnostics/finding.ts';
import type { colours } from './terminal.ts';

/** One finding in one line, for logs and lists: `file:line:col: error WEIR0003 Kind/namespace/name field: message; fix`. */
export function findingLine(finding: Finding, paint?: ReturnType<typeof colours>): string {
  const { code, severity, field, message, fix } = finding;
  const place = placeOf(finding);
  const head = `${severity} ${code}`;
  const colour = { error: paint?.red, warning: paint?.yellow, info: paint?.cyan }[severity];
  const isPlace = finding.object.name === finding.file;
  const about = isPlace ? '' : ` ${`${nameOf(finding)} ${field}`.trimEnd()}`;
  const sentence = message.replace(/\.$/, '');
  return `${place === '' ? '' : `${place}: `}${colour?.(head) ?? head}${printable(`${about}: ${sentence}; ${fix}`)}`;
}

/** One finding as people read it: place first, as compilers write it, so that terminals and editors make it a link. */
export function findingText(finding: Finding, paint: ReturnType<typeof colours>): string {
  const { code, severity, field, message, fix } = finding;
  const place = placeOf(finding);
  const colour = { error: paint.red, warning: paint.yellow, info: paint.cyan }[severity];
  const head = `${place === '' ? '' : `${paint.bold(place)}: `}${colour(severity)} ${code} ${printable(message)}`;
  return `${head}\n  ${printable(`${nameOf(finding)} ${field}`.trimEnd())}\n  ${paint.dim('fix:')} ${printable(fix)}\n`;
}

function placeOf({ file, line, column }: Finding): string {
  return printable([file, line, column].filter((part) => part !== undefined).join(':'));
}

function nameOf({ object }: Finding): string {
  return [object.kind, object.namespace, object.name].filter((part) => part !== '').join('/');
}

/** User text may hold control characters, which must not reach a terminal. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
