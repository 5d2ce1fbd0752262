import { ANNOTATION_FINDINGS } from '../../../../diagnostics/annotations.ts';
import { isHostname } from '../../../../model/hostname.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import { choice } from '../values/choice.ts';
import { integer } from '../values/integer.ts';
import { SECRET_NAME } from '../values/secret-name.ts';
import { text, textProblem } from '../values/text.ts';
import { invalid, valid, type ValueKind } from '../values/value-kind.ts';

const VERSIONS = ['SSLv2', 'SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
/** ingress-nginx sets it where nobody does. */
const DEFAULT_DEPTH = 1;

const SECRET: AnnotationKey<string> = {
  name: 'proxy-ssl-secret',
  summary:
    'Secret with what TLS towards the endpoints needs: `tls.crt` and `tls.key`, the certificate that is shown to them; ' +
    '`ca.crt`, the authorities that theirs must come from; or all three.',
  kind: SECRET_NAME,
  default: 'no certificate is shown',
  example: 'shop/backend-tls',
  whenInvalid: 'closed',
  misspelt: 'closes',
  differs:
    'The Secret must be in the namespace of the Ingress, whose name may be left out. Without the Secret, or with one that ' +
    'can not be used, the routes answer 503; the same where `proxy-ssl-verify` is `on` and it has no `ca.crt` ' +
    '(ingress-nginx then verifies nothing). A Secret that changes costs one reload.',
};

const VERIFY: AnnotationKey<'on' | 'off'> = {
  name: 'proxy-ssl-verify',
  summary:
    'Whether the endpoint’s certificate is verified: against `ca.crt` of `proxy-ssl-secret`, for `proxy-ssl-name`.',
  kind: choice(['on', 'off']),
  default: 'off',
  example: 'on',
  whenInvalid: 'closed',
  misspelt: 'closes',
  differs:
    '`on` without `proxy-ssl-secret` or without `proxy-ssl-name` closes the routes with 503. Of these, ingress-nginx ' +
    'serves the first without any verification, and verifies a name of its own in the second, which no certificate has.',
};

const DEPTH: AnnotationKey<number> = {
  name: 'proxy-ssl-verify-depth',
  summary: 'The most certificates between the endpoint’s own and the authority’s.',
  kind: integer('depth', 0, 100),
  default: String(DEFAULT_DEPTH),
  example: '2',
  misspelt: 'closes',
};

const NAME: AnnotationKey<string> = {
  name: 'proxy-ssl-name',
  summary: 'Name that the endpoint’s certificate must have, and that `proxy-ssl-server-name` sends.',
  kind: hostname(),
  default: 'none',
  example: 'web.internal.example',
  whenInvalid: 'closed',
  misspelt: 'closes',
  differs: 'Counts without `proxy-ssl-secret` too. An IP address is refused: nginx can verify and send DNS names only.',
};

const SERVER_NAME: AnnotationKey<'on' | 'off'> = {
  name: 'proxy-ssl-server-name',
  summary: 'Whether `proxy-ssl-name` is sent to the endpoint (SNI).',
  kind: choice(['on', 'off']),
  default: 'off',
  example: 'on',
  misspelt: 'ignored',
  needs: NAME.name,
  differs:
    'Counts without `proxy-ssl-secret` too. Without `proxy-ssl-name` nothing is sent; ingress-nginx sends a name of its own.',
};

const CIPHERS: AnnotationKey<string> = {
  name: 'proxy-ssl-ciphers',
  summary: 'Ciphers of TLS 1.2 and before that endpoints are offered, as OpenSSL lists them.',
  kind: text({
    name: 'ciphers',
    grammar: 'a list of ciphers as OpenSSL writes it: letters, digits and + : _ - ! @ =',
    pattern: /^[A-Za-z0-9+:_!@=-]+$/,
    longest: 2048,
  }),
  default: 'DEFAULT',
  example: 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256',
  misspelt: 'ignored',
  differs: 'Counts without `proxy-ssl-secret` too. A list that OpenSSL refuses closes the routes with 503.',
};

const PROTOCOLS: AnnotationKey<readonly string[]> = {
  name: 'proxy-ssl-protocols',
  summary: 'Versions of TLS that endpoints are offered.',
  kind: versions(),
  default: 'TLSv1.2 TLSv1.3',
  example: 'TLSv1.3',
  misspelt: 'ignored',
  differs:
    'Counts without `proxy-ssl-secret` too. The default of ingress-nginx is `TLSv1.2` alone. What the OpenSSL of nginx is built without is not offered.',
};

const KEYS = [SECRET, VERIFY, DEPTH, NAME, SERVER_NAME, CIPHERS, PROTOCOLS];

export const PROXY_SSL: AnnotationFamily = {
  title: 'TLS towards the backend',
  keys: KEYS,
  onCanary: false,
  apply(read, settings) {
    const protocol = settings.backendProtocol;
    if (protocol !== 'https' && protocol !== 'grpcs') {
      // Another key has closed the routes where it is about a protocol that isn't served.
      if (settings.closed === undefined) reportWithoutTls(read);
      return;
    }
    const verify = read.value(VERIFY) === 'on';
    const secret = read.value(SECRET);
    const serverName = read.value(NAME);
    const depth = read.value(DEPTH);
    const ciphers = read.value(CIPHERS);
    const protocols = read.value(PROTOCOLS);
    if (verify) closeUnverifiable(read, secret, serverName);
    else if (read.has(DEPTH.name)) reportIdle(read, DEPTH.name, VERIFY.name);
    const sendServerName = serverName !== undefined && read.value(SERVER_NAME) === 'on';
    // What says no more than the protocol alone makes no backend of its own.
    if (!verify && !sendServerName && secret === undefined && protocols === undefined && ciphers === undefined) return;
    settings.backendTls = {
      ...(secret === undefined ? {} : { secret: { name: secret, field: read.field(SECRET.name) } }),
      verify,
      ...(serverName === undefined ? {} : { serverName }),
      sendServerName,
      ...(verify ? { depth: depth ?? DEFAULT_DEPTH } : {}),
      ...(protocols === undefined ? {} : { protocols: [...protocols] }),
      ...(ciphers === undefined ? {} : { ciphers }),
    };
  },
};

/** An invalid one has closed the routes, and said so. */
function closeUnverifiable(read: AnnotationReader, secret: string | undefined, name: string | undefined): void {
  for (const [key, value, what] of [
    [SECRET, secret, 'authorities to verify by'],
    [NAME, name, 'a name to verify'],
  ] as const) {
    if (value !== undefined || read.invalid(key)) continue;
    read.report(
      VERIFY.name,
      ANNOTATION_FINDINGS.valueNotServable,
      `The endpoint’s certificate is to be verified, and there is no ${key.name}, so no ${what.replace(/^a /u, '')}: the routes answer 503.`,
      `Add ${key.name}, or write "off".`,
    );
    read.close(VERIFY.name);
  }
}

function reportWithoutTls(read: AnnotationReader): void {
  for (const key of KEYS) {
    const off = (key === VERIFY || key === SERVER_NAME) && read.value(key) === 'off';
    if (read.has(key.name) && !off && !read.invalid(key))
      reportIdle(read, key.name, 'backend-protocol: HTTPS or GRPCS');
  }
}

function reportIdle(read: AnnotationReader, name: string, needed: string): void {
  const message = `${name} has no effect without ${needed}.`;
  read.report(name, ANNOTATION_FINDINGS.needsAnother, message, `Add ${needed}, or remove the annotation.`);
}

function hostname(): ValueKind<string> {
  const grammar = 'a DNS name without wildcard';
  return {
    name: 'host name',
    grammar,
    parse(written) {
      const name = written.length > 1024 ? '' : written.trim().toLowerCase();
      const usable = isHostname(name) && !name.includes('*') && !/^[0-9.]+$/.test(name);
      return usable ? valid(name) : invalid(textProblem(written.slice(0, 1024), { grammar }));
    },
  };
}

function versions(): ValueKind<readonly string[]> {
  const list = VERSIONS.join(', ');
  return {
    name: 'TLS versions',
    grammar: `one or several of ${list}, with spaces between them`,
    parse(written) {
      const words = written.length > 1024 ? [''] : written.trim().split(/ +/);
      const unknown = words.find((word) => !VERSIONS.some((version) => version === word));
      // In one order: how they are written makes no difference.
      if (unknown === undefined) return valid(VERSIONS.filter((version) => words.includes(version)));
      return invalid(`is not a list of TLS versions (${list})`);
    },
  };
}
