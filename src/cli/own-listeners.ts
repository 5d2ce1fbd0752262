import { networkInterfaces } from 'node:os';
import type { OwnListener } from '../translate/services/own-listener.ts';

const UNSPECIFIED: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Where this weir listens: nginx on all addresses, the admin server on those that it was bound to. */
export function ownListeners(
  httpPort: number,
  httpsPort: number,
  admin: readonly { readonly address: string; readonly port: number }[],
  machine: readonly string[] = machineAddresses(),
): readonly OwnListener[] {
  return [
    { name: 'HTTP port', port: httpPort, addresses: machine },
    { name: 'HTTPS port', port: httpsPort, addresses: machine },
    ...admin.map(({ address, port }) => ({
      name: 'admin address',
      port,
      addresses: UNSPECIFIED.has(address) ? machine : [address],
    })),
  ];
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}
