/**
 * TLS towards the backends of an Ingress, with what its Secret holds. Whatever of it can't be used closes the routes:
 * without it they would be served less safely than was asked.
 */
import { type CatalogueEntry, finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { TLS_FINDINGS } from '../../diagnostics/tls.ts';
import { type CertificateBundle, readCertificateBundle } from '../../lib/certificate-bundle.ts';
import { missingRoot } from '../../lib/missing-root.ts';
import type { BackendTls } from '../../model/backend.ts';
import { objectKey, originOf } from '../../snapshot/object-head.ts';
import type { CertificateState } from '../tls/certificate-table.ts';
import { secretRef } from '../tls/secret-ref.ts';
import type { CertificateLookup } from './host-tls.ts';
import type { ServedIngress } from './served-ingress.ts';

export interface BackendTlsOutcome {
  /** Absent: nothing is asked for. */
  readonly tls?: BackendTls;
  /** Why the routes answer 503, for people. */
  readonly refused?: string;
  /** The Secret that was looked at. */
  readonly secretKey?: string;
  readonly findings: readonly Finding[];
}

export function buildBackendTls({ object, settings }: ServedIngress, lookup: CertificateLookup): BackendTlsOutcome {
  if (settings.backendTls === undefined) return { findings: [] };
  const { secret, ...asked } = settings.backendTls;
  if (secret === undefined) return { tls: asked, findings: [] };
  const findings: Finding[] = [];
  const report = (entry: CatalogueEntry, message: string, fix?: string) => {
    findings.push(finding(entry, originOf(object, secret.field), message, fix));
  };
  const refuse = (entry: CatalogueEntry, why: string, fix?: string) => {
    report(entry, `${why}; the routes answer 503.`, fix);
    return { refused: why, findings };
  };
  const { namespace } = object.ref;
  const secretKey = secret.name.includes('/') ? secret.name : objectKey(namespace, secret.name);
  if (!secretKey.startsWith(`${namespace}/`)) {
    const why = `Secret ${secretKey} is in another namespace than the Ingress`;
    return refuse(TLS_FINDINGS.backendSecret, why, `Put the Secret into namespace ${namespace}.`);
  }
  const state = lookup(secretKey);
  const looked = { secretKey };
  if (!state.exists) {
    const why = `Secret ${secretKey} ${state.refused === true ? 'exists but has the wrong shape' : 'does not exist'}`;
    const outcome =
      state.refused === true
        ? refuse(TLS_FINDINGS.backendSecret, why, 'Correct the Secret; a finding of its own says where.')
        : refuse(TLS_FINDINGS.backendSecretNotFound, why);
    return { ...looked, ...outcome };
  }
  const { authorities } = state;
  if (state.usable === undefined && (state.hasPair || authorities === undefined)) {
    const [problem] = state.problems;
    const why = `Secret ${secretKey} can not be used towards the backend: ${problem?.message ?? 'it holds nothing'}`;
    return { ...looked, ...refuse(TLS_FINDINGS.backendSecret, why.replace(/\.$/u, ''), fixOf(state)) };
  }
  const bundle = asked.verify ? readAuthorities(authorities) : undefined;
  if (typeof bundle === 'string') {
    return { ...looked, ...refuse(TLS_FINDINGS.backendAuthorities, `Secret ${secretKey} ${bundle}`) };
  }
  const missing = bundle === undefined ? undefined : missingRoot(bundle.certificates);
  if (missing !== undefined) {
    const what = `Secret ${secretKey} has an entry ca.crt that ${missing}: no certificate of the backend can be good.`;
    report(TLS_FINDINGS.backendRootMissing, what);
  }
  if (state.usable !== undefined) {
    for (const { entry, message } of state.problems) report(entry, `Secret ${secretKey}: ${message}`);
  }
  const tls = {
    ...asked,
    ...(bundle === undefined ? {} : { authorities: bundle.pem, authoritiesFrom: secretRef(secretKey) }),
    ...(state.usable === undefined ? {} : { clientCertificate: state.id }),
  };
  return { ...looked, tls, findings };
}

function readAuthorities(text: string | undefined): CertificateBundle | string {
  if (text === undefined) return 'has no entry ca.crt to verify the backend by';
  const bundle = readCertificateBundle(text);
  return typeof bundle === 'string' ? `has an entry ca.crt that ${bundle}` : bundle;
}

/** What the problem itself advises; of an empty Secret everything is missing. */
function fixOf({ problems, hasPair }: CertificateState): string | undefined {
  return hasPair ? problems[0]?.entry.fix : undefined;
}
