import { ANNOTATION_PREFIXES } from './annotation-key.ts';
import { FAMILIES } from './families.ts';
import { WITHOUT_EFFECT } from './families/without-effect.ts';
import { nearestKey } from './known-keys.ts';
import { UNSUPPORTED_KEYS } from './not-yet.ts';

/** What a key is, as data: a row of the reference, and the answer of `weir explain annotation NAME`. */
export interface AnnotationReference {
  /** Without prefix. */
  readonly name: string;
  /** With each prefix under which it may be written; the later wins. */
  readonly keys: readonly string[];
  readonly family: string;
  readonly state: 'supported' | 'no-effect' | 'not-yet';
  /** Markdown. */
  readonly summary: string;
  readonly value?: { readonly kind: string; readonly grammar: string };
  readonly default?: string;
  readonly example?: string;
  readonly restrictsAccess: boolean;
  /** What becomes of the Ingress when the value is invalid. */
  readonly whenInvalid?: string;
  /** Key without which this one has no effect. */
  readonly needs?: string;
  /** Markdown. */
  readonly differs?: string;
  /** For a key that is not supported yet: what weir does when it is there. */
  readonly meanwhile?: string;
}

const WHEN_INVALID = {
  ignored: 'The annotation is ignored.',
  closed: 'The routes answer 503.',
  'no-canary': 'The rule it belongs to sends nothing to the canary.',
} as const;

/** Every annotation that weir knows, families in their order, unsupported ones last. */
export function annotationReference(): readonly AnnotationReference[] {
  const supported = FAMILIES.flatMap((family) =>
    family.keys.map(
      (key): AnnotationReference => ({
        name: key.name,
        keys: prefixed(key.name),
        family: family.title,
        state: family === WITHOUT_EFFECT ? 'no-effect' : 'supported',
        summary: key.summary,
        value: { kind: key.kind.name, grammar: key.kind.grammar },
        default: key.default,
        example: key.example,
        restrictsAccess: key.restricts !== undefined,
        whenInvalid: WHEN_INVALID[key.whenInvalid ?? 'ignored'],
        ...(key.needs === undefined ? {} : { needs: key.needs }),
        ...(key.differs === undefined ? {} : { differs: key.differs }),
      }),
    ),
  );
  const unsupported = UNSUPPORTED_KEYS.map(
    (key): AnnotationReference => ({
      name: key.name,
      keys: prefixed(key.name),
      family: key.family,
      state: 'not-yet',
      summary: key.summary,
      restrictsAccess: key.restrictsAccess,
      meanwhile: [
        key.restrictsAccess ? 'The routes answer 503' : 'Ignored with a warning',
        key.offValue === undefined ? '.' : `; not for ${key.offValue}.`,
        key.emptyRestricts === true ? ' Also when the value is empty.' : '',
      ].join(''),
    }),
  );
  return [...supported, ...unsupported];
}

/** A key by its name, with or without prefix; where there is none, the nearest name. */
export function explainAnnotation(
  key: string,
): { readonly annotation: AnnotationReference } | { readonly annotation?: never; readonly nearest?: string } {
  const prefix = ANNOTATION_PREFIXES.find((candidate) => key.startsWith(candidate)) ?? '';
  const name = key.slice(prefix.length);
  const annotation = annotationReference().find((entry) => entry.name === name);
  if (annotation !== undefined) return { annotation };
  const near = nearestKey(name);
  return near === undefined ? {} : { nearest: near };
}

function prefixed(name: string): readonly string[] {
  return ANNOTATION_PREFIXES.map((prefix) => `${prefix}${name}`);
}
