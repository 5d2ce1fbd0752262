import type { CatalogueEntry } from './catalogue.ts';

/** What is to be said about annotations under `nginx.ingress.kubernetes.io/` and `weir.dev/`: WEIR0200–0299. */
export const ANNOTATION_FINDINGS = {
  unknown: {
    code: 'WEIR0200',
    severity: 'warning',
    title: 'Unknown annotation',
    explanation:
      'The key is under a prefix that weir reads, but neither ingress-nginx nor weir defines it. It is ignored, as ingress-nginx does.',
    fix: 'Correct the name, or remove the annotation. `weir explain annotation NAME` shows what a name means.',
  },
  unknownRestriction: {
    code: 'WEIR0201',
    severity: 'error',
    title: 'Unknown annotation that looks like a restriction',
    explanation:
      'No such key exists, but its name is at most two letters away from one that restricts access or says how a backend is verified, or has the form of one (auth-…, limit-…, proxy-ssl-…, allowlist…, denylist…, …-snippet, …-source-range, modsecurity). To ignore it could open what was meant to be closed, so every route of the Ingress answers 503. A misspelling of a key without which nothing is guarded less, as `auth-signin`, is a warning (WEIR0200).',
    fix: 'Correct the name, or remove the annotation if no restriction is meant.',
  },
  restrictionNotSupported: {
    code: 'WEIR0202',
    severity: 'error',
    title: 'Access restriction not supported yet',
    explanation:
      'The annotation restricts who may reach the routes of this Ingress, and weir can’t enforce it yet. Rather than serve them open, every route of the Ingress answers 503. Of annotations that belong together the leading one is named first, and the others with it.',
    fix: 'Remove the annotation if the routes may be reached by everybody; otherwise enforce the restriction elsewhere first.',
  },
  notSupported: {
    code: 'WEIR0203',
    severity: 'warning',
    title: 'Annotation not supported yet',
    explanation: 'ingress-nginx knows this annotation, weir doesn’t act on it yet. The routes are served without it.',
    fix: 'Check that the routes work without it, then remove the annotation or keep it for later versions.',
  },
  invalidValue: {
    code: 'WEIR0204',
    severity: 'error',
    title: 'Invalid annotation value',
    explanation:
      'The value does not follow the annotation’s grammar. The annotation is ignored and its default holds, as in ingress-nginx.',
    fix: 'Write a value that `weir explain annotation NAME` allows.',
  },
  invalidValueCloses: {
    code: 'WEIR0205',
    severity: 'error',
    title: 'Invalid annotation value closes the routes',
    explanation:
      'The value can’t be used, and to ignore it would send requests to other places of the backend than was meant. Every route of the Ingress answers 503.',
    fix: 'Write a value that `weir explain annotation NAME` allows.',
  },
  empty: {
    code: 'WEIR0206',
    severity: 'info',
    title: 'Annotation without a value',
    explanation: 'The value is empty. ingress-nginx takes that for an annotation that isn’t there, and so does weir.',
    fix: 'Give the annotation a value, or remove it.',
  },
  emptyRestriction: {
    code: 'WEIR0207',
    severity: 'warning',
    title: 'Empty access restriction',
    explanation:
      'An annotation that restricts access has an empty value. As in ingress-nginx it restricts nothing: the routes are served open.',
    fix: 'Remove the annotation if the routes may be reached by everybody, or give it its value.',
  },
  needsAnother: {
    code: 'WEIR0208',
    severity: 'warning',
    title: 'Annotation without the one it belongs to',
    explanation: 'The annotation only adds to another one, which is not there. It has no effect.',
    fix: 'Add the annotation that it belongs to, or remove it.',
  },
  writtenTwice: {
    code: 'WEIR0209',
    severity: 'info',
    title: 'Annotation written with both prefixes',
    explanation:
      'The same key is there under weir.dev/ and under nginx.ingress.kubernetes.io/. The one under weir.dev/ holds. (A key that restricts access counts under either prefix.)',
    fix: 'Keep one of the two, or both while the Ingress is also served by ingress-nginx.',
  },
  noEffect: {
    code: 'WEIR0210',
    severity: 'info',
    title: 'Annotation without effect',
    explanation:
      'There is nothing left that this annotation could change. The routes are served as if it were not there.',
    fix: 'Remove the annotation.',
  },
  partlySupported: {
    code: 'WEIR0211',
    severity: 'warning',
    title: 'Annotation value not fully supported',
    explanation: 'The value is a right one for ingress-nginx, but weir does only a part of what it asks for.',
    fix: 'Check that the part that holds is enough, or choose another value.',
  },
  valueNotServable: {
    code: 'WEIR0212',
    severity: 'error',
    title: 'Annotation value can’t be served',
    explanation:
      'The value is a right one for ingress-nginx, but weir has no way to reach such a backend. Every route of the Ingress answers 503.',
    fix: 'Choose another value.',
  },
  notText: {
    code: 'WEIR0213',
    severity: 'error',
    title: 'Annotation value is not text',
    explanation:
      'Kubernetes allows only strings as annotation values and refuses the object. weir ignores the annotation; where the annotation restricts access, every route of the Ingress answers 503.',
    fix: 'Put the value in quotes.',
  },
  invalidCanary: {
    code: 'WEIR0214',
    severity: 'error',
    title: 'Invalid canary value',
    explanation:
      'The value of a canary annotation can’t be used. So that no request reaches the canary by mistake, the rule that the annotation belongs to (header, cookie or weight; all of them for `canary` itself) sends it nothing.',
    fix: 'Write a value that `weir explain annotation NAME` allows.',
  },
  ignoredOnCanary: {
    code: 'WEIR0215',
    severity: 'info',
    title: 'Annotation ignored on a canary',
    explanation:
      'A canary takes everything but its canary rules, its balancing and its session affinity from the main Ingress of the same host and path, as in ingress-nginx.',
    fix: 'Put the annotation on the main Ingress, or remove it.',
  },
  captureWithoutGroup: {
    code: 'WEIR0216',
    severity: 'warning',
    title: 'Rewrite target names a group that the path does not have',
    explanation:
      '`$1` to `$9` in `rewrite-target` stand for what the groups of the path captured. The path has fewer groups, so nothing stands in that place: the backend is asked for another path than was meant.',
    fix: 'Put parentheses around the part of the path that is meant, as in `/app(/|$)(.*)`, or name a group that is there.',
  },
} as const satisfies Record<string, CatalogueEntry>;
