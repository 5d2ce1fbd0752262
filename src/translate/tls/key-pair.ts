/**
 * Reads the certificate and key of a Secret. What a TLS library would choke on, or a client refuse, is a problem that
 * is told here; nothing of the key ever stands in one.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { CatalogueEntry } from '../../diagnostics/catalogue.ts';
import { TLS_FINDINGS } from '../../diagnostics/tls.ts';
import { Redacted } from '../../lib/redacted.ts';
import type { Certificate } from '../../model/certificate.ts';
import type { SecretObject } from '../../snapshot/kinds/secret.ts';
import { headKey, originOf } from '../../snapshot/object-head.ts';
import { certificateNames } from './certificate-names.ts';

export interface KeyPairProblem {
  readonly entry: CatalogueEntry;
  /** `data["tls.crt"]`, or '' for the whole Secret. */
  readonly field: string;
  readonly message: string;
}

/** `certificate` is absent where a problem makes the pair useless. */
export interface KeyPair {
  readonly certificate?: Certificate;
  readonly problems: readonly KeyPairProblem[];
}

const CERTIFICATE_FIELD = 'data["tls.crt"]';
const KEY_FIELD = 'data["tls.key"]';
const PEM_CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;
/** OpenSSL's security level 2, the default of Debian, refuses less. */
const LEAST_RSA_BITS = 2048;
/** P-256, P-384 and P-521, the only ones with a signature algorithm of TLS 1.3 that clients know (RFC 8446, 4.2.3). */
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

export function readKeyPair(secret: SecretObject): KeyPair {
  if (secret.certificate === undefined || secret.privateKey === undefined) {
    const missing = secret.certificate === undefined ? 'tls.crt' : 'tls.key';
    return refused(TLS_FINDINGS.keyPairIncomplete, '', `The Secret has no entry ${missing}.`);
  }
  const certificates = readCertificates(secret.certificate.reveal());
  if (certificates === undefined) {
    return refused(
      TLS_FINDINGS.certificateUnreadable,
      CERTIFICATE_FIELD,
      'tls.crt holds no PEM certificate that can be read.',
    );
  }
  const key = readPrivateKey(secret.privateKey.reveal());
  if (key === undefined) {
    return refused(TLS_FINDINGS.privateKeyUnreadable, KEY_FIELD, 'tls.key holds no PEM private key that can be read.');
  }
  const leaf = certificates.find((certificate) => certificate.checkPrivateKey(key));
  if (leaf === undefined) {
    const subject = certificates[0]!.subject?.replaceAll('\n', ', ') ?? 'no subject';
    return refused(
      TLS_FINDINGS.keyMismatch,
      KEY_FIELD,
      `tls.key is not the key of the certificate in tls.crt (${subject}).`,
    );
  }
  const keyType = keyTypeOf(key);
  if (keyType === undefined) {
    return refused(TLS_FINDINGS.keyTypeUnsupported, KEY_FIELD, `The key is ${keyText(key)}.`);
  }
  const chain = orderChain(leaf, certificates);
  return {
    certificate: {
      id: headKey(secret),
      chain: chain.certificates.map((certificate) => certificate.toString()).join(''),
      privateKey: new Redacted(key.export({ type: 'pkcs8', format: 'pem' }) as string),
      keyType,
      names: [...certificateNames(leaf)],
      notBefore: leaf.validFromDate.toISOString().replace('.000Z', 'Z'),
      notAfter: leaf.validToDate.toISOString().replace('.000Z', 'Z'),
      fingerprint: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
      origin: originOf(secret, ''),
    },
    problems: chain.inOrder
      ? []
      : [
          {
            entry: TLS_FINDINGS.chainOrder,
            field: CERTIFICATE_FIELD,
            message: 'The certificates in tls.crt are not in the order of the chain.',
          },
        ],
  };
}

function refused(entry: CatalogueEntry, field: string, message: string): KeyPair {
  return { problems: [{ entry, field, message }] };
}

function readCertificates(pem: string): [X509Certificate, ...X509Certificate[]] | undefined {
  try {
    const [first, ...rest] = (pem.match(PEM_CERTIFICATE) ?? []).map((block) => new X509Certificate(block));
    return first === undefined ? undefined : [first, ...rest];
  } catch {
    return undefined;
  }
}

function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function keyTypeOf(key: KeyObject): Certificate['keyType'] | undefined {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_RSA_BITS ? 'rsa' : undefined;
    case 'ec':
      return CURVES.has(key.asymmetricKeyDetails?.namedCurve ?? '') ? 'ec' : undefined;
    case 'ed25519':
      return 'ed25519';
    default:
      return undefined;
  }
}

function keyText({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  const { modulusLength, namedCurve } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'ec')
    return `EC on ${namedCurve === undefined ? 'a curve without name' : `curve ${namedCurve}`}`;
  return `${asymmetricKeyType ?? 'unknown'}${modulusLength === undefined ? '' : ` of ${modulusLength} bits`}`;
}

interface Chain {
  readonly certificates: readonly X509Certificate[];
  readonly inOrder: boolean;
}

/** From the leaf by issuers; what leads nowhere is left out. */
function orderChain(leaf: X509Certificate, given: readonly X509Certificate[]): Chain {
  if (given.length === 1) return { certificates: [leaf], inOrder: true };
  const certificates = [leaf];
  const rest = new Set(given.filter((certificate) => certificate !== leaf));
  let last = leaf;
  for (;;) {
    const issuer =
      last.issuer === last.subject ? undefined : [...rest].find((candidate) => last.checkIssued(candidate));
    if (issuer === undefined) break;
    rest.delete(issuer);
    certificates.push(issuer);
    last = issuer;
  }
  const inOrder = rest.size === 0 && given.every((certificate, index) => certificate === certificates[index]);
  return { certificates, inOrder };
}
