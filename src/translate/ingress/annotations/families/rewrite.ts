import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { BOOLEAN } from '../values/boolean.ts';
import { REWRITE_TEMPLATE } from '../values/rewrite-template.ts';
import { text } from '../values/text.ts';

const REWRITE_TARGET: AnnotationKey<string> = {
  name: 'rewrite-target',
  summary: 'The path that the backend gets, with `$1` to `$9` for what the groups of the route’s path captured.',
  kind: REWRITE_TEMPLATE,
  default: 'the path is passed on as it came',
  example: '/$2',
  whenInvalid: 'closed',
  differs:
    'Turns the paths of the *whole host*, of other Ingresses too, into regular expressions without regard to case, as `use-regex` does. ' +
    'A target that is an `http(s)://` URL redirects with 302 instead. Named captures (`$name`) are refused: they look like variables of nginx. ' +
    'An invalid target closes the routes (503), where ingress-nginx would pass the paths on unchanged and so open other parts of the backend; the paths of the host stay regular expressions.',
};

const USE_REGEX: AnnotationKey<boolean> = {
  name: 'use-regex',
  summary: 'Reads the paths as regular expressions, anchored at their start only and without regard to case.',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  differs:
    'Holds for *all paths of the host*, of other Ingresses and of type Exact and Prefix too: `/foo` then also matches `/FOObar`.',
};

const X_FORWARDED_PREFIX: AnnotationKey<string> = {
  name: 'x-forwarded-prefix',
  summary: 'Tells the backend in the header X-Forwarded-Prefix what `rewrite-target` took away.',
  kind: text({
    name: 'path',
    grammar: 'a path: letters, digits and - . _ ~ / :',
    pattern: /^[A-Za-z0-9\-._~/:]+$/,
    longest: 1024,
  }),
  default: 'the header is not set',
  example: '/shop',
  needs: 'rewrite-target',
  differs: 'Captures (`$1`), which late versions of ingress-nginx expand here, are refused.',
};

export const REWRITE: AnnotationFamily = {
  title: 'Rewrite and regular expressions',
  keys: [REWRITE_TARGET, USE_REGEX, X_FORWARDED_PREFIX],
  onCanary: false,
  apply(read, settings) {
    if (read.value(USE_REGEX) === true) settings.useRegex = true;
    const target = read.value(REWRITE_TARGET);
    const prefix = read.value(X_FORWARDED_PREFIX);
    if (target === undefined) {
      // The routes are closed, and must take the requests that they would take if it were right: no others, and no fewer.
      if (read.has(REWRITE_TARGET.name)) settings.useRegex = true;
      return;
    }
    if (/^https?:\/\//.test(target)) {
      settings.useRegex = true;
      settings.filters.push({ type: 'redirect', status: 302, url: target, keepQuery: true });
      return;
    }
    settings.rewriteTarget = target;
    if (prefix !== undefined) settings.forwardedPrefix = prefix;
  },
};
