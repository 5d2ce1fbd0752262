import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { BOOLEAN } from '../values/boolean.ts';

const ENABLE_ACCESS_LOG: AnnotationKey<boolean> = {
  name: 'enable-access-log',
  summary: 'Whether requests to these routes are written to the access log.',
  kind: BOOLEAN,
  default: 'true',
  example: 'false',
};

export const ACCESS_LOG: AnnotationFamily = {
  title: 'Access log',
  keys: [ENABLE_ACCESS_LOG],
  onCanary: false,
  apply(read, settings) {
    const enabled = read.value(ENABLE_ACCESS_LOG);
    if (enabled !== undefined) settings.accessLog = enabled;
  },
};
