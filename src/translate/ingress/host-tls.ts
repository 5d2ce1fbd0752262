/**
 * The certificates of a host.
 *
 * The oldest Ingress with a TLS section for the host decides. An entry is for a host that it lists, exactly or by
 * wildcard; failing that, for one that its certificate covers. An entry without hosts is for all of them.
 */
import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { TLS_FINDINGS } from '../../diagnostics/tls.ts';
import type { HostTls } from '../../model/virtual-host.ts';
import { objectKey, originOf } from '../../snapshot/object-head.ts';
import { namesCover } from '../tls/certificate-names.ts';
import type { CertificateState } from '../tls/certificate-table.ts';
import { ANY_HOST, type ServedIngress } from './served-ingress.ts';

/** What `buildHostTls` asks about Secrets. */
export type CertificateLookup = (secretKey: string) => CertificateState;

export interface HostTlsOutcome {
  readonly tls?: HostTls;
  /** Secrets that were looked at. */
  readonly secrets: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

interface Entry {
  readonly index: number;
  readonly secretKey: string | undefined;
}

/** `ingresses`: the main Ingresses of the host, oldest first. */
export function buildHostTls(
  hostname: string,
  ingresses: readonly ServedIngress[],
  lookup: CertificateLookup,
  hasDefaultCertificate: boolean,
): HostTlsOutcome {
  const secrets = new Set<string>();
  const findings: Finding[] = [];
  const state = (key: string) => {
    secrets.add(key);
    return lookup(key);
  };
  let decider: ServedIngress | undefined;
  let decided: readonly Entry[] = [];
  for (const ingress of ingresses) {
    const entries = entriesFor(hostname, ingress, state);
    if (entries.length === 0) continue;
    if (decider === undefined) {
      decider = ingress;
      decided = entries;
      continue;
    }
    for (const { index, secretKey } of entries) {
      if (decided.some((entry) => entry.secretKey === secretKey)) continue;
      const message = `TLS of host ${hostname} is decided by Ingress ${decider.key}, which is older or comes first by name; this section has no effect for it.`;
      findings.push(finding(TLS_FINDINGS.tlsConflict, originOf(ingress.object, `spec.tls[${index}]`), message));
    }
  }
  if (decider === undefined) return { secrets, findings };
  // Whoever has a rule without host would else choose the certificate of every name that nobody knows.
  const own = hostname === ANY_HOST && hasDefaultCertificate ? [] : decided;
  const certificates = chooseCertificates(hostname, decider, own, state, findings);
  return { tls: { certificates: [...certificates] }, secrets, findings };
}

function entriesFor(hostname: string, ingress: ServedIngress, state: CertificateLookup): readonly Entry[] {
  const { tls, ref } = ingress.object;
  const all = tls.map(({ hosts = [], secretName = '' }, index) => ({
    index,
    hosts: hosts.map((host) => host.toLowerCase()),
    secretKey: secretName === '' ? undefined : objectKey(ref.namespace, secretName),
  }));
  const listed = all.filter(({ hosts }) => hostname !== ANY_HOST && namesCover(hosts, hostname));
  if (listed.length > 0) return listed;
  if (hostname !== ANY_HOST) {
    const covering = all.filter(
      ({ secretKey }) => secretKey !== undefined && namesCover(state(secretKey).usable?.names ?? [], hostname),
    );
    if (covering.length > 0) return covering;
  }
  return all.filter(({ hosts }) => hosts.length === 0);
}

function chooseCertificates(
  hostname: string,
  ingress: ServedIngress,
  entries: readonly Entry[],
  state: CertificateLookup,
  findings: Finding[],
): readonly string[] {
  const byType = new Map<string, string>();
  for (const { index, secretKey } of entries) {
    // No Secret: the default certificate is what is asked for.
    if (secretKey === undefined) continue;
    const origin = originOf(ingress.object, `spec.tls[${index}].secretName`);
    const { usable, problems, exists, refused, id } = state(secretKey);
    if (!exists) {
      const what = refused === true ? 'exists but has the wrong shape' : 'does not exist';
      const message = `Secret ${secretKey} ${what}; the default certificate is used.`;
      const fix = refused === true ? 'Correct the Secret; a finding of its own says where.' : undefined;
      findings.push(finding(TLS_FINDINGS.secretNotFound, origin, message, fix));
      continue;
    }
    for (const { entry, message } of problems) {
      const meanwhile = usable === undefined ? ' The default certificate is used.' : '';
      findings.push(finding(entry, origin, `Secret ${secretKey}: ${message}${meanwhile}`));
    }
    if (usable === undefined) continue;
    if (hostname !== ANY_HOST && !namesCover(usable.names, hostname)) {
      const names = usable.names.slice(0, 10).join(', ') || 'none';
      const message = `The certificate in Secret ${secretKey} does not cover host ${hostname} (its names: ${names}); the default certificate is used for it.`;
      findings.push(finding(TLS_FINDINGS.nameNotCovered, origin, message));
      continue;
    }
    const first = byType.get(usable.keyType);
    if (first === undefined) byType.set(usable.keyType, id);
    else if (first !== id) {
      const message = `Host ${hostname} already has a certificate of type ${usable.keyType}, in Secret ${first}; this one is not used.`;
      findings.push(finding(TLS_FINDINGS.secondOfType, origin, message));
    }
  }
  return [...byType.values()];
}
