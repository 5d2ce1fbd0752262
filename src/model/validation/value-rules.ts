/** Rules about single values, used by the checks of several parts. */
import { parseCidr } from '../../lib/ip-address.ts';
import type { HeaderChange } from '../filter.ts';
import type { Report } from './problem.ts';

/** RFC 9110, 5.6.2: token. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 3339 date and time. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

export function checkCidrs(cidrs: readonly string[] | undefined, path: string, report: Report): void {
  for (const [index, cidr] of (cidrs ?? []).entries()) {
    if (parseCidr(cidr) === undefined) {
      report('address', `${path}[${index}]`, JSON.stringify(cidr), 'an address range is an address, or one with /bits');
    }
  }
}

export function checkTime(time: string | undefined, path: string, report: Report): void {
  if (time === undefined || (TIME.test(time) && !Number.isNaN(Date.parse(time)))) return;
  report('time', path, JSON.stringify(time), 'times are written as RFC 3339 has them');
}

export function checkHeaderName(name: string, path: string, report: Report): void {
  if (!TOKEN.test(name)) report('header', path, JSON.stringify(name), 'a header name is a token (RFC 9110, 5.6.2)');
}

export function checkHeaderValue(value: string, path: string, report: Report): void {
  // A line break or NUL in a value would end the header and begin another.
  if (/[\r\n\0]/.test(value))
    report('header', path, JSON.stringify(value), 'a header value has no line break and no NUL');
}

export function checkHeaderChange(change: HeaderChange, path: string, report: Report): void {
  for (const kind of ['set', 'add'] as const) {
    for (const [index, header] of (change[kind] ?? []).entries()) {
      checkHeaderName(header.name, `${path}.${kind}[${index}].name`, report);
      checkHeaderValue(header.value, `${path}.${kind}[${index}].value`, report);
    }
  }
  for (const [index, name] of (change.remove ?? []).entries())
    checkHeaderName(name, `${path}.remove[${index}]`, report);
}
