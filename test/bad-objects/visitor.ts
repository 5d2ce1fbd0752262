import { HttpConnection } from '../support/clients/http-connection.ts';
import type { Reply } from '../support/clients/http-client.ts';
import type { Site } from './site.ts';

/** Where a weir listens, and whom its clients trust. */
export interface Front {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** PEM. */
  readonly ca: string;
}

/** Asks sites as a browser does: plain ones over a connection that is kept alive, the others by TLS with their own SNI name. */
export class Visitor {
  readonly #front: Front;
  #plain: HttpConnection | undefined;

  constructor(front: Front) {
    this.#front = front;
  }

  /** GET; a site with TLS has to show a certificate for its host by the trusted authority. */
  async ask(site: Site, path = '/'): Promise<Reply> {
    if (site.pair !== undefined) return this.#askSecurely(site, path);
    const connection = this.#plain ?? (await HttpConnection.open(this.#front.httpPort));
    this.#plain = undefined;
    const reply = await connection.request(site.host, path);
    // nginx closes a connection after a thousand requests, and says so.
    if (reply.headers.connection === 'close') connection.close();
    else this.#plain = connection;
    return reply;
  }

  close(): void {
    this.#plain?.close();
    this.#plain = undefined;
  }

  async #askSecurely({ host }: Site, path: string): Promise<Reply> {
    const { httpsPort, ca } = this.#front;
    const connection = await HttpConnection.open(httpsPort, { tls: { ca, host } });
    try {
      return await connection.request(host, path);
    } finally {
      connection.close();
    }
  }
}
