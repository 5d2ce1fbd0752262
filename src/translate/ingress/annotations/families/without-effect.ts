import { ANNOTATION_FINDINGS } from '../../../../diagnostics/annotations.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { BOOLEAN } from '../values/boolean.ts';

const HTTP2_PUSH_PRELOAD: AnnotationKey<boolean> = {
  name: 'http2-push-preload',
  summary: 'Made HTTP/2 pushes of `Link: …; rel=preload` headers.',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  differs:
    'Browsers and nginx (from 1.25.1) have given HTTP/2 push up; ingress-nginx’ last versions do nothing either.',
};

const ENABLE_REWRITE_LOG: AnnotationKey<boolean> = {
  name: 'enable-rewrite-log',
  summary: 'Wrote nginx’ rewrites to its error log.',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  differs: 'weir doesn’t rewrite by nginx’ rewrite rules. `weir explain URL` shows what becomes of a path.',
};

const KEYS = [HTTP2_PUSH_PRELOAD, ENABLE_REWRITE_LOG];

/** Keys that are accepted and do nothing. */
export const WITHOUT_EFFECT: AnnotationFamily = {
  title: 'Without effect',
  keys: KEYS,
  onCanary: true,
  apply(read) {
    for (const key of KEYS) {
      if (read.value(key) === true)
        read.report(key.name, ANNOTATION_FINDINGS.noEffect, `The annotation changes nothing. ${key.differs}`);
    }
  },
};
