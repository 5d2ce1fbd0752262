import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { ABSOLUTE_URL } from '../values/absolute-url.ts';
import { choice } from '../values/choice.ts';

const TEMPORAL_REDIRECT: AnnotationKey<string> = {
  name: 'temporal-redirect',
  summary: 'Answers every request with a temporary redirect to this URL.',
  kind: ABSOLUTE_URL,
  default: 'requests go to the backend',
  example: 'https://www.example.com/moved',
  differs: 'Wins over `permanent-redirect`. Path and query of the request are not appended.',
};

const TEMPORAL_REDIRECT_CODE: AnnotationKey<string> = {
  name: 'temporal-redirect-code',
  summary: 'The status of `temporal-redirect`.',
  kind: choice(['302', '303', '307']),
  default: '302',
  example: '307',
  needs: 'temporal-redirect',
  differs: 'ingress-nginx takes any code from 300 to 307, but only these redirect temporarily.',
};

const PERMANENT_REDIRECT: AnnotationKey<string> = {
  name: 'permanent-redirect',
  summary: 'Answers every request with a permanent redirect to this URL.',
  kind: ABSOLUTE_URL,
  default: 'requests go to the backend',
  example: 'https://www.example.com/',
  differs: 'Path and query of the request are not appended.',
};

const PERMANENT_REDIRECT_CODE: AnnotationKey<string> = {
  name: 'permanent-redirect-code',
  summary: 'The status of `permanent-redirect`.',
  kind: choice(['301', '308', '302', '303', '307']),
  default: '301',
  example: '308',
  needs: 'permanent-redirect',
  differs:
    'ingress-nginx takes any code from 300 to 308; nginx answers 300 and 304 to 306 with the URL as a page, weir refuses them.',
};

export const REDIRECT: AnnotationFamily = {
  title: 'Redirect',
  keys: [TEMPORAL_REDIRECT, TEMPORAL_REDIRECT_CODE, PERMANENT_REDIRECT, PERMANENT_REDIRECT_CODE],
  onCanary: false,
  apply(read, settings) {
    const temporal = read.value(TEMPORAL_REDIRECT);
    const temporalCode = read.value(TEMPORAL_REDIRECT_CODE);
    const permanent = read.value(PERMANENT_REDIRECT);
    const permanentCode = read.value(PERMANENT_REDIRECT_CODE);
    if (temporal !== undefined) {
      settings.filters.push({ type: 'redirect', status: Number(temporalCode ?? 302), url: temporal });
    } else if (permanent !== undefined) {
      settings.filters.push({ type: 'redirect', status: Number(permanentCode ?? 301), url: permanent });
    }
  },
};
