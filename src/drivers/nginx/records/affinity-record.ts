import type { SessionAffinity } from '../../../model/session-affinity.ts';
import type { AffinityRecord } from '../wire.ts';

/** A session cookie. The value, Expires and Secure are the data plane's: they depend on the request. */
export function renderAffinity(affinity: SessionAffinity): AffinityRecord {
  const attributes = [
    `; Path=${attributeValue(affinity.path ?? '/')}`,
    affinity.domain === undefined ? '' : `; Domain=${attributeValue(affinity.domain)}`,
    affinity.maxAgeSeconds === undefined ? '' : `; Max-Age=${affinity.maxAgeSeconds}`,
    '; HttpOnly',
    affinity.sameSite === undefined ? '' : `; SameSite=${affinity.sameSite}`,
  ].join('');
  return {
    name: affinity.name,
    mode: affinity.mode,
    attributes,
    ...(affinity.expiresSeconds === undefined ? {} : { expires: affinity.expiresSeconds }),
    ...(affinity.secure === undefined ? {} : { secure: affinity.secure }),
    ...(affinity.changeOnFailure ? { changeOnFailure: true } : {}),
  };
}

/** RFC 6265 section 4.1.1: an attribute's value has no control characters and no semicolon. */
function attributeValue(value: string): string {
  return value.replaceAll(/[\p{Cc};]/gu, '');
}
