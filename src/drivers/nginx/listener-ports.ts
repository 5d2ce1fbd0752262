import type { Listener } from '../../model/listener.ts';
import { bindRefusal, hasIpv6, listensOn } from './supervisor/listening-port.ts';
import type { NginxProcesses } from './supervisor/nginx-processes.ts';

/**
 * The listeners that nginx serves (not those that ask for client certificates, which it can't verify yet), in
 * the order of their names, with addresses that this machine can have.
 */
export function servedListeners(listeners: Iterable<Listener>, ipv6: boolean = hasIpv6()): readonly Listener[] {
  return [...listeners]
    .filter(
      ({ protocol, clientCertificate }) => ['http', 'https'].includes(protocol) && clientCertificate === undefined,
    )
    .map((listener) => (listener.addresses.length === 0 && !ipv6 ? { ...listener, addresses: ['0.0.0.0'] } : listener))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Why a listener can't be bound; undefined where it can, or where nginx (or its orphaned workers) already has the port. */
export async function listenerRefusal(listener: Listener, processes: NginxProcesses): Promise<string | undefined> {
  const own = [
    ...(processes.master === undefined ? [] : [processes.master]),
    ...processes.workers,
    ...processes.orphans,
  ];
  if (listensOn(listener.port, own)) return undefined;
  const addresses = listener.addresses.length > 0 ? listener.addresses : ['0.0.0.0', '::'];
  for (const address of addresses) {
    const refusal = await bindRefusal(address, listener.port);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
