import { ANNOTATION_FINDINGS } from '../../../../diagnostics/annotations.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { BOOLEAN } from '../values/boolean.ts';

const SSL_REDIRECT: AnnotationKey<boolean> = {
  name: 'ssl-redirect',
  summary: 'Redirects plain HTTP to HTTPS with 308 where the host has TLS.',
  kind: BOOLEAN,
  default: 'true',
  example: 'false',
};

const FORCE_SSL_REDIRECT: AnnotationKey<boolean> = {
  name: 'force-ssl-redirect',
  summary:
    'Redirects plain HTTP to HTTPS with 308 even where the host has no TLS, for example behind a load balancer that ends TLS.',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  differs:
    'Wins over `ssl-redirect: "false"`. A request that a trusted proxy says came by HTTPS is not redirected again.',
};

const PRESERVE_TRAILING_SLASH: AnnotationKey<boolean> = {
  name: 'preserve-trailing-slash',
  summary: 'Keeps the slash at the end of the path in the redirect to HTTPS.',
  kind: BOOLEAN,
  default: 'true',
  example: 'true',
  differs:
    'weir always keeps the slash. ingress-nginx cuts it off unless the key is `"true"`, so that `/docs/` is redirected to `/docs`.',
};

export const HTTPS_REDIRECT: AnnotationFamily = {
  title: 'Redirect to HTTPS',
  keys: [SSL_REDIRECT, FORCE_SSL_REDIRECT, PRESERVE_TRAILING_SLASH],
  onCanary: false,
  apply(read, settings) {
    if (read.value(FORCE_SSL_REDIRECT) === true) settings.httpsRedirect = 'always';
    else if (read.value(SSL_REDIRECT) === false) settings.httpsRedirect = 'never';
    // Read in every case, so that an invalid value is reported.
    read.value(SSL_REDIRECT);
    if (read.value(PRESERVE_TRAILING_SLASH) === false) {
      read.report(
        PRESERVE_TRAILING_SLASH.name,
        ANNOTATION_FINDINGS.noEffect,
        'The slash at the end of a path is always kept in the redirect to HTTPS.',
      );
    }
  },
};
