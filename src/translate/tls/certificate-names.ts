import type { X509Certificate } from 'node:crypto';

/** DNS names (lower case) and addresses of a certificate; of one without any, the common name, as older ones have it. */
export function certificateNames(certificate: X509Certificate): readonly string[] {
  const names: string[] = [];
  // Node writes an alternative name that holds unusual characters in quotes; such a one is no host's name.
  for (const part of (certificate.subjectAltName ?? '').split(', ')) {
    const [, kind, value] = /^(DNS|IP Address):([^"]+)$/.exec(part) ?? [];
    if (value !== undefined) names.push(kind === 'DNS' ? value.toLowerCase() : value);
  }
  if (certificate.subjectAltName !== undefined) return names;
  const common = /^CN=(.+)$/m.exec(certificate.subject ?? '')?.[1];
  return common === undefined ? [] : [common.toLowerCase()];
}

/** Whether a certificate with these names is right for the host; `*.a.example` needs that very name (RFC 9525, 6.3). */
export function namesCover(names: readonly string[], hostname: string): boolean {
  if (names.includes(hostname)) return true;
  const dot = hostname.indexOf('.');
  return dot > 0 && !hostname.startsWith('*.') && names.includes(`*${hostname.slice(dot)}`);
}
