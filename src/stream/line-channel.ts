import type { Duplex } from 'node:stream';
import { decodeCheckedLine, encodeCheckedLine } from '../lib/checked-line.ts';
import { CodedError } from '../lib/coded-error.ts';

/** Milliseconds between signs of life, and of silence until the other side counts as gone. */
const BEAT = 5000;
const PATIENCE = 20_000;
/** Bytes of one line: a host may hold some thousand routes. */
const MOST_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface LineChannelOptions {
  readonly onMessage: (message: unknown) => void;
  /** Called once, when nothing more comes; without an error where the other side ended in good order. */
  readonly onEnd: (error: Error | undefined) => void;
  /** Said at each beat. */
  readonly beat?: () => object;
  readonly beatMs?: number;
  readonly patienceMs?: number;
  readonly mostBytes?: number;
}

/**
 * Messages over a socket, one checked line each, as in the state file. A line that is damaged or too long, and a peer that
 * is silent for too long, end the connection: what was received so far is whole, the rest is to be asked for again.
 */
export class LineChannel {
  readonly #socket: Duplex;
  readonly #options: LineChannelOptions;
  readonly #mostBytes: number;
  readonly #timer: NodeJS.Timeout;
  #parts: Buffer[] = [];
  #bytes = 0;
  #heard = performance.now();
  #ended = false;
  #waiting: (() => void)[] = [];

  constructor(socket: Duplex, options: LineChannelOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#mostBytes = options.mostBytes ?? MOST_BYTES;
    const { beatMs = BEAT, patienceMs = PATIENCE } = options;
    this.#timer = setInterval(() => this.#beat(patienceMs), beatMs).unref();
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('drain', () => this.#wake());
    socket.on('end', () => this.close());
    socket.on('error', (error) => this.close(error));
    socket.on('close', () => this.close());
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  /** Longest line that the other side takes, in bytes. */
  get mostBytes(): number {
    return this.#mostBytes;
  }

  send(message: object): void {
    this.sendLine(encodeCheckedLine(message));
  }

  /** Lines as `encodeCheckedLine` makes them. */
  sendLine(text: string): void {
    if (!this.#ended) this.#socket.write(text);
  }

  /** Resolves when the peer has taken nearly all that was sent, or when the connection has ended. */
  async drained(): Promise<void> {
    while (!this.#ended && this.#socket.writableNeedDrain) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Ends the connection. What was sent is still written, unless there was an error. */
  close(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#timer);
    if (error === undefined) this.#socket.end();
    else this.#socket.destroy();
    // A peer that doesn't take the rest keeps nothing open.
    setTimeout(() => this.#socket.destroy(), 1000).unref();
    this.#wake();
    this.#options.onEnd(error);
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #beat(patience: number): void {
    const silent = performance.now() - this.#heard;
    if (silent > patience) {
      const seconds = Math.round(silent / 1000);
      this.close(new CodedError('stream-silent', `nothing was heard of the other side for ${seconds} s`));
    } else if (!this.#socket.writableNeedDrain) {
      this.send({ type: 'beat', ...this.#options.beat?.() });
    }
  }

  #read(chunk: Buffer): void {
    this.#heard = performance.now();
    let start = 0;
    while (!this.#ended) {
      const end = chunk.indexOf(NEWLINE, start);
      const piece = chunk.subarray(start, end === -1 ? undefined : end);
      this.#bytes += piece.length;
      if (this.#bytes > this.#mostBytes) {
        return this.close(
          new CodedError('stream-garbled', `a line of the stream is longer than ${this.#mostBytes} bytes`),
        );
      }
      if (end === -1) {
        if (piece.length > 0) this.#parts.push(piece);
        return undefined;
      }
      const line = this.#parts.length === 0 ? piece : Buffer.concat([...this.#parts, piece]);
      this.#parts = [];
      this.#bytes = 0;
      start = end + 1;
      this.#take(line.toString('utf8'));
    }
    return undefined;
  }

  #take(text: string): void {
    const message = decodeCheckedLine(text);
    if (typeof message !== 'object' || message === null) {
      return this.close(new CodedError('stream-garbled', 'a line of the stream is damaged, or not weir’s'));
    }
    try {
      this.#options.onMessage(message);
    } catch (error) {
      this.close(error instanceof Error ? error : new Error(String(error)));
    }
    return undefined;
  }
}
