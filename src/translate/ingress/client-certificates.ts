/**
 * The client certificates that a host asks for. The oldest Ingress that asks for some decides, for all paths of the host,
 * because it is settled before anybody knows the path. Whoever of the others asks for something else isn't served.
 */
import { type CatalogueEntry, finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { TLS_FINDINGS } from '../../diagnostics/tls.ts';
import { readCertificateBundle } from '../../lib/certificate-bundle.ts';
import { missingRoot } from '../../lib/missing-root.ts';
import type { ClientCertificatePolicy } from '../../model/client-certificate.ts';
import { equalParts } from '../../model/equality.ts';
import { objectKey, originOf } from '../../snapshot/object-head.ts';
import { secretRef } from '../tls/secret-ref.ts';
import type { CertificateLookup } from './host-tls.ts';
import type { ServedIngress } from './served-ingress.ts';
import type { ClientCertificateSettings } from './settings.ts';

export interface ClientCertificatesOutcome {
  readonly policy?: ClientCertificatePolicy;
  /** Why the whole host answers 503, for people. */
  readonly refused?: string;
  /** Ingresses whose routes answer 503, because another decides otherwise. */
  readonly overruled: ReadonlySet<string>;
  /** Secrets that were looked at: never one of another namespace, which is refused by its name alone. */
  readonly secrets: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

/** `ingresses`: the main Ingresses of the host, oldest first. */
export function buildClientCertificates(
  hostname: string,
  ingresses: readonly ServedIngress[],
  lookup: CertificateLookup,
): ClientCertificatesOutcome {
  const [decider, ...others] = ingresses.filter(({ settings }) => settings.clientCertificate !== undefined);
  if (decider === undefined) return NOTHING;
  const { clientCertificate: settings } = decider.settings;
  const secrets = new Set(isOwn(decider) ? [secretKeyOf(decider)] : []);
  const findings: Finding[] = [];
  const overruled = new Set<string>();
  for (const other of others) {
    if (asksAlike(decider, other)) continue;
    overruled.add(other.key);
    const message = `The client certificates of host ${hostname} are decided by Ingress ${decider.key}, which is older or comes first by name, and this Ingress asks for others: its routes answer 503.`;
    findings.push(finding(TLS_FINDINGS.clientCertificateConflict, fieldOf(other), message));
  }
  const read = readPolicy(decider, settings!, lookup);
  if ('policy' in read) {
    if (read.doubt !== undefined) {
      findings.push(finding(TLS_FINDINGS.clientRootMissing, fieldOf(decider), `${read.doubt}.`));
    }
    return { policy: read.policy, overruled, secrets, findings };
  }
  const message = `${read.why}; host ${hostname} answers 503.`;
  findings.push(finding(read.entry, fieldOf(decider), message, read.fix));
  return { refused: read.why, overruled, secrets, findings };
}

interface Refusal {
  readonly entry: CatalogueEntry;
  /** Without the full stop at its end. */
  readonly why: string;
  readonly fix?: string;
}

function readPolicy(
  { object }: ServedIngress,
  { secret, ...asked }: ClientCertificateSettings,
  lookup: CertificateLookup,
): { readonly policy: ClientCertificatePolicy; readonly doubt?: string } | Refusal {
  const { namespace } = object.ref;
  const key = fullName(namespace, secret.name);
  const refuse = (why: string, fix?: string, entry: CatalogueEntry = TLS_FINDINGS.clientAuthorities): Refusal => ({
    entry,
    why: `Secret ${key} ${why}`,
    ...(fix === undefined ? {} : { fix }),
  });
  if (!isOfNamespace(key, namespace)) {
    return refuse('is in another namespace than the Ingress', `Put the Secret into namespace ${namespace}.`);
  }
  const { exists, refused, authorities, revocations } = lookup(key);
  if (!exists) {
    if (refused === true) return refuse('has the wrong shape', 'Correct the Secret; a finding of its own says where.');
    return refuse('does not exist', undefined, TLS_FINDINGS.clientSecretNotFound);
  }
  if (authorities === undefined) return refuse('has no entry ca.crt');
  const bundle = readCertificateBundle(authorities);
  if (typeof bundle === 'string') return refuse(`has an entry ca.crt that ${bundle}`);
  if (revocations !== undefined && !/-----BEGIN X509 CRL-----/u.test(revocations)) {
    return refuse('has an entry ca.crl that holds no PEM revocation list', 'Correct the list, or remove the entry.');
  }
  const missing = asked.mode === 'optional-no-ca' ? undefined : missingRoot(bundle.certificates);
  return {
    ...(missing === undefined
      ? {}
      : { doubt: `Secret ${key} has an entry ca.crt that ${missing}: no certificate of a client can be good` }),
    policy: {
      ...asked,
      authorities: bundle.pem,
      authoritiesFrom: secretRef(key),
      ...(revocations === undefined ? {} : { revocations }),
    },
  };
}

/** Where the Secret is the same, what they ask for is compared, not what it holds. */
function asksAlike(a: ServedIngress, b: ServedIngress): boolean {
  const asked = ({ settings }: ServedIngress) => ({ ...settings.clientCertificate, secret: undefined });
  return secretKeyOf(a) === secretKeyOf(b) && equalParts(asked(a), asked(b));
}

function isOwn(ingress: ServedIngress): boolean {
  return isOfNamespace(secretKeyOf(ingress), ingress.object.ref.namespace);
}

function isOfNamespace(secretKey: string, namespace: string): boolean {
  return secretKey.startsWith(`${namespace}/`);
}

function secretKeyOf({ object, settings }: ServedIngress): string {
  return fullName(object.ref.namespace, settings.clientCertificate?.secret.name ?? '');
}

function fullName(namespace: string, name: string): string {
  return name.includes('/') ? name : objectKey(namespace, name);
}

function fieldOf({ object, settings }: ServedIngress) {
  return originOf(object, settings.clientCertificate?.secret.field ?? '');
}

const NONE: ReadonlySet<string> = new Set();
const NOTHING: ClientCertificatesOutcome = { overruled: NONE, secrets: NONE, findings: [] };
