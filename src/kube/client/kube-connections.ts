import { createHash } from 'node:crypto';
import { Pool } from 'undici';
import type { KubeCluster } from '../kube-config.ts';
import type { Credentials } from '../credentials/credentials.ts';

/** Requests share these; a burst of writes waits its turn instead of opening a connection each. */
const REQUEST_CONNECTIONS = 16;
const CONNECT_MS = 10_000;
/** From here on the kernel asks a silent peer once a second and gives up after ten: a dead connection shows within half a minute. */
const KEEP_ALIVE_MS = 15_000;
/** API servers close an idle connection after three minutes. */
const IDLE_MS = 30_000;

/** Pools of one TLS identity. A watch holds a connection, so watches have a pool without a bound and never keep a request waiting. */
export interface ConnectionPools {
  readonly requests: Pool;
  readonly watches: Pool;
}

/** Connections to one API server: new ones when authority or client certificate are others than before. */
export class KubeConnections {
  readonly #cluster: KubeCluster;
  #identity = '';
  #current: ConnectionPools | undefined;
  /** Of earlier identities, until their last watch ends. */
  readonly #leaving = new Set<Pool>();

  constructor(cluster: KubeCluster) {
    this.#cluster = cluster;
  }

  poolsFor({ certificate }: Credentials, authority: string | undefined): ConnectionPools {
    const identity = fingerprint([authority, certificate?.certificate, certificate?.key.reveal()]);
    if (this.#current !== undefined && this.#identity === identity) return this.#current;
    if (this.#current !== undefined) this.#leave(this.#current);
    this.#identity = identity;
    const connect = this.#connectOptions(certificate, authority);
    const options = {
      connect,
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      // Timed by who asks.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const { origin } = new URL(this.#cluster.server);
    this.#current = {
      requests: new Pool(origin, { ...options, connections: REQUEST_CONNECTIONS }),
      watches: new Pool(origin, { ...options, connections: null }),
    };
    return this.#current;
  }

  async close(): Promise<void> {
    const { requests, watches } = this.#current ?? {};
    const pools = [...this.#leaving, requests, watches].filter((pool) => pool !== undefined);
    this.#current = undefined;
    this.#identity = '';
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #leave({ requests, watches }: ConnectionPools): void {
    for (const pool of [requests, watches]) {
      this.#leaving.add(pool);
      pool.close().then(
        () => this.#leaving.delete(pool),
        () => this.#leaving.delete(pool),
      );
    }
  }

  #connectOptions(
    certificate: Credentials['certificate'],
    authority: string | undefined,
  ): NonNullable<Pool.Options['connect']> {
    const { insecure, serverName } = this.#cluster;
    return {
      timeout: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      rejectUnauthorized: !insecure,
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...(authority === undefined ? {} : { ca: authority }),
      ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key.reveal() }),
    };
  }
}

function fingerprint(parts: readonly (string | undefined)[]): string {
  return createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest('base64');
}
