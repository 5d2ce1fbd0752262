import { ANNOTATION_FINDINGS } from '../../../../diagnostics/annotations.ts';
import { pcreProblem } from '../../../../lib/pcre.ts';
import type { ClientCertificatePolicy } from '../../../../model/client-certificate.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import { ABSOLUTE_URL } from '../values/absolute-url.ts';
import { BOOLEAN } from '../values/boolean.ts';
import { choice } from '../values/choice.ts';
import { integer } from '../values/integer.ts';
import { SECRET_NAME } from '../values/secret-name.ts';
import { hasControlCharacter } from '../values/text.ts';
import { invalid, valid, type ValueKind } from '../values/value-kind.ts';

/** ingress-nginx sets it where nobody does, and in the place of 0. */
const DEFAULT_DEPTH = 1;

const SECRET: AnnotationKey<string> = {
  name: 'auth-tls-secret',
  summary:
    'Secret with the authorities that clients’ certificates must come from: `ca.crt`, and in `ca.crl` what they have ' +
    'revoked. Asks every client of the hosts for a certificate, whichever Ingress its path is of.',
  kind: SECRET_NAME,
  default: 'nobody is asked for a certificate',
  example: 'shop/client-authorities',
  whenInvalid: 'closed',
  restricts: () => true,
  differs:
    'The Secret must be in the namespace of the Ingress, whose name may be left out. Where it is missing or can not be ' +
    'used, the hosts answer 503. Of several Ingresses of a host the oldest decides, as in ingress-nginx; the routes of one ' +
    'that asks for something else answer 503. Plain HTTP is redirected to HTTPS or, where `ssl-redirect` is `false` or the ' +
    'host has no TLS section, refused with 403: ingress-nginx serves it to everybody. Changes need no reload.',
};

const VERIFY: AnnotationKey<'on' | 'off' | 'optional' | 'optional_no_ca'> = {
  name: 'auth-tls-verify-client',
  summary:
    '`on`: no request without a valid certificate, others get 400. `optional`: also without any. `optional_no_ca`: also ' +
    'with one of another authority. `off`: nobody is asked. The backend is told the outcome in `ssl-client-verify`.',
  kind: choice(['on', 'off', 'optional', 'optional_no_ca']),
  default: 'on',
  example: 'optional',
  whenInvalid: 'closed',
  restricts: (text) => !['off', ''].includes(text.trim()),
  differs: 'Without `auth-tls-secret`, and not `off`, the routes answer 503; ingress-nginx serves them to everybody.',
};

const DEPTH: AnnotationKey<number> = {
  name: 'auth-tls-verify-depth',
  summary: 'The most certificates between the client’s own and the authority’s; `0` means the default.',
  kind: integer('depth', 0, 100),
  default: String(DEFAULT_DEPTH),
  example: '2',
  misspelt: 'closes',
  needs: SECRET.name,
};

const MATCH_CN: AnnotationKey<string> = {
  name: 'auth-tls-match-cn',
  summary: 'Regular expression that must be found in the subject of the client’s certificate; others get 403.',
  kind: subjectPattern(),
  default: 'any subject',
  example: 'CN=(alice|bob)$',
  whenInvalid: 'closed',
  restricts: () => true,
  differs:
    'Begins with `CN=`, and is found anywhere in the subject (RFC 2253: `CN=alice,O=Shop`), so that `CN=al` is right for ' +
    '`CN=alice` too. Without `auth-tls-secret` the routes answer 503.',
};

const ERROR_PAGE: AnnotationKey<string> = {
  name: 'auth-tls-error-page',
  summary: 'Where those are sent, with 302, whose certificate is missing or not accepted.',
  kind: ABSOLUTE_URL,
  default: 'an error page with 400',
  example: 'https://shop.example/certificates',
  misspelt: 'ignored',
  needs: SECRET.name,
  differs: 'A path of the same host is refused: nobody could see it without a certificate.',
};

const PASS: AnnotationKey<boolean> = {
  name: 'auth-tls-pass-certificate-to-upstream',
  summary: 'Whether the backend gets the certificate, in `ssl-client-cert` (PEM, URL-encoded).',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  misspelt: 'ignored',
  differs:
    'With or without it the backend gets `ssl-client-verify`, `ssl-client-subject-dn` and `ssl-client-issuer-dn`. What ' +
    'clients themselves send under these names never reaches a backend, whatever the host.',
};

const MODES = { on: 'require', optional: 'optional', optional_no_ca: 'optional-no-ca' } as const satisfies Record<
  string,
  ClientCertificatePolicy['mode']
>;

export const AUTH_TLS: AnnotationFamily = {
  title: 'Client certificates',
  keys: [SECRET, VERIFY, DEPTH, MATCH_CN, ERROR_PAGE, PASS],
  onCanary: false,
  apply(read, settings) {
    const verify = read.value(VERIFY) ?? 'on';
    const secret = read.value(SECRET);
    const depth = read.value(DEPTH) ?? DEFAULT_DEPTH;
    const subjectPattern = read.value(MATCH_CN);
    const errorUrl = read.value(ERROR_PAGE);
    const pass = read.value(PASS);
    if (read.invalid(SECRET) || read.invalid(VERIFY) || read.invalid(MATCH_CN) || verify === 'off') return;
    if (secret === undefined) {
      closeWithoutSecret(read);
      return;
    }
    settings.clientCertificate = {
      secret: { name: secret, field: read.field(SECRET.name) },
      mode: MODES[verify],
      depth: depth === 0 ? DEFAULT_DEPTH : depth,
      ...(subjectPattern === undefined ? {} : { subjectPattern }),
      ...(errorUrl === undefined ? {} : { errorUrl }),
      ...(pass === true ? { passToBackend: true } : {}),
    };
  },
};

function closeWithoutSecret(read: AnnotationReader): void {
  const key = [VERIFY, MATCH_CN].find(({ name }) => read.has(name));
  if (key === undefined) {
    if (read.value(PASS) !== true) return;
    const message = `${PASS.name} has no effect without ${SECRET.name}.`;
    read.report(PASS.name, ANNOTATION_FINDINGS.needsAnother, message, `Add ${SECRET.name}, or remove the annotation.`);
    return;
  }
  read.report(
    key.name,
    ANNOTATION_FINDINGS.valueNotServable,
    `${key.name} asks for client certificates, and there is no ${SECRET.name} to verify them by: the routes answer 503.`,
    `Add ${SECRET.name}${key === VERIFY ? ', or write "off"' : ', or remove the annotation'}.`,
  );
  read.close(key.name);
}

/** As ingress-nginx takes it: the subject must at least be told by its common name. */
function subjectPattern(): ValueKind<string> {
  const longest = 2048;
  return {
    name: 'subject pattern',
    grammar: 'a regular expression (PCRE) that begins with CN=',
    parse(text) {
      if (text.length > longest) return invalid(`is longer than ${longest} characters`);
      const pattern = text.trim();
      if (hasControlCharacter(pattern)) return invalid('holds a line break or another control character');
      if (!/^\^?CN=./u.test(pattern)) return invalid('does not begin with CN=');
      const problem = pcreProblem(pattern);
      return problem === undefined ? valid(pattern) : invalid(`is not a regular expression: ${problem}`);
    },
  };
}
