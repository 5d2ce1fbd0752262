import type { AnnotationFamily } from './annotation-family.ts';
import { ACCESS_LOG } from './families/access-log.ts';
import { APP_ROOT_FAMILY } from './families/app-root.ts';
import { AUTH_TLS } from './families/auth-tls.ts';
import { BACKEND_PROTOCOL_FAMILY } from './families/backend-protocol.ts';
import { BODY_SIZE } from './families/body-size.ts';
import { CANARY_FAMILY } from './families/canary.ts';
import { CONNECTION_HEADER } from './families/connection-header.ts';
import { EXTERNAL_AUTH } from './families/external-auth.ts';
import { HTTPS_REDIRECT } from './families/https-redirect.ts';
import { LOAD_BALANCE_FAMILY } from './families/load-balance.ts';
import { MIRROR } from './families/mirror.ts';
import { PROXY_NEXT_UPSTREAM } from './families/proxy-next-upstream.ts';
import { PROXY_SSL } from './families/proxy-ssl.ts';
import { PROXY_TIMEOUTS } from './families/proxy-timeouts.ts';
import { REDIRECT } from './families/redirect.ts';
import { REWRITE } from './families/rewrite.ts';
import { SERVICE_UPSTREAM_FAMILY } from './families/service-upstream.ts';
import { SESSION_AFFINITY } from './families/session-affinity.ts';
import { UPSTREAM_HASH_BY } from './families/upstream-hash-by.ts';
import { UPSTREAM_VHOST_FAMILY } from './families/upstream-vhost.ts';
import { WITHOUT_EFFECT } from './families/without-effect.ts';

/**
 * The annotation families in the order in which they are applied; filters come in this order, and of two families that set
 * the same thing the later wins. The canary comes first, because it decides which of the others count.
 */
export const FAMILIES: readonly AnnotationFamily[] = [
  CANARY_FAMILY,
  HTTPS_REDIRECT,
  AUTH_TLS,
  EXTERNAL_AUTH,
  APP_ROOT_FAMILY,
  REDIRECT,
  REWRITE,
  BODY_SIZE,
  PROXY_TIMEOUTS,
  PROXY_NEXT_UPSTREAM,
  BACKEND_PROTOCOL_FAMILY,
  PROXY_SSL,
  LOAD_BALANCE_FAMILY,
  UPSTREAM_HASH_BY,
  SESSION_AFFINITY,
  UPSTREAM_VHOST_FAMILY,
  SERVICE_UPSTREAM_FAMILY,
  CONNECTION_HEADER,
  MIRROR,
  ACCESS_LOG,
  WITHOUT_EFFECT,
];
