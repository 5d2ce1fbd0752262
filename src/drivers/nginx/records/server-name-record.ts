import type { Listener } from '../../../model/listener.ts';
import type { VirtualHost } from '../../../model/virtual-host.ts';
import type { ServerNameRecord } from '../wire.ts';
import { policyHash, renderVerification } from './client-certificate-record.ts';
import { recordName } from './record-key.ts';

/**
 * What is shown to a client that asks for this host by SNI; undefined where the host has no certificate of its own: a
 * wildcard's or the default one is shown then, also where the record is there for the sake of client certificates.
 */
export function renderServerName(host: VirtualHost): ServerNameRecord | undefined {
  const { certificates = [], clientCertificate } = host.tls ?? {};
  const verify = clientCertificate === undefined ? undefined : renderVerification(clientCertificate);
  if (certificates.length === 0 && verify === undefined) return undefined;
  return {
    certificates: certificates.map(recordName),
    ...(verify === undefined ? {} : { policy: policyHash(verify), verify }),
  };
}

/** The default certificates of each scope (`*`), where a listener names some; the first by the listeners' names decides. */
export function defaultServerNames(listeners: Iterable<Listener>): ReadonlyMap<string, ServerNameRecord> {
  const defaults = new Map<string, ServerNameRecord>();
  for (const listener of [...listeners].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const certificates = listener.defaultCertificates ?? [];
    if (listener.protocol !== 'https' || certificates.length === 0 || defaults.has(listener.scope)) continue;
    defaults.set(listener.scope, { certificates: certificates.map(recordName) });
  }
  return defaults;
}

/** What is shown to clients without a name that is known: by the scope's host for all names, else by its listeners. */
export function scopeServerName(
  host: VirtualHost | undefined,
  byListeners: ServerNameRecord | undefined,
): ServerNameRecord | undefined {
  const own = host && renderServerName(host);
  if (own === undefined || own.certificates.length > 0) return own ?? byListeners;
  return { ...own, certificates: byListeners?.certificates ?? [] };
}
