import { randomBytes } from 'node:crypto';
import type { TlsOptions } from './http-client.ts';
import { HttpConnection } from './http-connection.ts';
import { encodeFrame, FrameReader } from '../../../examples/backends/websocket-frames.ts';

/** A WebSocket whose Host header and address are chosen apart, which the built-in one doesn't offer. */
export class WebSocketClient {
  readonly #connection: HttpConnection;
  readonly #reader = new FrameReader();
  readonly #messages: string[] = [];

  private constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  /** Rejects, with the status, when the answer isn't 101. */
  static async open(
    port: number,
    host: string,
    path = '/',
    tls?: TlsOptions,
    address = '127.0.0.1',
  ): Promise<WebSocketClient> {
    const connection = await HttpConnection.open(port, {
      address,
      ...(tls === undefined ? {} : { tls: { host, ...tls } }),
    });
    const reply = await connection.request(host, path, {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    });
    if (reply.status !== 101) {
      connection.close();
      throw new Error(`WebSocket handshake: ${reply.status} instead of 101: ${reply.body.slice(0, 300)}`);
    }
    return new WebSocketClient(connection);
  }

  get localPort(): number {
    return this.#connection.localPort;
  }

  get ended(): boolean {
    return this.#connection.ended;
  }

  send(text: string): void {
    this.#connection.send(encodeFrame(0x1, Buffer.from(text), randomBytes(4)));
  }

  async receive(timeoutMs = 10_000): Promise<string> {
    while (this.#messages.length === 0) {
      for (const frame of this.#reader.push(await this.#connection.bytes(timeoutMs))) {
        if (frame.opcode === 0x1) this.#messages.push(frame.payload.toString());
      }
    }
    return this.#messages.shift() ?? '';
  }

  /** What the other side answers to `text`. */
  ask(text: string): Promise<string> {
    this.send(text);
    return this.receive();
  }

  close(): void {
    this.#connection.close();
  }
}
