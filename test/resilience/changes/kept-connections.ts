import type { KeyPair } from '../../support/certificates.ts';
import type { Reply } from '../../support/clients/http-client.ts';
import { Http2Client } from '../../support/clients/http2-client.ts';
import { HttpConnection } from '../../support/clients/http-connection.ts';
import { toEachWorker } from './each-worker.ts';

export interface Target {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** nginx's worker processes. */
  readonly workers: readonly number[];
  /** What is shown where a certificate is asked for. */
  readonly tls: { readonly cert: string; readonly key: string };
}

export function targetOf(
  weir: Pick<Target, 'httpPort' | 'httpsPort'>,
  workers: readonly number[],
  identity: KeyPair,
): Target {
  const { httpPort, httpsPort } = weir;
  return { httpPort, httpsPort, workers, tls: { cert: identity.certificate, key: identity.key } };
}

const KINDS = ['http', 'https', 'http2'] as const;
type Kind = (typeof KINDS)[number];

/** A connection to one worker, kept as long as the answers allow. */
export interface Kept {
  /** `http 1`: over HTTP/1.1, to the first worker. */
  readonly lane: `${Kind} ${number}`;
  ask(path: string): Promise<Reply>;
}

interface Connection {
  readonly localPort: number;
  readonly ended: boolean;
  ask(path: string): Promise<Reply>;
  close(): void;
}

/** For each host connections to each worker, which live from one change to the next. */
export class KeptConnections {
  /** How often an answer was 421, and the request sent again on another connection. */
  redone = 0;
  readonly #target: Target;
  readonly #byHost = new Map<string, Map<Kind, readonly Lane[]>>();

  constructor(target: Target) {
    this.#target = target;
  }

  /** Those of a host; what was closed meanwhile is opened anew. */
  async to(host: string): Promise<readonly Kept[]> {
    const kinds = this.#byHost.get(host) ?? new Map<Kind, readonly Lane[]>();
    this.#byHost.set(host, kinds);
    for (const kind of KINDS) {
      const lanes = kinds.get(kind);
      if (lanes?.every((lane) => lane.isOriginal) === true) continue;
      for (const lane of lanes ?? []) lane.close();
      const { httpPort, httpsPort, workers } = this.#target;
      const open = () => this.#open(kind, host);
      const connections = await toEachWorker(workers, kind === 'http' ? httpPort : httpsPort, open);
      kinds.set(
        kind,
        connections.map((connection, index) => new Lane(`${kind} ${index + 1}`, connection, open, this)),
      );
    }
    return [...kinds.values()].flat();
  }

  /** 421 sends a client to another connection, where it asks again, as browsers do. */
  async redo(ask: () => Promise<Reply>): Promise<Reply> {
    const reply = await ask();
    if (reply.status !== 421) return reply;
    this.redone += 1;
    return ask();
  }

  close(): void {
    for (const lane of [...this.#byHost.values()].flatMap((kinds) => [...kinds.values()].flat())) lane.close();
  }

  async #open(kind: Kind, host: string): Promise<Connection> {
    const { httpPort, httpsPort, tls } = this.#target;
    if (kind === 'http2')
      return around(await Http2Client.open(httpsPort, { host, tls }), (client, path) => client.request({ host, path }));
    const connection = await HttpConnection.open(
      kind === 'http' ? httpPort : httpsPort,
      kind === 'http' ? {} : { tls: { host, ...tls } },
    );
    // A worker has accepted it when it answers; with TLS the handshake has told that.
    if (kind === 'http') await connection.request(host);
    return around(connection, (client, path) => client.request(host, path));
  }
}

function around<T extends Omit<Connection, 'ask'>>(
  client: T,
  ask: (client: T, path: string) => Promise<Reply>,
): Connection {
  return {
    get localPort() {
      return client.localPort;
    },
    get ended() {
      return client.ended;
    },
    ask: (path) => ask(client, path),
    close: () => client.close(),
  };
}

/** An answer may end its connection. */
class Lane implements Kept {
  readonly lane: Kept['lane'];
  readonly #original: Connection;
  readonly #open: () => Promise<Connection>;
  readonly #connections: KeptConnections;
  #connection: Connection | undefined;

  constructor(lane: Kept['lane'], original: Connection, open: () => Promise<Connection>, connections: KeptConnections) {
    this.lane = lane;
    this.#original = original;
    this.#connection = original;
    this.#open = open;
    this.#connections = connections;
  }

  /** Whether it still is the connection to the worker that it was made for. */
  get isOriginal(): boolean {
    return this.#connection === this.#original && !this.#original.ended;
  }

  ask(path: string): Promise<Reply> {
    return this.#connections.redo(() => this.#once(path));
  }

  close(): void {
    this.#connection?.close();
  }

  async #once(path: string): Promise<Reply> {
    // nginx ends a connection after so many requests; HTTP/2 says so apart from the answers.
    if (this.#connection?.ended === true) this.#connection = undefined;
    this.#connection ??= await this.#open();
    const reply = await this.#connection.ask(path);
    if (reply.status === 421 || reply.headers.connection === 'close') {
      this.#connection.close();
      this.#connection = undefined;
    }
    return reply;
  }
}
