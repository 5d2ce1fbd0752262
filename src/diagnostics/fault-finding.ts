import type { Origin } from '../model/origin.ts';
import { finding } from './catalogue.ts';
import { FAULT_FINDINGS } from './faults.ts';
import type { Finding } from './finding.ts';

const LONGEST = 300;

/**
 * About an exception that nobody expected, at the object that was being worked on. `what`: "reading the Ingress";
 * `meanwhile`: a sentence without its full stop. `secret`: the object's content may stand in the exception's message, which
 * is left out then.
 */
export function faultFinding(
  origin: Origin,
  what: string,
  error: unknown,
  meanwhile: string,
  { secret = false }: { readonly secret?: boolean } = {},
): Finding {
  return finding(FAULT_FINDINGS.fault, origin, `weir failed at ${what}: ${faultText(error, secret)}. ${meanwhile}.`);
}

/** Kind, message and place of an exception, on one line. */
export function faultText(error: unknown, secret = false): string {
  if (!(error instanceof Error)) return secret ? 'something was thrown that is no error' : oneLine(String(error));
  const place = /[/\\]([^/\\\s()]+\.[cm]?[jt]s:[0-9]+):[0-9]+\)?$/mu.exec(error.stack ?? '')?.[1];
  const said = secret || error.message === '' ? error.name : `${error.name}: ${error.message}`;
  return `${oneLine(said)}${place === undefined ? '' : ` (${place})`}`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
