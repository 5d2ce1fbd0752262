import { HttpConnection } from '../clients/http-connection.ts';
import type { LoadPlan, LoadTarget } from './load-plan.ts';
import { failureOf, type Tally } from './tally.ts';

const TIMEOUT_MS = 10_000;

/** The request was not even sent: it would have met the same. */
class ClosedBefore extends Error {
  constructor() {
    super('the kept connection had been closed since the last answer, which had not said so');
  }
}

/**
 * An HTTP/1.1 client as simple as may be: it sends its next request on the connection that it has unless the last answer
 * said `Connection: close`, doesn't look whether that is still open, and sends nothing twice.
 */
export class PlainClient {
  readonly #plan: LoadPlan;
  readonly #choose: () => LoadTarget;
  readonly #tally: Tally;
  readonly #tls: boolean;
  #connection: HttpConnection | undefined;
  #where = '';
  #lastAnswer = 0;

  constructor(plan: LoadPlan, choose: () => LoadTarget, tally: Tally, tls = false) {
    this.#plan = plan;
    this.#choose = choose;
    this.#tally = tally;
    this.#tls = tls;
  }

  /** Never rejects: how it went is in the tally. */
  async send(headers: Readonly<Record<string, string>> = {}): Promise<void> {
    try {
      const connection = this.#connection ?? (await this.#connect());
      if (this.#lastAnswer > 0) this.#tally.paused(performance.now() - this.#lastAnswer);
      if (connection.ended) throw connection.error ?? new ClosedBefore();
      const { host, path = '/' } = this.#plan;
      const sent = connection.request(host, path, headers);
      const { status, headers: told } = await withTimeout(sent, this.#timeout);
      this.#lastAnswer = performance.now();
      if (told.connection === 'close') this.#leave();
      if (status === 200) this.#tally.answered();
      else this.#tally.failed('status', this.#where, String(status));
    } catch (error) {
      const { ended = false, error: broken } = this.#connection ?? {};
      const cause = broken ?? (error as Error);
      const failure = broken === undefined && ended ? 'eof' : failureOf(cause);
      this.#tally.failed(failure, this.#where, cause.message.slice(0, 200));
      this.#leave();
    }
  }

  close(): void {
    this.#leave();
  }

  get #timeout(): number {
    return this.#plan.timeoutMs ?? TIMEOUT_MS;
  }

  async #connect(): Promise<HttpConnection> {
    const { address, httpPort, httpsPort } = this.#choose();
    const port = this.#tls ? httpsPort : httpPort;
    this.#where = `${address}:${port}`;
    const options = { address, ...(this.#tls ? { tls: { host: this.#plan.host } } : {}) };
    const opening = HttpConnection.open(port, options);
    this.#connection = await withTimeout(opening, this.#timeout).catch((error: unknown) => {
      void opening.then(
        (late) => late.close(),
        () => undefined,
      );
      throw error;
    });
    this.#tally.connected();
    this.#lastAnswer = 0;
    return this.#connection;
  }

  #leave(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

export async function withTimeout<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
