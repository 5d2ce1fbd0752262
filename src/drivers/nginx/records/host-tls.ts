import { finding } from '../../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../../diagnostics/drivers.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import type { ClientCertificatePolicy } from '../../../model/client-certificate.ts';
import type { VirtualHost } from '../../../model/virtual-host.ts';
import type { HostRecord } from '../wire.ts';
import { type AuthorityText, readAuthorities } from './authority-record.ts';
import { policyHash, renderClientCertificate } from './client-certificate-record.ts';
import { patternKey, type Pattern } from './pattern.ts';

export interface RenderedTls {
  readonly record: Pick<HostRecord, 'policy' | 'clientCertificate'>;
  readonly authority?: AuthorityText;
  readonly patterns: readonly Pattern[];
  readonly findings: readonly Finding[];
  /** Why every route of the host answers 503. */
  readonly closed?: string;
}

/** What a host's TLS settings mean to its requests. Client certificates that can't be verified as asked close it. */
export function renderHostTls(host: VirtualHost, rejectedPatterns: ReadonlyMap<string, string>): RenderedTls {
  const { tls } = host;
  if (tls === undefined) return NOTHING;
  const findings: Finding[] = [];
  if (tls.protocols !== undefined || tls.ciphers !== undefined || tls.preferServerCiphers !== undefined) {
    const message = `nginx can not set TLS protocols or ciphers of host ${host.hostname} alone yet; it is served without.`;
    findings.push(...host.origins.map((origin) => finding(DRIVER_FINDINGS.settingLeftOut, origin, message)));
  }
  const { clientCertificate } = tls;
  if (clientCertificate === undefined) return { ...NOTHING, findings };
  const patterns = patternsOf(clientCertificate);
  const close = (why: string): RenderedTls => {
    const message = `The client certificates of host ${host.hostname} can not be verified as asked: ${why}. The host answers 503.`;
    findings.push(...host.origins.map((origin) => finding(DRIVER_FINDINGS.clientCertificate, origin, message)));
    return { record: {}, patterns, findings, closed: 'The client certificates of this host can not be verified.' };
  };
  const authority = readAuthorities(clientCertificate);
  if ('problem' in authority) return close(authority.problem);
  const refused = patterns.map((pattern) => rejectedPatterns.get(patternKey(pattern))).find((why) => why !== undefined);
  if (refused !== undefined) return close(`the expression for the subject does not compile: ${refused.slice(0, 500)}`);
  const record = {
    policy: policyHash({ authority: authority.id, depth: clientCertificate.depth }),
    clientCertificate: renderClientCertificate(clientCertificate, authority.id),
  };
  return { record, authority, patterns, findings };
}

function patternsOf({ subjectPattern }: ClientCertificatePolicy): readonly Pattern[] {
  return subjectPattern === undefined ? [] : [{ pattern: subjectPattern, ignoreCase: false }];
}

const NOTHING: RenderedTls = { record: {}, patterns: [], findings: [] };
