import type { SessionAffinity } from '../../../../model/session-affinity.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { BOOLEAN } from '../values/boolean.ts';
import { choice } from '../values/choice.ts';
import { integer } from '../values/integer.ts';
import { COOKIE_NAME, text } from '../values/text.ts';

const DEFAULT_NAME = 'INGRESSCOOKIE';
const LONGEST_AGE = 3_155_760_000;

const AFFINITY: AnnotationKey<'cookie'> = {
  name: 'affinity',
  summary: 'Keeps a client at the endpoint that its cookie names.',
  kind: choice(['cookie']),
  default: 'no affinity',
  example: 'cookie',
};

const MODE: AnnotationKey<'balanced' | 'persistent'> = {
  name: 'affinity-mode',
  summary: 'Whether some sessions move when endpoints are added (`balanced`) or none (`persistent`).',
  kind: choice(['balanced', 'persistent']),
  default: 'balanced',
  example: 'persistent',
  needs: 'affinity',
  differs: 'No session moves when endpoints are added, with either value: both are persistent.',
};

/** Stands on the canary, whose own affinity it is about; read by the canary family. */
export const AFFINITY_CANARY_BEHAVIOR: AnnotationKey<'sticky' | 'legacy'> = {
  name: 'affinity-canary-behavior',
  summary:
    'Whether a client stays at the canary or at the main backend once it has a session there (`sticky`) or not (`legacy`).',
  kind: choice(['sticky', 'legacy']),
  default: 'sticky',
  example: 'legacy',
};

const NAME: AnnotationKey<string> = {
  name: 'session-cookie-name',
  summary: 'Name of the cookie.',
  kind: COOKIE_NAME,
  default: DEFAULT_NAME,
  example: 'route',
  needs: 'affinity',
};

const PATH: AnnotationKey<string> = {
  name: 'session-cookie-path',
  summary: 'Path of the cookie. Needed where paths are regular expressions, which browsers don’t understand.',
  kind: text({
    name: 'cookie path',
    grammar: 'a path: letters, digits and - . _ ~ / : ? & =',
    pattern: /^[A-Za-z0-9\-._~/:?&=]+$/,
    longest: 1024,
  }),
  default: 'the path of the route',
  example: '/',
  needs: 'affinity',
};

const DOMAIN: AnnotationKey<string> = {
  name: 'session-cookie-domain',
  summary: 'Domain of the cookie.',
  kind: text({
    name: 'domain',
    grammar: 'a domain name',
    pattern: /^\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/,
    longest: 253,
  }),
  default: 'the host only',
  example: 'example.com',
  needs: 'affinity',
};

const MAX_AGE: AnnotationKey<number> = {
  name: 'session-cookie-max-age',
  summary: 'Seconds until the cookie expires, as Max-Age.',
  kind: integer('the number of seconds', -LONGEST_AGE, LONGEST_AGE),
  default: 'until the browser is closed',
  example: '172800',
  needs: 'affinity',
};

const EXPIRES: AnnotationKey<number> = {
  name: 'session-cookie-expires',
  summary: 'Seconds until the cookie expires, as Expires: for browsers that don’t know Max-Age.',
  kind: integer('the number of seconds', -LONGEST_AGE, LONGEST_AGE),
  default: 'until the browser is closed',
  example: '172800',
  needs: 'affinity',
};

const SAME_SITE: AnnotationKey<'None' | 'Lax' | 'Strict'> = {
  name: 'session-cookie-samesite',
  summary: 'SameSite attribute of the cookie.',
  kind: choice(['None', 'Lax', 'Strict'], { ignoreCase: true }),
  default: 'no attribute',
  example: 'Lax',
  needs: 'affinity',
};

const CONDITIONAL_SAME_SITE_NONE: AnnotationKey<boolean> = {
  name: 'session-cookie-conditional-samesite-none',
  summary: 'Leaves `SameSite=None` out for browsers that misread it.',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  needs: 'session-cookie-samesite',
};

const SECURE: AnnotationKey<boolean> = {
  name: 'session-cookie-secure',
  summary: 'Secure attribute of the cookie, whatever the scheme of the request.',
  kind: BOOLEAN,
  default: 'true for requests by HTTPS',
  example: 'true',
  needs: 'affinity',
};

const CHANGE_ON_FAILURE: AnnotationKey<boolean> = {
  name: 'session-cookie-change-on-failure',
  summary: 'Gives the client a new cookie when its endpoint failed.',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  needs: 'affinity',
};

export const SESSION_AFFINITY: AnnotationFamily = {
  title: 'Session affinity',
  keys: [
    AFFINITY,
    MODE,
    AFFINITY_CANARY_BEHAVIOR,
    NAME,
    PATH,
    DOMAIN,
    MAX_AGE,
    EXPIRES,
    SAME_SITE,
    CONDITIONAL_SAME_SITE_NONE,
    SECURE,
    CHANGE_ON_FAILURE,
  ],
  onCanary: true,
  apply(read, settings) {
    // Every key is read, so that invalid values are reported even where there is no affinity.
    const enabled = read.value(AFFINITY) === 'cookie';
    read.value(AFFINITY_CANARY_BEHAVIOR);
    const affinity: SessionAffinity = {
      kind: 'cookie',
      name: read.value(NAME) ?? DEFAULT_NAME,
      mode: read.value(MODE) ?? 'balanced',
      ...defined({
        path: read.value(PATH),
        domain: read.value(DOMAIN),
        maxAgeSeconds: read.value(MAX_AGE),
        expiresSeconds: read.value(EXPIRES),
        sameSite: read.value(SAME_SITE),
        conditionalSameSiteNone: read.value(CONDITIONAL_SAME_SITE_NONE),
        secure: read.value(SECURE),
      }),
      changeOnFailure: read.value(CHANGE_ON_FAILURE) ?? false,
    };
    if (enabled) settings.affinity = affinity;
  },
};

/** The fields that have a value: absent ones may not be there at all. */
function defined<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
