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

const RESTRICTING_KEYS: readonly string[] = [...KNOWN_KEYS]
  .filter(([, { key, unsupported }]) => unsupported?.restrictsAccess === true || key?.restricts !== undefined)
  .map(([name]) => name);
const RESTRICTING_FORM =
  /^(global-)?(auth|limit|rate-limit)-|-(snippet|source-range)$|modsecurity|^global-rate-limit|^lua-resty-waf/;

/** The same unknown keys come again and again, one for each Ingress made from a template; judging them is the costly part. */
const judged = new Map<string, UnknownKey>();
const MOST_JUDGED = 1000;

/**
 * What an unknown key may be meant to be. It may restrict access when a restricting key's name is at most two edits away,
 * or when it has the form of one.
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
  const restricting = name.length > LONGEST_NAME ? undefined : nearest(lower, RESTRICTING_KEYS, RESTRICTION_DISTANCE);
  if (restricting !== undefined) return { near: restricting, restriction: `is close to ${restricting}` };
  const near = nearestKey(name);
  return {
    ...(near === undefined ? {} : { near }),
    ...(RESTRICTING_FORM.test(lower) ? { restriction: 'has the form of a restriction' } : {}),
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
