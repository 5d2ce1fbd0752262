import { Http2Client } from '../clients/http2-client.ts';
import type { LoadPlan, LoadTarget } from './load-plan.ts';
import { withTimeout } from './plain-client.ts';
import { failureOf, type Tally } from './tally.ts';

/** An HTTP/2 client with one request at a time, which goes to another connection when the server said GOAWAY, and sends nothing twice. */
export class Http2LoadClient {
  readonly #plan: LoadPlan;
  readonly #choose: () => LoadTarget;
  readonly #tally: Tally;
  #client: Http2Client | undefined;
  #where = '';
  #lastAnswer = 0;

  constructor(plan: LoadPlan, choose: () => LoadTarget, tally: Tally) {
    this.#plan = plan;
    this.#choose = choose;
    this.#tally = tally;
  }

  /** Never rejects: how it went is in the tally. */
  async send(): Promise<void> {
    const { host, path = '/', timeoutMs = 10_000 } = this.#plan;
    try {
      if (this.#client?.ended === true) this.close();
      this.#client ??= await this.#connect(timeoutMs);
      if (this.#lastAnswer > 0) this.#tally.paused(performance.now() - this.#lastAnswer);
      const { status } = await withTimeout(this.#client.request({ host, path }), timeoutMs);
      this.#lastAnswer = performance.now();
      if (status === 200) this.#tally.answered();
      else this.#tally.failed(status === 0 ? 'eof' : 'status', this.#where, String(status));
    } catch (error) {
      this.#tally.failed(failureOf(error), this.#where, (error as Error).message.slice(0, 200));
      this.close();
    }
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  async #connect(timeoutMs: number): Promise<Http2Client> {
    const { address, httpsPort } = this.#choose();
    this.#where = `${address}:${httpsPort}`;
    const client = await withTimeout(
      Http2Client.open(httpsPort, { address, host: this.#plan.host, tls: true }),
      timeoutMs,
    );
    this.#tally.connected();
    this.#lastAnswer = 0;
    return client;
  }
}
