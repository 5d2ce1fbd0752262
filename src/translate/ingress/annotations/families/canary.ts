import { ANNOTATION_FINDINGS } from '../../../../diagnostics/annotations.ts';
import type { ValueMatch } from '../../../../model/match.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import type { CanarySettings } from '../../settings.ts';
import { BOOLEAN } from '../values/boolean.ts';
import { integer } from '../values/integer.ts';
import { PATTERN } from '../values/pattern.ts';
import { COOKIE_NAME, HEADER_NAME, text } from '../values/text.ts';
import { AFFINITY_CANARY_BEHAVIOR } from './session-affinity.ts';

const CANARY: AnnotationKey<boolean> = {
  name: 'canary',
  summary:
    'Makes this Ingress the canary of the one with the same host and path: it gets the requests that the rules below choose, ' +
    'in the order header, cookie, weight.',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  whenInvalid: 'no-canary',
  differs:
    'A canary takes all annotations but canary, balancing and session affinity from the main Ingress. ' +
    'An invalid value makes a canary that gets no request, where ingress-nginx would make it a main Ingress.',
};

const WEIGHT: AnnotationKey<number> = {
  name: 'canary-weight',
  summary: 'How many of `canary-weight-total` requests go to the canary, at random.',
  kind: integer('the weight', 0),
  default: '0',
  example: '10',
  whenInvalid: 'no-canary',
  needs: 'canary',
  differs: 'A weight above the total is refused and sends nothing to the canary; in ingress-nginx it sends everything.',
};

const WEIGHT_TOTAL: AnnotationKey<number> = {
  name: 'canary-weight-total',
  summary: 'What `canary-weight` is a part of.',
  kind: integer('the total weight', 1, 1_000_000_000),
  default: '100',
  example: '1000',
  whenInvalid: 'no-canary',
  needs: 'canary',
  differs:
    'Totals below 100 count as 100, as in ingress-nginx. With an invalid total nothing goes to the canary by weight; ingress-nginx would reckon with 100.',
};

const BY_HEADER: AnnotationKey<string> = {
  name: 'canary-by-header',
  summary:
    'Header that chooses: `always` goes to the canary, `never` does not, any other value leaves it to the next rule.',
  kind: HEADER_NAME,
  default: 'no header chooses',
  example: 'X-Canary',
  whenInvalid: 'no-canary',
  needs: 'canary',
};

const BY_HEADER_VALUE: AnnotationKey<string> = {
  name: 'canary-by-header-value',
  summary:
    'With exactly this value of the header the request goes to the canary; `always` and `never` then mean nothing.',
  kind: text({
    name: 'header value',
    grammar: 'letters, digits, spaces and - . _ ~ / :',
    pattern: /^[A-Za-z0-9\-._~/: ]+$/,
    longest: 1024,
  }),
  default: 'always',
  example: 'eu-west',
  whenInvalid: 'no-canary',
  needs: 'canary-by-header',
};

const BY_HEADER_PATTERN: AnnotationKey<string> = {
  name: 'canary-by-header-pattern',
  summary: 'With a value of the header that matches this regular expression the request goes to the canary.',
  kind: PATTERN,
  default: 'always',
  example: 'eu-.*',
  whenInvalid: 'no-canary',
  needs: 'canary-by-header',
  differs:
    'Ignored where `canary-by-header-value` is there. Not anchored. A match that fails for its cost is no match.',
};

const BY_COOKIE: AnnotationKey<string> = {
  name: 'canary-by-cookie',
  summary:
    'Cookie that chooses: `always` goes to the canary, `never` does not, any other value leaves it to the weight.',
  kind: COOKIE_NAME,
  default: 'no cookie chooses',
  example: 'canary',
  whenInvalid: 'no-canary',
  needs: 'canary',
};

export const CANARY_FAMILY: AnnotationFamily = {
  title: 'Canary',
  keys: [CANARY, WEIGHT, WEIGHT_TOTAL, BY_HEADER, BY_HEADER_VALUE, BY_HEADER_PATTERN, BY_COOKIE],
  onCanary: true,
  apply(read, settings) {
    const followsAffinity = read.value(AFFINITY_CANARY_BEHAVIOR) !== 'legacy';
    if (read.invalid(CANARY)) {
      settings.canary = { weight: 0, weightTotal: 100, followsAffinity };
      return;
    }
    if (read.value(CANARY) !== true) return;
    const header = headerRule(read);
    const cookie = read.value(BY_COOKIE);
    settings.canary = {
      ...header,
      ...(cookie === undefined ? {} : { cookie }),
      ...weightRule(read),
      followsAffinity,
    };
  },
};

function weightRule(read: AnnotationReader): Pick<CanarySettings, 'weight' | 'weightTotal'> {
  const weight = read.value(WEIGHT) ?? 0;
  const weightTotal = Math.max(100, read.value(WEIGHT_TOTAL) ?? 100);
  if (read.invalid(WEIGHT_TOTAL)) return { weight: 0, weightTotal };
  if (weight <= weightTotal) return { weight, weightTotal };
  read.report(
    WEIGHT.name,
    ANNOTATION_FINDINGS.invalidCanary,
    `${read.shown(WEIGHT.name)} is more than the total weight ${weightTotal}; nothing goes to the canary by weight.`,
    `Write a whole number from 0 to ${weightTotal}, or raise canary-weight-total.`,
  );
  return { weight: 0, weightTotal };
}

/** Without a usable condition there is no header rule at all: `always` was not what should choose. */
function headerRule(read: AnnotationReader): Pick<CanarySettings, 'header' | 'headerMatch'> {
  const header = read.value(BY_HEADER);
  const value = read.value(BY_HEADER_VALUE);
  const pattern = read.value(BY_HEADER_PATTERN);
  if (header === undefined || read.invalid(BY_HEADER_VALUE)) return {};
  if (value !== undefined) return { header, headerMatch: { kind: 'exact', value } };
  if (read.invalid(BY_HEADER_PATTERN)) return {};
  if (pattern === undefined) return { header };
  const headerMatch: ValueMatch = { kind: 'regex', value: pattern };
  return { header, headerMatch };
}
