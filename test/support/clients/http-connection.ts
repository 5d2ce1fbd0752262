import type { IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { makeReply, type Reply, type TlsOptions, tlsSettings } from './http-client.ts';

/**
 * One HTTP/1.1 connection that is kept alive, on which a test may also send bytes of its own making: what no
 * well-behaved client would send, or a request in pieces.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #error: NodeJS.ErrnoException | undefined;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake?.();
    });
    const end = () => {
      this.#ended = true;
      this.#wake?.();
    };
    socket.on('error', (error) => (this.#error = error));
    socket.on('end', end).on('close', end).on('error', end);
  }

  static open(
    port: number,
    options: { address?: string; tls?: TlsOptions & { host?: string } } = {},
  ): Promise<HttpConnection> {
    const target = { host: options.address ?? '127.0.0.1', port };
    return new Promise((resolve, reject) => {
      const { host = 'localhost', ...tls } = options.tls ?? {};
      const socket =
        options.tls === undefined
          ? connect(target, () => resolve(new HttpConnection(socket)))
          : tlsConnect({ ...target, ALPNProtocols: ['http/1.1'], ...tlsSettings(tls, host) }, () =>
              resolve(new HttpConnection(socket)),
            );
      socket.once('error', reject);
    });
  }

  /** Whether the other side has closed it. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Why it is over, unless the other side closed it in order. */
  get error(): NodeJS.ErrnoException | undefined {
    return this.#error;
  }

  /** The client's port: by it the connection is found in the kernel's tables. */
  get localPort(): number {
    return this.#socket.localPort ?? 0;
  }

  send(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  request(
    host: string,
    path = '/',
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
    body = '',
  ): Promise<Reply> {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `Host: ${host}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    this.send(`${lines.join('\r\n')}\r\n\r\n${body}`);
    return this.reply(method);
  }

  /** The next response. Rejects when the connection ends before it is complete. */
  async reply(method = 'GET', timeoutMs = 10_000): Promise<Reply> {
    const deadline = Date.now() + timeoutMs;
    const head = (await this.#until((bytes) => cut(bytes, bytes.indexOf('\r\n\r\n'), 4), deadline)).toString('latin1');
    const [statusLine = '', ...lines] = head.trimEnd().split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
    if (!Number.isInteger(status)) throw new Error(`not a status line: ${statusLine}`);
    const { headers, rawHeaders } = parseHeaders(lines);
    const bodiless = method === 'HEAD' || status === 204 || status === 304 || status === 101;
    const body = bodiless ? '' : await this.#body(headers, deadline);
    return makeReply(status, headers, rawHeaders, body);
  }

  /** Bytes that came after the last response (of an upgraded connection, say); waits for some. */
  async bytes(timeoutMs = 10_000): Promise<Buffer> {
    return this.#until((bytes) => cut(bytes, bytes.length === 0 ? -1 : bytes.length, 0), Date.now() + timeoutMs);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #body(headers: IncomingHttpHeaders, deadline: number): Promise<string> {
    if (headers['transfer-encoding']?.includes('chunked') === true) return this.#chunks(deadline);
    const length = headers['content-length'];
    if (length === undefined) {
      while (!this.#ended) await this.#more(deadline);
      const rest = this.#received.toString();
      this.#received = Buffer.alloc(0);
      return rest;
    }
    const wanted = Number(length);
    return (await this.#until((bytes) => cut(bytes, bytes.length < wanted ? -1 : wanted, 0), deadline)).toString();
  }

  async #chunks(deadline: number): Promise<string> {
    const parts: Buffer[] = [];
    for (;;) {
      const line = (await this.#until((bytes) => cut(bytes, bytes.indexOf('\r\n'), 2), deadline)).toString('latin1');
      const size = Number.parseInt(line, 16);
      const chunk = await this.#until((bytes) => cut(bytes, bytes.length < size + 2 ? -1 : size + 2, 0), deadline);
      if (size === 0) return Buffer.concat(parts).toString();
      parts.push(chunk.subarray(0, size));
    }
  }

  async #until(take: (bytes: Buffer) => number | undefined, deadline: number): Promise<Buffer> {
    for (;;) {
      const end = take(this.#received);
      if (end !== undefined) {
        const taken = this.#received.subarray(0, end);
        this.#received = this.#received.subarray(end);
        return taken;
      }
      if (this.#ended)
        throw new Error(
          `the connection was closed; it had sent: ${JSON.stringify(this.#received.toString('latin1').slice(0, 300))}`,
        );
      await this.#more(deadline);
    }
  }

  async #more(deadline: number): Promise<void> {
    const left = deadline - Date.now();
    if (left <= 0) throw new Error('no complete answer in time');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

function cut(_bytes: Buffer, at: number, extra: number): number | undefined {
  return at < 0 ? undefined : at + extra;
}

function parseHeaders(lines: readonly string[]): { headers: IncomingHttpHeaders; rawHeaders: string[] } {
  const headers: Record<string, string | string[]> = {};
  const rawHeaders: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    rawHeaders.push(name, value);
    const key = name.toLowerCase();
    const known = headers[key];
    if (key === 'set-cookie') headers[key] = [...(Array.isArray(known) ? known : []), value];
    else headers[key] = known === undefined ? value : `${String(known)}, ${value}`;
  }
  return { headers: headers as IncomingHttpHeaders, rawHeaders };
}
