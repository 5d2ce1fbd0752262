import type { ValueKind } from './values/value-kind.ts';

/** The prefix of ingress-nginx, and weir's own. weir's wins where a key is there with both. */
export const ANNOTATION_PREFIXES = ['nginx.ingress.kubernetes.io/', 'weir.dev/'] as const;
export type AnnotationPrefix = (typeof ANNOTATION_PREFIXES)[number];

/**
 * What becomes of the Ingress when the value of a key is invalid. `ignored`: the default holds (ingress-nginx' way).
 * `closed`: its routes answer 503, because without the key requests would go elsewhere than meant. `no-canary`: the canary
 * rule that the key belongs to sends nothing to the canary.
 */
export type InvalidValueEffect = 'ignored' | 'closed' | 'no-canary';

/** One annotation that weir acts on: the single place that says what it is. Parsing, hints and reference come from it. */
export interface AnnotationKey<Value> {
  /** Without prefix: `proxy-body-size`. */
  readonly name: string;
  /** One sentence in Markdown. */
  readonly summary: string;
  readonly kind: ValueKind<Value>;
  /** What holds without the key, in words or as a value. */
  readonly default: string;
  readonly example: string;
  readonly whenInvalid?: InvalidValueEffect;
  /**
   * The key may restrict access, and whether this text does. Where that can't be taken in, or is said in two ways that
   * contradict each other, the routes are closed.
   */
  readonly restricts?: (text: string) => boolean;
  /**
   * What becomes of an Ingress with a misspelling of this key. `closes`: its routes answer 503, because without the key
   * they would be guarded less than was asked. `ignored`: a warning, whatever else the name looks like, because without
   * the key nothing is guarded less. Absent: `closes` where the key restricts access, else the form of the name decides.
   */
  readonly misspelt?: 'closes' | 'ignored';
  /** The key without which this one has no effect. */
  readonly needs?: string;
  /** What ingress-nginx does differently, or does and one wouldn't expect. Markdown. */
  readonly differs?: string;
}
