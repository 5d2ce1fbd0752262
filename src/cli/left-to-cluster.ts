import { finding } from '../diagnostics/catalogue.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../diagnostics/ingress.ts';
import { SOURCE_FINDINGS } from '../diagnostics/sources.ts';
import { TLS_FINDINGS } from '../diagnostics/tls.ts';

/** What a cluster makes, and the findings that its absence leads to. */
const MADE = [
  {
    kinds: ['EndpointSlice', 'Endpoints'],
    codes: [INGRESS_FINDINGS.noEndpoints.code],
    named: 'EndpointSlice or Endpoints',
  },
  {
    kinds: ['Secret'],
    codes: [
      TLS_FINDINGS.secretNotFound.code,
      TLS_FINDINGS.backendSecretNotFound.code,
      TLS_FINDINGS.clientSecretNotFound.code,
    ],
    named: 'Secret',
  },
] as const;

/**
 * Manifests in a repository rarely hold what the cluster makes: EndpointSlices, and certificates that somebody there
 * orders. Of a kind of which there is no object at all nothing is said to be missing; one finding says so instead.
 * `kinds`: those of which there is an object.
 */
export function leaveToCluster(findings: readonly Finding[], kinds: ReadonlySet<string>): readonly Finding[] {
  const absent = MADE.filter((made) => !made.kinds.some((kind) => kinds.has(kind)));
  const said = new Set(findings.map(({ code }) => code));
  const left = absent.filter(({ codes }) => codes.some((code) => said.has(code)));
  if (left.length === 0) return findings;
  const missing = new Set<string>(left.flatMap(({ codes }) => codes));
  const kept = findings.filter(({ code }) => !missing.has(code));
  const named = left.map((made) => `no ${made.named}`).join(' and ');
  const codes = [...missing].filter((code) => said.has(code)).join(' and ');
  const message = `There is ${named} among the manifests: taken to be made in the cluster, so ${codes} (${findings.length - kept.length}) is left out.`;
  return [...kept, finding(SOURCE_FINDINGS.leftToCluster, MANIFESTS, message)];
}

const MANIFESTS = { object: { kind: 'Configuration', namespace: '', name: 'weir' }, field: 'filename' };
