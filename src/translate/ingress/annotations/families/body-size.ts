import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { SIZE } from '../values/size.ts';

const PROXY_BODY_SIZE: AnnotationKey<number> = {
  name: 'proxy-body-size',
  summary: 'The largest request body; a larger one is answered with 413. `0` means no limit.',
  kind: SIZE,
  default: '1m',
  example: '8m',
};

export const BODY_SIZE: AnnotationFamily = {
  title: 'Size of request bodies',
  keys: [PROXY_BODY_SIZE],
  onCanary: false,
  apply(read, settings) {
    const bytes = read.value(PROXY_BODY_SIZE);
    if (bytes !== undefined) settings.bodyLimit = bytes;
  },
};
