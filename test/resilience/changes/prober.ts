import { setTimeout as delay } from 'node:timers/promises';
import { request, type Reply } from '../../support/clients/http-client.ts';
import { handshake } from '../../support/clients/tls-client.ts';
import type { Kept, KeptConnections, Target } from './kept-connections.ts';
import { PATHS } from './host-state.ts';

export type Lane = Kept['lane'] | 'http new' | 'https new' | 'handshake';

export interface Observation {
  readonly lane: Lane;
  /** Undefined: a handshake alone. */
  readonly path: (typeof PATHS)[number] | undefined;
  /** Name of a backend, or a status; of a handshake the certificate's fingerprint; of a failure what it says. */
  readonly answer: string;
  /** performance.now() when it was sent. */
  readonly began: number;
}

/** How many requests each lane sends after the acknowledgement, so that every path is asked. */
const AFTERWARDS = PATHS.length;
const PAUSE_MS = 2;

/** Asks one host over and over, on kept connections to each worker and new ones, while it is being changed. */
export class Prober {
  readonly observations: Observation[] = [];
  readonly #host: string;
  readonly #target: Target;
  readonly #lanes: readonly Promise<void>[];
  #acknowledged = false;

  private constructor(host: string, target: Target, kept: readonly Kept[], connections: KeptConnections) {
    this.#host = host;
    this.#target = target;
    this.#lanes = [
      ...kept.map((one) => this.#lane(one.lane, (path) => one.ask(path))),
      this.#lane('http new', (path) => request({ host, path, port: target.httpPort })),
      this.#lane('https new', (path) =>
        connections.redo(() => request({ host, path, port: target.httpsPort, tls: target.tls })),
      ),
      this.#handshakes(),
    ];
  }

  /** Begins to ask; the connections that are kept are open before this resolves. */
  static async start(host: string, target: Target, connections: KeptConnections): Promise<Prober> {
    return new Prober(host, target, await connections.to(host), connections);
  }

  /** To be called in the moment of the acknowledgement. Resolves when each lane has asked for every path once more. */
  async finish(): Promise<void> {
    this.#acknowledged = true;
    await Promise.all(this.#lanes);
  }

  async #lane(lane: Lane, ask: (path: string) => Promise<Reply>): Promise<void> {
    for (let count = 0, left = AFTERWARDS; left > 0; count += 1) {
      const path = PATHS[count % PATHS.length]!;
      const began = performance.now();
      if (this.#acknowledged) left -= 1;
      const answer = await ask(path).then(answerOf, failureOf);
      this.observations.push({ lane, path, answer, began });
      if (!this.#acknowledged) await delay(PAUSE_MS);
    }
  }

  async #handshakes(): Promise<void> {
    for (let left = 1; left > 0; ) {
      const began = performance.now();
      if (this.#acknowledged) left -= 1;
      const answer = await handshake(this.#target.httpsPort, { servername: this.#host }).then(
        ({ certificate }) => certificate.fingerprint256,
        failureOf,
      );
      this.observations.push({ lane: 'handshake', path: undefined, answer, began });
    }
  }
}

function answerOf(reply: Reply): string {
  const backend = reply.headers['x-backend'];
  return reply.status === 200 && typeof backend === 'string' ? backend : String(reply.status);
}

function failureOf(error: unknown): string {
  return `failed: ${error instanceof Error ? error.message : String(error)}`;
}
