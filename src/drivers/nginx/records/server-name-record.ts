import type { Listener } from '../../../model/listener.ts';
import type { VirtualHost } from '../../../model/virtual-host.ts';
import type { ServerNameRecord } from '../wire.ts';
import { recordName } from './record-key.ts';

/**
 * What is shown to a client that asks for this host by SNI; undefined where the host has no certificate of its own: a
 * wildcard's or the default one is shown then. Policies are left out as long as no setting of a host changes its TLS:
 * a policy on one name and none on another would only make the second be refused on connections to the first.
 */
export function renderServerName(host: VirtualHost): ServerNameRecord | undefined {
  const certificates = host.tls?.certificates ?? [];
  return certificates.length === 0 ? undefined : { certificates: certificates.map(recordName) };
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
