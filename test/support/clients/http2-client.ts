import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { makeReply, type Reply, type TlsOptions, tlsSettings } from './http-client.ts';

export interface Http2Reply extends Reply {
  readonly trailers: Readonly<Record<string, string>>;
}

export interface Http2RequestOptions {
  readonly host: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** An HTTP/2 connection: over TLS, or without it (h2c with prior knowledge) when `tls` is absent. */
export class Http2Client {
  readonly #session: ClientHttp2Session;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
  }

  static open(
    port: number,
    options: { address?: string; host?: string; tls?: TlsOptions | true } = {},
  ): Promise<Http2Client> {
    const { address = '127.0.0.1', host = 'localhost', tls } = options;
    const url = `${tls === undefined ? 'http' : 'https'}://${address}:${port}`;
    return new Promise((resolve, reject) => {
      const session = connect(url, tls === undefined ? {} : tlsSettings(tls, host));
      session.once('connect', () => resolve(new Http2Client(session)));
      session.once('error', reject);
      session.on('error', () => undefined);
    });
  }

  /** Whether either side has closed it, or the other wants no more requests. */
  get ended(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  /** The client's port: by it the connection is found in the kernel's tables. */
  get localPort(): number {
    return this.#session.socket.localPort ?? 0;
  }

  /** Sends the frames of the request and resolves when the whole answer is there. */
  request({ host, path = '/', method = 'GET', headers = {}, body }: Http2RequestOptions): Promise<Http2Reply> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({ ':authority': host, ':path': path, ':method': method, ...headers });
      let received: IncomingHttpHeaders & { ':status'?: number | undefined } = {};
      let trailers: Record<string, string> = {};
      const chunks: Buffer[] = [];
      stream.setTimeout(10_000, () => stream.destroy(new Error(`no answer within 10 s: ${method} ${host}${path}`)));
      stream.on('response', (head) => {
        received = head;
        // A response without a body may carry its trailers in the head (gRPC's trailers-only).
        if (head['grpc-status'] !== undefined) trailers = head as unknown as Record<string, string>;
      });
      stream.on('trailers', (sent) => {
        trailers = sent as unknown as Record<string, string>;
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () => {
        const reply = makeReply(received[':status'] ?? 0, received, [], Buffer.concat(chunks).toString());
        resolve({ ...reply, trailers });
      });
      stream.end(body);
    });
  }

  /** A unary gRPC call with this message. */
  call(host: string, path: string, message: Buffer = Buffer.from('hello')): Promise<Http2Reply> {
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    const headers = { 'content-type': 'application/grpc', te: 'trailers' };
    return this.request({ host, path, method: 'POST', headers, body: Buffer.concat([frame, message]) });
  }

  close(): void {
    this.#session.destroy();
  }
}
