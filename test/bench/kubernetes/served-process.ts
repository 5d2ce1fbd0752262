import type { Scope } from '../../support/scope.ts';
import { freePorts } from '../../support/scope.ts';
import { type ServingCommand, startServing } from '../../support/serving-command.ts';
import { nginxOf } from '../nginx-of-weir.ts';
import { residentMib } from '../process-figures.ts';
import type { HttpEntry } from './asked-hosts.ts';
import { CLASS } from './cluster-apps.ts';

/** What is written to the status of Ingresses: of a range for documentation (RFC 5737). */
export const PUBLISHED = '192.0.2.90';

export interface Memory {
  readonly controllerMib: number;
  readonly masterMib: number;
  readonly workersMib: readonly number[];
}

/** weir, started outside of the cluster or in it. */
export interface ServedCluster {
  readonly entry: HttpEntry;
  /** When its process began, by performance.now(). */
  readonly startedAt: number;
  memory(): Memory;
  /** What the API server has now is in force. */
  settled(): Promise<void>;
  /** Ends it and starts it once more, with what it saved. */
  again(): Promise<ServedCluster>;
}

/** `weir run --kubeconfig` on this machine. */
export async function serveOutside(
  scope: Scope,
  kubeconfig: string,
  before?: { readonly ports: readonly [number, number]; readonly serving: ServingCommand },
): Promise<ServedCluster> {
  const [httpPort = 0, httpsPort = 0] = before?.ports ?? (await freePorts(2));
  const flags = {
    kubeconfig,
    'http-port': httpPort,
    'https-port': httpsPort,
    'ingress-class': CLASS,
    'election-id': CLASS,
    'publish-status-address': PUBLISHED,
    'drain-delay': '0s',
  };
  const startedAt = performance.now();
  const serving = await startServing(scope, 'run', {
    args: Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)]),
    ports: [httpPort, httpsPort],
    ...(before === undefined ? {} : { again: before.serving }),
  });
  return {
    entry: { address: '127.0.0.1', port: httpPort },
    startedAt,
    memory() {
      const nginx = nginxOf(serving.stateDir);
      return {
        controllerMib: residentMib(serving.pid),
        masterMib: residentMib(nginx.master),
        workersMib: nginx.workers().map(residentMib),
      };
    },
    settled: () => serving.settled(),
    async again() {
      await serving.stop('SIGTERM');
      return serveOutside(scope, kubeconfig, { ports: [httpPort, httpsPort], serving });
    },
  };
}
