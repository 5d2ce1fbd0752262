import { editDistance } from '../../../lib/edit-distance.ts';
import type { AnnotationFamily } from './annotation-family.ts';
import type { AnnotationKey } from './annotation-key.ts';
import { FAMILIES } from './families.ts';
import { UNSUPPORTED_KEYS, type UnsupportedKey } from './not-yet.ts';

export type KnownKey =
  | { readonly key: AnnotationKey<unknown>; readonly family: AnnotationFamily; readonly unsupported?: never }
  | { readonly unsupported: UnsupportedKey; readonly key?: never };

/** Every key that weir knows, by its name without prefix. A Map, so that `constructor` and `__proto__` are unknown. */
export const KNOWN_KEYS: ReadonlyMap<string, KnownKey> = new Map<string, KnownKey>([
  ...FAMILIES.flatMap((family) => family.keys.map((key) => [key.name, { key, family }] as const)),
  ...UNSUPPORTED_KEYS.map((unsupported) => [unsupported.name, { unsupported }] as const),
]);

/** Kubernetes allows 63; anything longer is no misspelling. */
const LONGEST_NAME = 64;
const RESTRICTION_DISTANCE = 2;

/** The known key with the fewest edits to `name`, if it is near enough to be meant. Case doesn't count. */
export function nearestKey(name: string): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  return nearest(name.toLowerCase(), KNOWN_KEYS.keys(), Math.max(1, Math.min(4, Math.floor(name.length / 4))));
}

export interface UnknownKey {
  /** The known key that was probably meant. */
  readonly near?: string;
  /** Why the key may be meant to restrict access; undefined where it isn't. */
  readonly restriction?: string;
}

/** Keys without which requests would be guarded less than was asked, and those without which they would not. */
const GUARDING_KEYS = namesOf(
  ({ key, unsupported }) =>
    unsupported?.restrictsAccess === true || key?.restricts !== undefined || key?.misspelt === 'closes',
);
const HARMLESS_KEYS = namesOf(({ key }) => key?.misspelt === 'ignored');
const GUARDING_FORM =
  /^(global-)?(auth|limit|rate-limit)-|^proxy-ssl-|^(ip-)?(allow|white|deny|black|block)-?list|-(snippet|source-range)$|modsecurity|^global-rate-limit|^lua-resty-waf/;

function namesOf(which: (known: KnownKey) => boolean): readonly string[] {
  return [...KNOWN_KEYS].filter(([, known]) => which(known)).map(([name]) => name);
}

/** The same unknown keys come again and again, one for each Ingress made from a template; judging them is the costly part. */
const judged = new Map<string, UnknownKey>();
const MOST_JUDGED = 1000;

/**
 * What an unknown key may be meant to be. It may restrict access when the name of a guarding key is at most two edits
 * away; or when it has the form of one, and none is so near that guards nothing: to leave that out opens nothing.
 */
export function judgeUnknownKey(name: string): UnknownKey {
  const before = judged.get(name);
  if (before !== undefined) return before;
  const unknown = judge(name);
  if (name.length <= LONGEST_NAME) {
    if (judged.size >= MOST_JUDGED) judged.clear();
    judged.set(name, unknown);
  }
  return unknown;
}

function judge(name: string): UnknownKey {
  const lower = name.slice(0, LONGEST_NAME * 4).toLowerCase();
  const within = (keys: readonly string[]) =>
    name.length > LONGEST_NAME ? undefined : nearest(lower, keys, RESTRICTION_DISTANCE);
  const guarding = within(GUARDING_KEYS);
  if (guarding !== undefined) return { near: guarding, restriction: `is close to ${guarding}` };
  const harmless = within(HARMLESS_KEYS);
  if (harmless !== undefined) return { near: harmless };
  const near = nearestKey(name);
  return {
    ...(near === undefined ? {} : { near }),
    ...(GUARDING_FORM.test(lower) ? { restriction: 'has the form of a restriction' } : {}),
  };
}

function nearest(name: string, candidates: Iterable<string>, furthest: number): string | undefined {
  let best: string | undefined;
  let limit = furthest;
  for (const candidate of candidates) {
    const distance = editDistance(name, candidate, limit);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
    if (limit < 0) break;
  }
  return best;
}
