/**
 * Host names of the model: `shop.example` is that name, `*.shop.example` one label more, `**.shop.example` one label or
 * several more, `*` every name. Lower case, no port, no trailing dot.
 */
import { compareText } from '../lib/text-order.ts';

const NAME = /^(?!.{254})[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Whether this may stand as a virtual host's name. Underscores are allowed: browsers send them, nginx takes them. */
export function isHostname(text: string): boolean {
  if (text === '*') return true;
  return NAME.test(text.replace(/^\*\*?\./, ''));
}

/** The name without its wildcard: `*.shop.example` → `shop.example`, `*` → ``. */
export function hostnameSuffix(hostname: string): string {
  if (hostname === '*') return '';
  return hostname.replace(/^\*\*?\./, '');
}

/** 0 exact, 1 `*.`, 2 `**.`, 3 `*`. */
function wildness(hostname: string): number {
  if (hostname === '*') return 3;
  if (hostname.startsWith('**.')) return 2;
  return hostname.startsWith('*.') ? 1 : 0;
}

/**
 * The most specific first: names, then wildcards by the length of what is fixed (longest first; `*.x` before `**.x`),
 * then `*`. Between two that match the same name this is the order in which they are asked.
 */
export function compareHostnames(a: string, b: string): number {
  const x = wildness(a);
  const y = wildness(b);
  const wildcards = x > 0 && x < 3 && y > 0 && y < 3;
  if (!wildcards) return x - y || compareText(a, b);
  const left = hostnameSuffix(a);
  const right = hostnameSuffix(b);
  return right.length - left.length || compareText(left, right) || x - y;
}

export function hostnameCovers(pattern: string, name: string): boolean {
  return hostnameCandidates(name).includes(pattern);
}

/** Every virtual-host name that would take requests for `name`, in the order in which they are asked. */
export function hostnameCandidates(name: string): readonly string[] {
  const candidates = [name];
  let dot = name.indexOf('.');
  for (let first = true; dot > 0; first = false) {
    const suffix = name.slice(dot + 1);
    if (first) candidates.push(`*.${suffix}`);
    candidates.push(`**.${suffix}`);
    const next = suffix.indexOf('.');
    dot = next < 0 ? -1 : dot + 1 + next;
  }
  candidates.push('*');
  return candidates;
}
