/** What one Ingress asks for, host by host; everything that can be said without looking at another object. */
import { isIP } from 'node:net';
import { ANNOTATION_FINDINGS } from '../../diagnostics/annotations.ts';
import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import { TLS_FINDINGS } from '../../diagnostics/tls.ts';
import { captureCount } from '../../lib/pcre.ts';
import { compareText } from '../../lib/text-order.ts';
import { trimmed } from '../../lib/trimmed.ts';
import { isHostname } from '../../model/hostname.ts';
import { compareAges } from '../../model/order.ts';
import type { Origin } from '../../model/origin.ts';
import type { IngressObject } from '../../snapshot/kinds/ingress.ts';
import { headKey, originOf } from '../../snapshot/object-head.ts';
import { namesCover } from '../tls/certificate-names.ts';
import { type PathRule, quoted, readPath, regexMatch } from './path-rule.ts';
import type { IngressSettings } from './settings.ts';

/** The host of rules that name none, and of default backends. */
export const ANY_HOST = '*';

export interface HostPart {
  readonly hostname: string;
  /** `spec.rules[0]`; none where only the default backend serves the host. */
  readonly fields: readonly string[];
  readonly paths: readonly PathRule[];
}

export interface ServedIngress {
  readonly key: string;
  readonly object: IngressObject;
  readonly settings: IngressSettings;
  readonly hosts: readonly HostPart[];
}

export type AnnotationParser = (
  annotations: Readonly<Record<string, string>>,
  origin: Origin,
) => { readonly settings: IngressSettings; readonly findings: readonly Finding[] };

export function readIngress(
  object: IngressObject,
  parseAnnotations: AnnotationParser,
): { readonly ingress: ServedIngress; readonly findings: readonly Finding[] } {
  const { settings, findings: annotationFindings } = parseAnnotations(object.annotations, originOf(object, ''));
  const findings = [...annotationFindings];
  const hosts = new Map<string, { hostname: string; fields: string[]; paths: PathRule[] }>();
  const part = (hostname: string) => {
    const known = hosts.get(hostname) ?? { hostname, fields: [], paths: [] };
    hosts.set(hostname, known);
    return known;
  };
  object.rules.forEach((rule, index) => {
    const field = `spec.rules[${index}]`;
    const hostname = readHost(rule.host);
    if (hostname === undefined) {
      const message = `Host ${quoted(rule.host ?? '')} is no DNS name; the rule is not served.`;
      findings.push(finding(INGRESS_FINDINGS.hostInvalid, originOf(object, `${field}.host`), message));
      return;
    }
    if (hasUpperCase(rule.host)) {
      const message = `Host ${quoted(rule.host)} has upper-case letters; it is served as ${quoted(hostname)}.`;
      findings.push(finding(INGRESS_FINDINGS.hostUpperCase, originOf(object, `${field}.host`), message));
    }
    const { fields, paths } = part(hostname);
    fields.push(field);
    rule.paths.forEach((path, at) => {
      const read = readPath(path, `${field}.http.paths[${at}]`);
      if ('entry' in read) {
        const origin = originOf(object, `${field}.http.paths[${at}].${read.field}`);
        findings.push(finding(read.entry, origin, read.message));
        return;
      }
      paths.push(read);
      if (path.pathType === undefined) {
        const message = `Path ${quoted(read.value)} has no pathType; it is read as ImplementationSpecific.`;
        findings.push(finding(INGRESS_FINDINGS.pathTypeMissing, originOf(object, `${read.field}.pathType`), message));
      }
      findings.push(...capturesWithoutGroup(object, settings, read));
    });
  });
  if (object.defaultBackend !== undefined) part(ANY_HOST);
  if (settings.canary === undefined) findings.push(...tlsHostsWithoutRule(object, [...hosts.keys()]));
  const parts = [...hosts.values()].map(({ hostname, fields, paths }) => ({
    hostname,
    fields: trimmed(fields),
    paths: trimmed(paths),
  }));
  return { ingress: { key: headKey(object), object, settings, hosts: trimmed(parts) }, findings };
}

/** The oldest first: it wins. */
export function compareIngresses(a: ServedIngress, b: ServedIngress): number {
  return compareAges(a.object.created, b.object.created) || compareText(a.key, b.key);
}

/** In lower case; `*` for none; undefined if it can be no host. */
export function readHost(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return ANY_HOST;
  const hostname = text.toLowerCase();
  if (hostname === ANY_HOST || hostname.startsWith('**') || isIP(hostname) !== 0) return undefined;
  return isHostname(hostname) ? hostname : undefined;
}

function hasUpperCase(host: string | undefined): host is string {
  return host !== undefined && host !== host.toLowerCase();
}

function capturesWithoutGroup(
  object: IngressObject,
  { rewriteTarget, canary }: IngressSettings,
  rule: PathRule,
): readonly Finding[] {
  if (rewriteTarget === undefined || canary !== undefined || rewriteTarget === rule.value) return [];
  const groups = captureCount(regexMatch(rule).value);
  const missing = [...new Set(rewriteTarget.match(/\$[1-9]/gu))].filter(
    (name) => Number(name.slice(1)) > (groups ?? 9),
  );
  if (missing.length === 0) return [];
  const has = groups === 0 ? 'no group' : `only ${groups} group${groups === 1 ? '' : 's'}`;
  const message = `rewrite-target ${quoted(rewriteTarget)} names ${missing.join(', ')}, and path ${quoted(rule.value)} has ${has}: nothing stands in that place.`;
  return [finding(ANNOTATION_FINDINGS.captureWithoutGroup, originOf(object, `${rule.field}.path`), message)];
}

function tlsHostsWithoutRule(object: IngressObject, hostnames: readonly string[]): readonly Finding[] {
  const findings: Finding[] = [];
  object.tls.forEach(({ hosts }, index) => {
    hosts?.forEach((host, at) => {
      const name = host.toLowerCase();
      if (hostnames.some((hostname) => namesCover([name], hostname))) return;
      const origin = originOf(object, `spec.tls[${index}].hosts[${at}]`);
      const message = `No rule of the Ingress is for host ${quoted(host)}, so the TLS entry has no effect for it.`;
      findings.push(finding(TLS_FINDINGS.hostWithoutRule, origin, message));
    });
  });
  return findings;
}
