import type { Listener } from '../../model/listener.ts';
import { listenerProblem } from './records/listener-record.ts';
import { bindError, bindErrorText, hasIpv6, isHeldByOwnAccount, listensOn } from './supervisor/listening-port.ts';
import type { NginxProcesses } from './supervisor/nginx-processes.ts';
import type { ProcessInfo } from './supervisor/process-info.ts';

/**
 * The listeners that nginx serves (not those whose clients' certificates it can't verify), in the order of their names,
 * with addresses that this machine can have.
 */
export function servedListeners(listeners: Iterable<Listener>, ipv6: boolean = hasIpv6()): readonly Listener[] {
  return [...listeners]
    .filter((listener) => ['http', 'https'].includes(listener.protocol) && listenerProblem(listener) === undefined)
    .map((listener) => (listener.addresses.length === 0 && !ipv6 ? { ...listener, addresses: ['0.0.0.0'] } : listener))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Why a listener can't be bound; undefined where it can, or where nginx (or its orphaned workers) already has the port.
 * `processes` is asked only where a port is taken: who holds it costs a look at all sockets of the machine.
 * `shares`: what else listens on it under weir's account is another weir, whose sockets let others beside them.
 */
export async function listenerRefusal(
  listener: Listener,
  processes: () => NginxProcesses,
  shares = false,
): Promise<string | undefined> {
  const addresses = listener.addresses.length > 0 ? listener.addresses : ['0.0.0.0', '::'];
  for (const address of addresses) {
    const error = await bindError(address, listener.port);
    if (error === undefined) continue;
    if (error.code === 'EADDRINUSE' && listensOn(listener.port, ownProcesses(processes()))) return undefined;
    if (error.code === 'EADDRINUSE' && shares && isHeldByOwnAccount(listener.port)) continue;
    return bindErrorText(error, address, listener.port);
  }
  return undefined;
}

function ownProcesses({ master, workers, orphans }: NginxProcesses): readonly ProcessInfo[] {
  return [...(master === undefined ? [] : [master]), ...workers, ...orphans];
}
