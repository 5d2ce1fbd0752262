import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { text } from '../values/text.ts';

const APP_ROOT: AnnotationKey<string> = {
  name: 'app-root',
  summary: 'Redirects a request for exactly `/` to this path with 302.',
  kind: text({
    name: 'path',
    grammar: 'a path that starts with /: letters, digits and - . _ ~ / :',
    // Not `//…`: that would be another host.
    pattern: /^\/(?!\/)[A-Za-z0-9\-._~/:]*$/,
    longest: 2048,
  }),
  default: '`/` is served like any other path',
  example: '/app',
};

export const APP_ROOT_FAMILY: AnnotationFamily = {
  title: 'Application root',
  keys: [APP_ROOT],
  onCanary: false,
  apply(read, settings) {
    const path = read.value(APP_ROOT);
    // `/` itself would redirect for ever.
    if (path === undefined || path === '/') return;
    settings.filters.push({ type: 'redirect', status: 302, onlyPath: '/', path: { kind: 'full', value: path } });
  },
};
